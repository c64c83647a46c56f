CREATE TYPE public.studydirection AS ENUM (
    'NOT_SET',
    'MINIMIZE',
    'MAXIMIZE'
);
CREATE TYPE public.trialintermediatevaluetype AS ENUM (
    'FINITE',
    'INF_POS',
    'INF_NEG',
    'NAN'
);
CREATE TYPE public.trialstate AS ENUM (
    'RUNNING',
    'COMPLETE',
    'PRUNED',
    'FAIL',
    'WAITING'
);
CREATE TYPE public.trialvaluetype AS ENUM (
    'FINITE',
    'INF_POS',
    'INF_NEG'
);
CREATE TABLE public.alembic_version (
    version_num character varying(32) NOT NULL
);
CREATE TABLE public.studies (
    study_id integer NOT NULL,
    study_name character varying(512) NOT NULL
);
CREATE SEQUENCE public.studies_study_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.studies_study_id_seq OWNED BY public.studies.study_id;
CREATE TABLE public.study_directions (
    study_direction_id integer NOT NULL,
    direction public.studydirection NOT NULL,
    study_id integer NOT NULL,
    objective integer NOT NULL
);
CREATE SEQUENCE public.study_directions_study_direction_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.study_directions_study_direction_id_seq OWNED BY public.study_directions.study_direction_id;
CREATE TABLE public.study_system_attributes (
    study_system_attribute_id integer NOT NULL,
    study_id integer,
    key character varying(512),
    value_json text
);
CREATE SEQUENCE public.study_system_attributes_study_system_attribute_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.study_system_attributes_study_system_attribute_id_seq OWNED BY public.study_system_attributes.study_system_attribute_id;
CREATE TABLE public.study_user_attributes (
    study_user_attribute_id integer NOT NULL,
    study_id integer,
    key character varying(512),
    value_json text
);
CREATE SEQUENCE public.study_user_attributes_study_user_attribute_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.study_user_attributes_study_user_attribute_id_seq OWNED BY public.study_user_attributes.study_user_attribute_id;
CREATE TABLE public.trial_heartbeats (
    trial_heartbeat_id integer NOT NULL,
    trial_id integer NOT NULL,
    heartbeat timestamp without time zone NOT NULL
);
CREATE SEQUENCE public.trial_heartbeats_trial_heartbeat_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.trial_heartbeats_trial_heartbeat_id_seq OWNED BY public.trial_heartbeats.trial_heartbeat_id;
CREATE TABLE public.trial_intermediate_values (
    trial_intermediate_value_id integer NOT NULL,
    trial_id integer NOT NULL,
    step integer NOT NULL,
    intermediate_value double precision,
    intermediate_value_type public.trialintermediatevaluetype NOT NULL
);
CREATE SEQUENCE public.trial_intermediate_values_trial_intermediate_value_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.trial_intermediate_values_trial_intermediate_value_id_seq OWNED BY public.trial_intermediate_values.trial_intermediate_value_id;
CREATE TABLE public.trial_params (
    param_id integer NOT NULL,
    trial_id integer,
    param_name character varying(512),
    param_value double precision,
    distribution_json text
);
CREATE SEQUENCE public.trial_params_param_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.trial_params_param_id_seq OWNED BY public.trial_params.param_id;
CREATE TABLE public.trial_system_attributes (
    trial_system_attribute_id integer NOT NULL,
    trial_id integer,
    key character varying(512),
    value_json text
);
CREATE SEQUENCE public.trial_system_attributes_trial_system_attribute_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.trial_system_attributes_trial_system_attribute_id_seq OWNED BY public.trial_system_attributes.trial_system_attribute_id;
CREATE TABLE public.trial_user_attributes (
    trial_user_attribute_id integer NOT NULL,
    trial_id integer,
    key character varying(512),
    value_json text
);
CREATE SEQUENCE public.trial_user_attributes_trial_user_attribute_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.trial_user_attributes_trial_user_attribute_id_seq OWNED BY public.trial_user_attributes.trial_user_attribute_id;
CREATE TABLE public.trial_values (
    trial_value_id integer NOT NULL,
    trial_id integer NOT NULL,
    objective integer NOT NULL,
    value double precision,
    value_type public.trialvaluetype NOT NULL
);
CREATE SEQUENCE public.trial_values_trial_value_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.trial_values_trial_value_id_seq OWNED BY public.trial_values.trial_value_id;
CREATE TABLE public.trials (
    trial_id integer NOT NULL,
    number integer,
    study_id integer,
    state public.trialstate NOT NULL,
    datetime_start timestamp without time zone,
    datetime_complete timestamp without time zone
);
CREATE SEQUENCE public.trials_trial_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.trials_trial_id_seq OWNED BY public.trials.trial_id;
CREATE TABLE public.version_info (
    version_info_id integer NOT NULL,
    schema_version integer,
    library_version character varying(256),
    CONSTRAINT version_info_version_info_id_check CHECK ((version_info_id = 1))
);
ALTER TABLE ONLY public.studies ALTER COLUMN study_id SET DEFAULT nextval('public.studies_study_id_seq'::regclass);
ALTER TABLE ONLY public.study_directions ALTER COLUMN study_direction_id SET DEFAULT nextval('public.study_directions_study_direction_id_seq'::regclass);
ALTER TABLE ONLY public.study_system_attributes ALTER COLUMN study_system_attribute_id SET DEFAULT nextval('public.study_system_attributes_study_system_attribute_id_seq'::regclass);
ALTER TABLE ONLY public.study_user_attributes ALTER COLUMN study_user_attribute_id SET DEFAULT nextval('public.study_user_attributes_study_user_attribute_id_seq'::regclass);
ALTER TABLE ONLY public.trial_heartbeats ALTER COLUMN trial_heartbeat_id SET DEFAULT nextval('public.trial_heartbeats_trial_heartbeat_id_seq'::regclass);
ALTER TABLE ONLY public.trial_intermediate_values ALTER COLUMN trial_intermediate_value_id SET DEFAULT nextval('public.trial_intermediate_values_trial_intermediate_value_id_seq'::regclass);
ALTER TABLE ONLY public.trial_params ALTER COLUMN param_id SET DEFAULT nextval('public.trial_params_param_id_seq'::regclass);
ALTER TABLE ONLY public.trial_system_attributes ALTER COLUMN trial_system_attribute_id SET DEFAULT nextval('public.trial_system_attributes_trial_system_attribute_id_seq'::regclass);
ALTER TABLE ONLY public.trial_user_attributes ALTER COLUMN trial_user_attribute_id SET DEFAULT nextval('public.trial_user_attributes_trial_user_attribute_id_seq'::regclass);
ALTER TABLE ONLY public.trial_values ALTER COLUMN trial_value_id SET DEFAULT nextval('public.trial_values_trial_value_id_seq'::regclass);
ALTER TABLE ONLY public.trials ALTER COLUMN trial_id SET DEFAULT nextval('public.trials_trial_id_seq'::regclass);
INSERT INTO public.alembic_version VALUES ('v3.2.0.a');
INSERT INTO public.studies VALUES (1, 'golden');
INSERT INTO public.study_directions VALUES (1, 'MINIMIZE', 1, 0);
INSERT INTO public.study_user_attributes VALUES (1, 1, 'settings', '"{\"name\":\"golden\",\"dataset\":\"synthetic:rows=80,dim=4,m=4,cardinality=2\",\"labels\":null,\"split\":null,\"fingerprint\":\"f1114954c37be86a09f65753fe80d4e8b5e8be6cbc08f316843b841e114ac4a2\",\"space\":{\"parameters\":[{\"name\":\"algorithm\",\"type\":\"fixed\",\"value\":\"topada\"},{\"name\":\"loops\",\"type\":\"fixed\",\"value\":4},{\"name\":\"n_learners\",\"type\":\"int\",\"low\":1,\"high\":3},{\"name\":\"rho\",\"type\":\"float\",\"low\":0.05,\"high\":0.3},{\"name\":\"weight_cap\",\"type\":\"choice\",\"options\":[null,10]}]},\"sampler\":\"tpe\",\"pruner\":\"median\",\"protocol\":\"validation\",\"holdout\":\"random:0.25:0\",\"seeds\":2,\"seed\":0,\"runtime_objective\":false,\"deterministic\":false,\"first\":[{\"algorithm\":\"topada\",\"loops\":4,\"n_learners\":2,\"rho\":0.1,\"weight_cap\":null}]}"');
INSERT INTO public.study_user_attributes VALUES (3, 1, 'budget', '{"trials": 10, "target": null, "patience": 50}');
INSERT INTO public.study_user_attributes VALUES (4, 1, 'confirmed:1', '"{\"trial\": 1, \"config\": {\"algorithm\": \"topada\", \"loops\": 4, \"n_learners\": 3, \"rho\": 0.22885788149361846, \"weight_cap\": 10}, \"runs\": [{\"seed\": 1000000, \"loop\": [4], \"train_loss\": [0.07291666666666666], \"loss\": [0.13541666666666666], \"ties\": [0.0], \"rank\": [null], \"hinge\": [null], \"seconds\": [0.0014134079999621463], \"rounds\": [224], \"split_attempts\": [616], \"nodes\": [111], \"bytes\": [40568]}, {\"seed\": 1000001, \"loop\": [4], \"train_loss\": [0.05654761904761905], \"loss\": [0.1909722222222222], \"ties\": [0.0], \"rank\": [null], \"hinge\": [null], \"seconds\": [0.0015022420000150305], \"rounds\": [224], \"split_attempts\": [771], \"nodes\": [171], \"bytes\": [54152]}]}"');
INSERT INTO public.study_user_attributes VALUES (5, 1, 'confirmed:7', '"{\"trial\": 7, \"config\": {\"algorithm\": \"topada\", \"loops\": 4, \"n_learners\": 2, \"rho\": 0.1908667976644418, \"weight_cap\": null}, \"runs\": [{\"seed\": 1000000, \"loop\": [4], \"train_loss\": [0.06547619047619048], \"loss\": [0.12499999999999999], \"ties\": [0.0], \"rank\": [null], \"hinge\": [null], \"seconds\": [0.001172912000015458], \"rounds\": [224], \"split_attempts\": [439], \"nodes\": [116], \"bytes\": [29768]}, {\"seed\": 1000001, \"loop\": [4], \"train_loss\": [0.04613095238095238], \"loss\": [0.13541666666666666], \"ties\": [0.0], \"rank\": [null], \"hinge\": [null], \"seconds\": [0.0010277160000100594], \"rounds\": [224], \"split_attempts\": [420], \"nodes\": [68], \"bytes\": [27116]}]}"');
INSERT INTO public.study_user_attributes VALUES (2, 1, 'driver:host-3489-119f1895', '0.0');
INSERT INTO public.trial_intermediate_values VALUES (1, 1, 1, 0.42261904761904756, 'FINITE');
INSERT INTO public.trial_intermediate_values VALUES (2, 1, 2, 0.3333333333333333, 'FINITE');
INSERT INTO public.trial_intermediate_values VALUES (3, 1, 3, 0.3154761904761904, 'FINITE');
INSERT INTO public.trial_intermediate_values VALUES (4, 1, 4, 0.33928571428571425, 'FINITE');
INSERT INTO public.trial_intermediate_values VALUES (5, 1, 5, 0.5416666666666666, 'FINITE');
INSERT INTO public.trial_intermediate_values VALUES (6, 1, 6, 0.2619047619047619, 'FINITE');
INSERT INTO public.trial_intermediate_values VALUES (7, 1, 7, 0.2380952380952381, 'FINITE');
INSERT INTO public.trial_intermediate_values VALUES (8, 1, 8, 0.2857142857142857, 'FINITE');
INSERT INTO public.trial_intermediate_values VALUES (9, 2, 1, 0.7380952380952381, 'FINITE');
INSERT INTO public.trial_intermediate_values VALUES (10, 2, 2, 0.09523809523809523, 'FINITE');
INSERT INTO public.trial_intermediate_values VALUES (11, 2, 3, 0.09523809523809523, 'FINITE');
INSERT INTO public.trial_intermediate_values VALUES (12, 2, 4, 0.07142857142857142, 'FINITE');
INSERT INTO public.trial_intermediate_values VALUES (13, 2, 5, 0.45238095238095244, 'FINITE');
INSERT INTO public.trial_intermediate_values VALUES (14, 2, 6, 0.2857142857142857, 'FINITE');
INSERT INTO public.trial_intermediate_values VALUES (15, 2, 7, 0.255952380952381, 'FINITE');
INSERT INTO public.trial_intermediate_values VALUES (16, 2, 8, 0.255952380952381, 'FINITE');
INSERT INTO public.trial_intermediate_values VALUES (17, 4, 1, 0.6785714285714286, 'FINITE');
INSERT INTO public.trial_intermediate_values VALUES (18, 4, 2, 0.4226190476190476, 'FINITE');
INSERT INTO public.trial_intermediate_values VALUES (19, 4, 3, 0.39285714285714285, 'FINITE');
INSERT INTO public.trial_intermediate_values VALUES (20, 4, 4, 0.4107142857142857, 'FINITE');
INSERT INTO public.trial_intermediate_values VALUES (21, 4, 5, 0.42857142857142855, 'FINITE');
INSERT INTO public.trial_intermediate_values VALUES (22, 4, 6, 0.3095238095238096, 'FINITE');
INSERT INTO public.trial_intermediate_values VALUES (23, 4, 7, 0.3095238095238096, 'FINITE');
INSERT INTO public.trial_intermediate_values VALUES (24, 4, 8, 0.27380952380952384, 'FINITE');
INSERT INTO public.trial_intermediate_values VALUES (25, 5, 1, 0.5654761904761905, 'FINITE');
INSERT INTO public.trial_intermediate_values VALUES (26, 5, 2, 0.29761904761904756, 'FINITE');
INSERT INTO public.trial_intermediate_values VALUES (27, 5, 3, 0.3154761904761904, 'FINITE');
INSERT INTO public.trial_intermediate_values VALUES (28, 5, 4, 0.2976190476190476, 'FINITE');
INSERT INTO public.trial_intermediate_values VALUES (29, 5, 5, 0.36904761904761907, 'FINITE');
INSERT INTO public.trial_intermediate_values VALUES (30, 5, 6, 0.38690476190476186, 'FINITE');
INSERT INTO public.trial_intermediate_values VALUES (31, 5, 7, 0.2619047619047619, 'FINITE');
INSERT INTO public.trial_intermediate_values VALUES (32, 5, 8, 0.2619047619047619, 'FINITE');
INSERT INTO public.trial_intermediate_values VALUES (33, 6, 1, 0.7380952380952381, 'FINITE');
INSERT INTO public.trial_intermediate_values VALUES (34, 6, 2, 0.255952380952381, 'FINITE');
INSERT INTO public.trial_intermediate_values VALUES (35, 6, 3, 0.17857142857142858, 'FINITE');
INSERT INTO public.trial_intermediate_values VALUES (36, 6, 4, 0.1845238095238095, 'FINITE');
INSERT INTO public.trial_intermediate_values VALUES (37, 6, 5, 0.45833333333333337, 'FINITE');
INSERT INTO public.trial_intermediate_values VALUES (38, 6, 6, 0.33333333333333337, 'FINITE');
INSERT INTO public.trial_intermediate_values VALUES (39, 6, 7, 0.2916666666666667, 'FINITE');
INSERT INTO public.trial_intermediate_values VALUES (40, 6, 8, 0.3154761904761905, 'FINITE');
INSERT INTO public.trial_intermediate_values VALUES (41, 7, 1, 0.9, 'FINITE');
INSERT INTO public.trial_intermediate_values VALUES (42, 7, 2, 0.9, 'FINITE');
INSERT INTO public.trial_intermediate_values VALUES (43, 7, 3, 0.9, 'FINITE');
INSERT INTO public.trial_intermediate_values VALUES (44, 8, 1, 0.26785714285714285, 'FINITE');
INSERT INTO public.trial_intermediate_values VALUES (45, 8, 2, 0.20833333333333331, 'FINITE');
INSERT INTO public.trial_intermediate_values VALUES (46, 8, 3, 0.16071428571428573, 'FINITE');
INSERT INTO public.trial_intermediate_values VALUES (47, 8, 4, 0.11904761904761904, 'FINITE');
INSERT INTO public.trial_intermediate_values VALUES (48, 8, 5, 0.4404761904761905, 'FINITE');
INSERT INTO public.trial_intermediate_values VALUES (49, 8, 6, 0.25, 'FINITE');
INSERT INTO public.trial_intermediate_values VALUES (50, 8, 7, 0.23809523809523808, 'FINITE');
INSERT INTO public.trial_intermediate_values VALUES (51, 8, 8, 0.2738095238095238, 'FINITE');
INSERT INTO public.trial_params VALUES (1, 1, 'n_learners', 2, '{"name": "IntDistribution", "attributes": {"log": false, "step": 1, "low": 1, "high": 3}}');
INSERT INTO public.trial_params VALUES (2, 1, 'rho', 0.1, '{"name": "FloatDistribution", "attributes": {"step": null, "low": 0.05, "high": 0.3, "log": false}}');
INSERT INTO public.trial_params VALUES (3, 1, 'weight_cap', 0, '{"name": "CategoricalDistribution", "attributes": {"choices": [null, 10]}}');
INSERT INTO public.trial_params VALUES (4, 2, 'n_learners', 3, '{"name": "IntDistribution", "attributes": {"log": false, "step": 1, "low": 1, "high": 3}}');
INSERT INTO public.trial_params VALUES (5, 2, 'rho', 0.22885788149361846, '{"name": "FloatDistribution", "attributes": {"step": null, "low": 0.05, "high": 0.3, "log": false}}');
INSERT INTO public.trial_params VALUES (6, 2, 'weight_cap', 1, '{"name": "CategoricalDistribution", "attributes": {"choices": [null, 10]}}');
INSERT INTO public.trial_params VALUES (7, 3, 'n_learners', 1, '{"name": "IntDistribution", "attributes": {"log": false, "step": 1, "low": 1, "high": 3}}');
INSERT INTO public.trial_params VALUES (8, 3, 'rho', 0.13101845055182904, '{"name": "FloatDistribution", "attributes": {"step": null, "low": 0.05, "high": 0.3, "log": false}}');
INSERT INTO public.trial_params VALUES (9, 3, 'weight_cap', 1, '{"name": "CategoricalDistribution", "attributes": {"choices": [null, 10]}}');
INSERT INTO public.trial_params VALUES (10, 4, 'n_learners', 1, '{"name": "IntDistribution", "attributes": {"log": false, "step": 1, "low": 1, "high": 3}}');
INSERT INTO public.trial_params VALUES (11, 4, 'rho', 0.131593210199014, '{"name": "FloatDistribution", "attributes": {"step": null, "low": 0.05, "high": 0.3, "log": false}}');
INSERT INTO public.trial_params VALUES (12, 4, 'weight_cap', 0, '{"name": "CategoricalDistribution", "attributes": {"choices": [null, 10]}}');
INSERT INTO public.trial_params VALUES (13, 5, 'n_learners', 1, '{"name": "IntDistribution", "attributes": {"log": false, "step": 1, "low": 1, "high": 3}}');
INSERT INTO public.trial_params VALUES (14, 5, 'rho', 0.07200581089929915, '{"name": "FloatDistribution", "attributes": {"step": null, "low": 0.05, "high": 0.3, "log": false}}');
INSERT INTO public.trial_params VALUES (15, 5, 'weight_cap', 1, '{"name": "CategoricalDistribution", "attributes": {"choices": [null, 10]}}');
INSERT INTO public.trial_params VALUES (16, 6, 'n_learners', 3, '{"name": "IntDistribution", "attributes": {"log": false, "step": 1, "low": 1, "high": 3}}');
INSERT INTO public.trial_params VALUES (17, 6, 'rho', 0.2451799036827998, '{"name": "FloatDistribution", "attributes": {"step": null, "low": 0.05, "high": 0.3, "log": false}}');
INSERT INTO public.trial_params VALUES (18, 6, 'weight_cap', 0, '{"name": "CategoricalDistribution", "attributes": {"choices": [null, 10]}}');
INSERT INTO public.trial_params VALUES (19, 7, 'n_learners', 2, '{"name": "IntDistribution", "attributes": {"log": false, "step": 1, "low": 1, "high": 3}}');
INSERT INTO public.trial_params VALUES (20, 7, 'rho', 0.25455462463671674, '{"name": "FloatDistribution", "attributes": {"step": null, "low": 0.05, "high": 0.3, "log": false}}');
INSERT INTO public.trial_params VALUES (21, 7, 'weight_cap', 1, '{"name": "CategoricalDistribution", "attributes": {"choices": [null, 10]}}');
INSERT INTO public.trial_params VALUES (22, 8, 'n_learners', 2, '{"name": "IntDistribution", "attributes": {"log": false, "step": 1, "low": 1, "high": 3}}');
INSERT INTO public.trial_params VALUES (23, 8, 'rho', 0.1908667976644418, '{"name": "FloatDistribution", "attributes": {"step": null, "low": 0.05, "high": 0.3, "log": false}}');
INSERT INTO public.trial_params VALUES (24, 8, 'weight_cap', 0, '{"name": "CategoricalDistribution", "attributes": {"choices": [null, 10]}}');
INSERT INTO public.trial_params VALUES (25, 9, 'n_learners', 3, '{"name": "IntDistribution", "attributes": {"log": false, "step": 1, "low": 1, "high": 3}}');
INSERT INTO public.trial_params VALUES (26, 9, 'rho', 0.24934592227440439, '{"name": "FloatDistribution", "attributes": {"step": null, "low": 0.05, "high": 0.3, "log": false}}');
INSERT INTO public.trial_params VALUES (27, 9, 'weight_cap', 0, '{"name": "CategoricalDistribution", "attributes": {"choices": [null, 10]}}');
INSERT INTO public.trial_system_attributes VALUES (1, 1, 'fixed_params', '{"algorithm": "topada", "loops": 4, "n_learners": 2, "rho": 0.1, "weight_cap": null}');
INSERT INTO public.trial_user_attributes VALUES (1, 1, 'config', '"{\"algorithm\": \"topada\", \"loops\": 4, \"n_learners\": 2, \"rho\": 0.1, \"weight_cap\": null}"');
INSERT INTO public.trial_user_attributes VALUES (2, 1, 'driver', '"host-3489-119f1895"');
INSERT INTO public.trial_user_attributes VALUES (3, 2, 'config', '"{\"algorithm\": \"topada\", \"loops\": 4, \"n_learners\": 3, \"rho\": 0.22885788149361846, \"weight_cap\": 10}"');
INSERT INTO public.trial_user_attributes VALUES (4, 2, 'driver', '"host-3489-119f1895"');
INSERT INTO public.trial_user_attributes VALUES (5, 1, 'runs', '"[{\"seed\": 0, \"loop\": [1, 2, 3, 4], \"train_loss\": [0.6964285714285714, 0.20436507936507933, 0.09722222222222221, 0.09126984126984126], \"loss\": [0.42261904761904756, 0.3333333333333333, 0.3154761904761904, 0.33928571428571425], \"ties\": [0.0, 0.0, 0.0, 0.0], \"rank\": [1.5, 1.2142857142857142, 1.1428571428571428, 1.2142857142857142], \"hinge\": [3.551492451449756, 3.4848564292954296, 3.4287157927886027, 3.320164469585093], \"seconds\": [0.000507803999994394, 0.0006986569999867243, 0.0008429009999986192, 0.0010457629999791607], \"rounds\": [42, 84, 126, 168], \"split_attempts\": [59, 97, 145, 192], \"nodes\": [20, 28, 40, 54], \"bytes\": [7376, 10788, 11064, 16148]}, {\"seed\": 1, \"loop\": [1, 2, 3, 4], \"train_loss\": [0.7063492063492064, 0.5952380952380951, 0.10119047619047616, 0.06547619047619048], \"loss\": [0.5416666666666666, 0.2619047619047619, 0.2380952380952381, 0.2857142857142857], \"ties\": [0.0, 0.0, 0.0, 0.0], \"rank\": [1.9285714285714286, 0.9285714285714286, 0.8571428571428571, 1.0], \"hinge\": [3.5738330468257007, 3.5478685635430454, 3.4627080043825322, 3.3702017668207724], \"seconds\": [0.0004031290000057197, 0.0006408219999798348, 0.0010768099999722835, 0.0013234869999791954], \"rounds\": [42, 84, 126, 168], \"split_attempts\": [102, 198, 294, 388], \"nodes\": [22, 40, 54, 58], \"bytes\": [7376, 11064, 16148, 22756]}]"');
INSERT INTO public.trial_user_attributes VALUES (6, 1, 'error', 'null');
INSERT INTO public.trial_user_attributes VALUES (7, 1, 'reused', '0');
INSERT INTO public.trial_user_attributes VALUES (8, 1, 'attempts', '1');
INSERT INTO public.trial_user_attributes VALUES (9, 1, 'host', '"here"');
INSERT INTO public.trial_user_attributes VALUES (10, 1, 'best_loop', '3');
INSERT INTO public.trial_user_attributes VALUES (11, 1, 'spread', '0.05471659616324469');
INSERT INTO public.trial_user_attributes VALUES (12, 3, 'config', '"{\"algorithm\": \"topada\", \"loops\": 4, \"n_learners\": 1, \"rho\": 0.13101845055182904, \"weight_cap\": 10}"');
INSERT INTO public.trial_user_attributes VALUES (13, 3, 'driver', '"host-3489-119f1895"');
INSERT INTO public.trial_user_attributes VALUES (14, 2, 'runs', '"[{\"seed\": 0, \"loop\": [1, 2, 3, 4], \"train_loss\": [0.6428571428571429, 0.45436507936507936, 0.09325396825396826, 0.06349206349206349], \"loss\": [0.7380952380952381, 0.09523809523809523, 0.09523809523809523, 0.07142857142857142], \"ties\": [0.0, 0.0, 0.0, 0.0], \"rank\": [2.642857142857143, 0.35714285714285715, 0.35714285714285715, 0.2857142857142857], \"hinge\": [3.694258259032637, 3.298692123519568, 2.432915694288352, 1.5898404209136692], \"seconds\": [0.0004367079999951784, 0.0007239839999897413, 0.0009903289999897424, 0.0011665609999909066], \"rounds\": [42, 84, 126, 168], \"split_attempts\": [100, 186, 282, 376], \"nodes\": [27, 51, 69, 83], \"bytes\": [10788, 16148, 24116, 24116]}, {\"seed\": 1, \"loop\": [1, 2, 3, 4], \"train_loss\": [0.27579365079365076, 0.1349206349206349, 0.07142857142857142, 0.09523809523809523], \"loss\": [0.45238095238095244, 0.2857142857142857, 0.255952380952381, 0.255952380952381], \"ties\": [0.0, 0.0, 0.0, 0.0], \"rank\": [1.5714285714285714, 0.9285714285714286, 0.8571428571428571, 0.8571428571428571], \"hinge\": [3.041416473412918, 2.655720212383469, 2.0994530198643355, 1.9766381731450708], \"seconds\": [0.0004249209999898085, 0.0006274519999465156, 0.0008895909999750984, 0.0010265039999808323], \"rounds\": [42, 84, 126, 168], \"split_attempts\": [97, 178, 276, 357], \"nodes\": [31, 43, 67, 75], \"bytes\": [11064, 16148, 24116, 24116]}]"');
INSERT INTO public.trial_user_attributes VALUES (15, 2, 'error', 'null');
INSERT INTO public.trial_user_attributes VALUES (16, 2, 'reused', '0');
INSERT INTO public.trial_user_attributes VALUES (17, 2, 'attempts', '1');
INSERT INTO public.trial_user_attributes VALUES (18, 2, 'host', '"here"');
INSERT INTO public.trial_user_attributes VALUES (19, 2, 'best_loop', '4');
INSERT INTO public.trial_user_attributes VALUES (20, 2, 'spread', '0.1304780370046606');
INSERT INTO public.trial_user_attributes VALUES (21, 4, 'config', '"{\"algorithm\": \"topada\", \"loops\": 4, \"n_learners\": 1, \"rho\": 0.131593210199014, \"weight_cap\": null}"');
INSERT INTO public.trial_user_attributes VALUES (22, 4, 'driver', '"host-3489-119f1895"');
INSERT INTO public.trial_user_attributes VALUES (23, 3, 'runs', '"[]"');
INSERT INTO public.trial_user_attributes VALUES (24, 3, 'error', '"ValueError: no such luck (train in make.py)"');
INSERT INTO public.trial_user_attributes VALUES (25, 3, 'reused', '0');
INSERT INTO public.trial_user_attributes VALUES (26, 3, 'attempts', '1');
INSERT INTO public.trial_user_attributes VALUES (27, 3, 'host', '"here"');
INSERT INTO public.trial_user_attributes VALUES (28, 3, 'best_loop', 'null');
INSERT INTO public.trial_user_attributes VALUES (29, 3, 'spread', 'null');
INSERT INTO public.trial_user_attributes VALUES (30, 5, 'config', '"{\"algorithm\": \"topada\", \"loops\": 4, \"n_learners\": 1, \"rho\": 0.07200581089929915, \"weight_cap\": 10}"');
INSERT INTO public.trial_user_attributes VALUES (31, 5, 'driver', '"host-3489-119f1895"');
INSERT INTO public.trial_user_attributes VALUES (32, 4, 'runs', '"[{\"seed\": 0, \"loop\": [1, 2, 3, 4], \"train_loss\": [0.7242063492063492, 0.5654761904761905, 0.16666666666666666, 0.16071428571428573], \"loss\": [0.6785714285714286, 0.4226190476190476, 0.39285714285714285, 0.4107142857142857], \"ties\": [0.0, 0.0, 0.0, 0.0], \"rank\": [2.4285714285714284, 1.5, 1.3571428571428572, 1.4285714285714286], \"hinge\": [3.5924079897774073, 3.5595429345620433, 3.499600563527047, 3.4703916289572185], \"seconds\": [0.00033167300000513933, 0.000792097000044123, 0.0009288600000445513, 0.0010429200000316996], \"rounds\": [42, 84, 126, 168], \"split_attempts\": [14, 28, 41, 58], \"nodes\": [11, 19, 23, 27], \"bytes\": [3476, 6880, 7288, 10088]}, {\"seed\": 1, \"loop\": [1, 2, 3, 4], \"train_loss\": [0.4444444444444445, 0.21626984126984128, 0.1626984126984127, 0.13095238095238093], \"loss\": [0.42857142857142855, 0.3095238095238096, 0.3095238095238096, 0.27380952380952384], \"ties\": [0.0, 0.0, 0.0, 0.0], \"rank\": [1.5, 1.0714285714285714, 1.0714285714285714, 0.9285714285714286], \"hinge\": [3.5006185842638806, 3.268454825890348, 3.110333704046993, 2.965061952761198], \"seconds\": [0.0007428539999523309, 0.0009439929999075503, 0.0011418769998954303, 0.001231569999902149], \"rounds\": [42, 84, 126, 168], \"split_attempts\": [49, 109, 165, 218], \"nodes\": [17, 29, 35, 37], \"bytes\": [3880, 7288, 10892, 10892]}]"');
INSERT INTO public.trial_user_attributes VALUES (33, 4, 'error', 'null');
INSERT INTO public.trial_user_attributes VALUES (34, 4, 'reused', '0');
INSERT INTO public.trial_user_attributes VALUES (35, 4, 'attempts', '1');
INSERT INTO public.trial_user_attributes VALUES (36, 4, 'host', '"here"');
INSERT INTO public.trial_user_attributes VALUES (37, 4, 'best_loop', '4');
INSERT INTO public.trial_user_attributes VALUES (38, 4, 'spread', '0.09680628551958684');
INSERT INTO public.trial_user_attributes VALUES (39, 6, 'config', '"{\"algorithm\": \"topada\", \"loops\": 4, \"n_learners\": 3, \"rho\": 0.2451799036827998, \"weight_cap\": null}"');
INSERT INTO public.trial_user_attributes VALUES (40, 6, 'driver', '"host-3489-119f1895"');
INSERT INTO public.trial_user_attributes VALUES (42, 5, 'error', 'null');
INSERT INTO public.trial_user_attributes VALUES (44, 5, 'attempts', '1');
INSERT INTO public.trial_user_attributes VALUES (46, 5, 'best_loop', '4');
INSERT INTO public.trial_user_attributes VALUES (48, 7, 'config', '"{\"algorithm\": \"topada\", \"loops\": 4, \"n_learners\": 2, \"rho\": 0.25455462463671674, \"weight_cap\": 10}"');
INSERT INTO public.trial_user_attributes VALUES (49, 7, 'driver', '"host-3489-119f1895"');
INSERT INTO public.trial_user_attributes VALUES (51, 6, 'error', 'null');
INSERT INTO public.trial_user_attributes VALUES (53, 6, 'attempts', '1');
INSERT INTO public.trial_user_attributes VALUES (55, 6, 'best_loop', '3');
INSERT INTO public.trial_user_attributes VALUES (57, 8, 'config', '"{\"algorithm\": \"topada\", \"loops\": 4, \"n_learners\": 2, \"rho\": 0.1908667976644418, \"weight_cap\": null}"');
INSERT INTO public.trial_user_attributes VALUES (58, 8, 'driver', '"host-3489-119f1895"');
INSERT INTO public.trial_user_attributes VALUES (60, 7, 'error', 'null');
INSERT INTO public.trial_user_attributes VALUES (62, 7, 'attempts', '1');
INSERT INTO public.trial_user_attributes VALUES (64, 7, 'best_loop', '1');
INSERT INTO public.trial_user_attributes VALUES (41, 5, 'runs', '"[{\"seed\": 0, \"loop\": [1, 2, 3, 4], \"train_loss\": [0.7281746031746031, 0.4166666666666667, 0.1349206349206349, 0.11309523809523807], \"loss\": [0.5654761904761905, 0.29761904761904756, 0.3154761904761904, 0.2976190476190476], \"ties\": [0.0, 0.0, 0.0, 0.0], \"rank\": [2.0, 1.0714285714285714, 1.1428571428571428, 1.0714285714285714], \"hinge\": [3.5718661974928776, 3.5627504612965524, 3.5043381916860477, 3.4084600920531187], \"seconds\": [0.000314047000017581, 0.0004735239999718033, 0.0006289749999837113, 0.0006956839999929798], \"rounds\": [42, 84, 126, 168], \"split_attempts\": [13, 25, 40, 55], \"nodes\": [7, 15, 23, 27], \"bytes\": [3392, 4948, 7288, 7288]}, {\"seed\": 1, \"loop\": [1, 2, 3, 4], \"train_loss\": [0.3908730158730159, 0.19246031746031744, 0.13095238095238096, 0.09325396825396824], \"loss\": [0.36904761904761907, 0.38690476190476186, 0.2619047619047619, 0.2619047619047619], \"ties\": [0.0, 0.0, 0.0, 0.0], \"rank\": [1.3571428571428572, 1.4285714285714286, 1.0, 1.0], \"hinge\": [3.504774307039287, 3.4440701990430185, 3.310762366413422, 3.244725075169459], \"seconds\": [0.0002868359999865788, 0.0006562849999909304, 0.0007823120000125527, 0.0008725359999743887], \"rounds\": [42, 84, 126, 168], \"split_attempts\": [54, 109, 157, 201], \"nodes\": [9, 17, 21, 23], \"bytes\": [3392, 6880, 7288, 7288]}]"');
INSERT INTO public.trial_user_attributes VALUES (43, 5, 'reused', '0');
INSERT INTO public.trial_user_attributes VALUES (45, 5, 'host', '"here"');
INSERT INTO public.trial_user_attributes VALUES (47, 5, 'spread', '0.025253813613805257');
INSERT INTO public.trial_user_attributes VALUES (50, 6, 'runs', '"[{\"seed\": 0, \"loop\": [1, 2, 3, 4], \"train_loss\": [0.6408730158730158, 0.496031746031746, 0.12103174603174602, 0.051587301587301584], \"loss\": [0.7380952380952381, 0.255952380952381, 0.17857142857142858, 0.1845238095238095], \"ties\": [0.0, 0.0, 0.0, 0.0], \"rank\": [2.642857142857143, 0.9285714285714286, 0.6428571428571429, 0.6428571428571429], \"hinge\": [3.700390793037986, 3.3446394872590632, 2.6932955452960092, 2.230826378945056], \"seconds\": [0.00046896700001752833, 0.0008268690000363677, 0.0011709300000006806, 0.0013772369999855982], \"rounds\": [42, 84, 126, 168], \"split_attempts\": [95, 191, 295, 399], \"nodes\": [29, 55, 75, 87], \"bytes\": [11064, 16556, 24116, 24728]}, {\"seed\": 1, \"loop\": [1, 2, 3, 4], \"train_loss\": [0.27579365079365076, 0.13095238095238096, 0.05952380952380952, 0.08333333333333333], \"loss\": [0.45833333333333337, 0.33333333333333337, 0.2916666666666667, 0.3154761904761905], \"ties\": [0.0, 0.0, 0.0, 0.0], \"rank\": [1.5714285714285714, 1.1428571428571428, 1.0, 1.0714285714285714], \"hinge\": [3.2661670208615017, 2.836874187653028, 2.488838474075784, 2.2894002088839467], \"seconds\": [0.0003771809999761899, 0.0006284739999387057, 0.0009149799999477182, 0.0010386239999320424], \"rounds\": [42, 84, 126, 168], \"split_attempts\": [96, 181, 278, 352], \"nodes\": [31, 49, 73, 77], \"bytes\": [11064, 16148, 24116, 24116]}]"');
INSERT INTO public.trial_user_attributes VALUES (52, 6, 'reused', '0');
INSERT INTO public.trial_user_attributes VALUES (54, 6, 'host', '"here"');
INSERT INTO public.trial_user_attributes VALUES (56, 6, 'spread', '0.07997040977705003');
INSERT INTO public.trial_user_attributes VALUES (59, 7, 'runs', '"[{\"seed\": 0, \"loop\": [1, 2, 3], \"train_loss\": [0.4801587301587301, 0.13888888888888887, 0.09920634920634919], \"loss\": [0.9, 0.9, 0.9], \"ties\": [0.0, 0.0, 0.0], \"rank\": [1.4285714285714286, 1.2142857142857142, 0.8571428571428571], \"hinge\": [3.4702199582874513, 3.2110018252581765, 2.7100682792702964], \"seconds\": [0.0003852820000247448, 0.0005999800000608957, 0.0013958520000869612], \"rounds\": [42, 84, 126], \"split_attempts\": [64, 118, 175], \"nodes\": [18, 34, 48], \"bytes\": [7196, 10788, 16148]}]"');
INSERT INTO public.trial_user_attributes VALUES (61, 7, 'reused', '0');
INSERT INTO public.trial_user_attributes VALUES (63, 7, 'host', '"here"');
INSERT INTO public.trial_user_attributes VALUES (65, 7, 'spread', 'null');
INSERT INTO public.trial_user_attributes VALUES (66, 9, 'config', '"{\"algorithm\": \"topada\", \"loops\": 4, \"n_learners\": 3, \"rho\": 0.24934592227440439, \"weight_cap\": null}"');
INSERT INTO public.trial_user_attributes VALUES (67, 9, 'driver', '"host-3489-119f1895"');
INSERT INTO public.trial_user_attributes VALUES (69, 8, 'error', 'null');
INSERT INTO public.trial_user_attributes VALUES (71, 8, 'attempts', '1');
INSERT INTO public.trial_user_attributes VALUES (73, 8, 'best_loop', '4');
INSERT INTO public.trial_user_attributes VALUES (68, 8, 'runs', '"[{\"seed\": 0, \"loop\": [1, 2, 3, 4], \"train_loss\": [0.6329365079365078, 0.14087301587301587, 0.04563492063492063, 0.031746031746031744], \"loss\": [0.26785714285714285, 0.20833333333333331, 0.16071428571428573, 0.11904761904761904], \"ties\": [0.0, 0.0, 0.0, 0.0], \"rank\": [0.9285714285714286, 0.7142857142857143, 0.5714285714285714, 0.42857142857142855], \"hinge\": [3.4603379575128783, 3.1869766691352726, 2.7099104465065196, 2.221475151614277], \"seconds\": [0.00044555199997375894, 0.000704826999992747, 0.0009631199999944329, 0.0011426270000356453], \"rounds\": [42, 84, 126, 168], \"split_attempts\": [61, 110, 170, 220], \"nodes\": [20, 40, 60, 72], \"bytes\": [7376, 15264, 16556, 24116]}, {\"seed\": 1, \"loop\": [1, 2, 3, 4], \"train_loss\": [0.5396825396825397, 0.22222222222222218, 0.1468253968253968, 0.1468253968253968], \"loss\": [0.4404761904761905, 0.25, 0.23809523809523808, 0.2738095238095238], \"ties\": [0.0, 0.0, 0.017857142857142856, 0.0], \"rank\": [1.5714285714285714, 0.9285714285714286, 0.8571428571428571, 1.0], \"hinge\": [3.477655730761232, 3.1118921481537503, 2.3264705169808693, 2.0754860337706678], \"seconds\": [0.00031566900003099363, 0.0006755130000328791, 0.00102683500006151, 0.0012255400000640293], \"rounds\": [42, 84, 126, 168], \"split_attempts\": [88, 186, 296, 410], \"nodes\": [20, 42, 62, 64], \"bytes\": [5576, 11948, 16556, 22756]}]"');
INSERT INTO public.trial_user_attributes VALUES (70, 8, 'reused', '0');
INSERT INTO public.trial_user_attributes VALUES (72, 8, 'host', '"here"');
INSERT INTO public.trial_user_attributes VALUES (74, 8, 'spread', '0.10943319232648949');
INSERT INTO public.trial_values VALUES (1, 1, 0, 0.27678571428571425, 'FINITE');
INSERT INTO public.trial_values VALUES (2, 2, 0, 0.16369047619047622, 'FINITE');
INSERT INTO public.trial_values VALUES (3, 4, 0, 0.34226190476190477, 'FINITE');
INSERT INTO public.trial_values VALUES (4, 5, 0, 0.27976190476190477, 'FINITE');
INSERT INTO public.trial_values VALUES (5, 6, 0, 0.23511904761904762, 'FINITE');
INSERT INTO public.trial_values VALUES (6, 8, 0, 0.1964285714285714, 'FINITE');
INSERT INTO public.trials VALUES (1, 0, 1, 'COMPLETE', '2026-11-17 19:28:07.898379', '2026-11-17 19:28:08.063238');
INSERT INTO public.trials VALUES (2, 1, 1, 'COMPLETE', '2026-11-17 19:28:07.953641', '2026-11-17 19:28:08.138372');
INSERT INTO public.trials VALUES (3, 2, 1, 'FAIL', '2026-11-17 19:28:08.071743', '2026-11-17 19:28:08.200832');
INSERT INTO public.trials VALUES (4, 3, 1, 'COMPLETE', '2026-11-17 19:28:08.147106', '2026-11-17 19:28:08.276051');
INSERT INTO public.trials VALUES (5, 4, 1, 'COMPLETE', '2026-11-17 19:28:08.207741', '2026-11-17 19:28:08.376128');
INSERT INTO public.trials VALUES (6, 5, 1, 'COMPLETE', '2026-11-17 19:28:08.293213', '2026-11-17 19:28:08.451858');
INSERT INTO public.trials VALUES (7, 6, 1, 'PRUNED', '2026-11-17 19:28:08.389778', '2026-11-17 19:28:08.511956');
INSERT INTO public.trials VALUES (8, 7, 1, 'COMPLETE', '2026-11-17 19:28:08.460623', '2026-11-17 19:28:08.557494');
INSERT INTO public.trials VALUES (9, 8, 1, 'WAITING', '2026-11-17 19:28:08.518488', NULL);
INSERT INTO public.version_info VALUES (1, 12, '5.0.0');
SELECT pg_catalog.setval('public.studies_study_id_seq', 1, true);
SELECT pg_catalog.setval('public.study_directions_study_direction_id_seq', 1, true);
SELECT pg_catalog.setval('public.study_system_attributes_study_system_attribute_id_seq', 1, false);
SELECT pg_catalog.setval('public.study_user_attributes_study_user_attribute_id_seq', 5, true);
SELECT pg_catalog.setval('public.trial_heartbeats_trial_heartbeat_id_seq', 1, false);
SELECT pg_catalog.setval('public.trial_intermediate_values_trial_intermediate_value_id_seq', 51, true);
SELECT pg_catalog.setval('public.trial_params_param_id_seq', 27, true);
SELECT pg_catalog.setval('public.trial_system_attributes_trial_system_attribute_id_seq', 1, true);
SELECT pg_catalog.setval('public.trial_user_attributes_trial_user_attribute_id_seq', 74, true);
SELECT pg_catalog.setval('public.trial_values_trial_value_id_seq', 6, true);
SELECT pg_catalog.setval('public.trials_trial_id_seq', 9, true);
ALTER TABLE ONLY public.alembic_version
    ADD CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num);
ALTER TABLE ONLY public.studies
    ADD CONSTRAINT studies_pkey PRIMARY KEY (study_id);
ALTER TABLE ONLY public.study_directions
    ADD CONSTRAINT study_directions_pkey PRIMARY KEY (study_direction_id);
ALTER TABLE ONLY public.study_directions
    ADD CONSTRAINT study_directions_study_id_objective_key UNIQUE (study_id, objective);
ALTER TABLE ONLY public.study_system_attributes
    ADD CONSTRAINT study_system_attributes_pkey PRIMARY KEY (study_system_attribute_id);
ALTER TABLE ONLY public.study_system_attributes
    ADD CONSTRAINT study_system_attributes_study_id_key_key UNIQUE (study_id, key);
ALTER TABLE ONLY public.study_user_attributes
    ADD CONSTRAINT study_user_attributes_pkey PRIMARY KEY (study_user_attribute_id);
ALTER TABLE ONLY public.study_user_attributes
    ADD CONSTRAINT study_user_attributes_study_id_key_key UNIQUE (study_id, key);
ALTER TABLE ONLY public.trial_heartbeats
    ADD CONSTRAINT trial_heartbeats_pkey PRIMARY KEY (trial_heartbeat_id);
ALTER TABLE ONLY public.trial_heartbeats
    ADD CONSTRAINT trial_heartbeats_trial_id_key UNIQUE (trial_id);
ALTER TABLE ONLY public.trial_intermediate_values
    ADD CONSTRAINT trial_intermediate_values_pkey PRIMARY KEY (trial_intermediate_value_id);
ALTER TABLE ONLY public.trial_intermediate_values
    ADD CONSTRAINT trial_intermediate_values_trial_id_step_key UNIQUE (trial_id, step);
ALTER TABLE ONLY public.trial_params
    ADD CONSTRAINT trial_params_pkey PRIMARY KEY (param_id);
ALTER TABLE ONLY public.trial_params
    ADD CONSTRAINT trial_params_trial_id_param_name_key UNIQUE (trial_id, param_name);
ALTER TABLE ONLY public.trial_system_attributes
    ADD CONSTRAINT trial_system_attributes_pkey PRIMARY KEY (trial_system_attribute_id);
ALTER TABLE ONLY public.trial_system_attributes
    ADD CONSTRAINT trial_system_attributes_trial_id_key_key UNIQUE (trial_id, key);
ALTER TABLE ONLY public.trial_user_attributes
    ADD CONSTRAINT trial_user_attributes_pkey PRIMARY KEY (trial_user_attribute_id);
ALTER TABLE ONLY public.trial_user_attributes
    ADD CONSTRAINT trial_user_attributes_trial_id_key_key UNIQUE (trial_id, key);
ALTER TABLE ONLY public.trial_values
    ADD CONSTRAINT trial_values_pkey PRIMARY KEY (trial_value_id);
ALTER TABLE ONLY public.trial_values
    ADD CONSTRAINT trial_values_trial_id_objective_key UNIQUE (trial_id, objective);
ALTER TABLE ONLY public.trials
    ADD CONSTRAINT trials_pkey PRIMARY KEY (trial_id);
ALTER TABLE ONLY public.version_info
    ADD CONSTRAINT version_info_pkey PRIMARY KEY (version_info_id);
CREATE UNIQUE INDEX ix_studies_study_name ON public.studies USING btree (study_name);
CREATE INDEX ix_trials_study_id ON public.trials USING btree (study_id);
ALTER TABLE ONLY public.study_directions
    ADD CONSTRAINT study_directions_study_id_fkey FOREIGN KEY (study_id) REFERENCES public.studies(study_id);
ALTER TABLE ONLY public.study_system_attributes
    ADD CONSTRAINT study_system_attributes_study_id_fkey FOREIGN KEY (study_id) REFERENCES public.studies(study_id);
ALTER TABLE ONLY public.study_user_attributes
    ADD CONSTRAINT study_user_attributes_study_id_fkey FOREIGN KEY (study_id) REFERENCES public.studies(study_id);
ALTER TABLE ONLY public.trial_heartbeats
    ADD CONSTRAINT trial_heartbeats_trial_id_fkey FOREIGN KEY (trial_id) REFERENCES public.trials(trial_id);
ALTER TABLE ONLY public.trial_intermediate_values
    ADD CONSTRAINT trial_intermediate_values_trial_id_fkey FOREIGN KEY (trial_id) REFERENCES public.trials(trial_id);
ALTER TABLE ONLY public.trial_params
    ADD CONSTRAINT trial_params_trial_id_fkey FOREIGN KEY (trial_id) REFERENCES public.trials(trial_id);
ALTER TABLE ONLY public.trial_system_attributes
    ADD CONSTRAINT trial_system_attributes_trial_id_fkey FOREIGN KEY (trial_id) REFERENCES public.trials(trial_id);
ALTER TABLE ONLY public.trial_user_attributes
    ADD CONSTRAINT trial_user_attributes_trial_id_fkey FOREIGN KEY (trial_id) REFERENCES public.trials(trial_id);
ALTER TABLE ONLY public.trial_values
    ADD CONSTRAINT trial_values_trial_id_fkey FOREIGN KEY (trial_id) REFERENCES public.trials(trial_id);
ALTER TABLE ONLY public.trials
    ADD CONSTRAINT trials_study_id_fkey FOREIGN KEY (study_id) REFERENCES public.studies(study_id);
