BEGIN TRANSACTION;
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "alembic_version" VALUES('v3.2.0.a');
CREATE TABLE studies (
	study_id INTEGER NOT NULL, 
	study_name VARCHAR(512) NOT NULL, 
	PRIMARY KEY (study_id)
);
INSERT INTO "studies" VALUES(1,'golden');
CREATE TABLE study_directions (
	study_direction_id INTEGER NOT NULL, 
	direction VARCHAR(8) NOT NULL, 
	study_id INTEGER NOT NULL, 
	objective INTEGER NOT NULL, 
	PRIMARY KEY (study_direction_id), 
	UNIQUE (study_id, objective), 
	FOREIGN KEY(study_id) REFERENCES studies (study_id)
);
INSERT INTO "study_directions" VALUES(1,'MINIMIZE',1,0);
CREATE TABLE study_system_attributes (
	study_system_attribute_id INTEGER NOT NULL, 
	study_id INTEGER, 
	"key" VARCHAR(512), 
	value_json TEXT, 
	PRIMARY KEY (study_system_attribute_id), 
	UNIQUE (study_id, "key"), 
	FOREIGN KEY(study_id) REFERENCES studies (study_id)
);
CREATE TABLE study_user_attributes (
	study_user_attribute_id INTEGER NOT NULL, 
	study_id INTEGER, 
	"key" VARCHAR(512), 
	value_json TEXT, 
	PRIMARY KEY (study_user_attribute_id), 
	UNIQUE (study_id, "key"), 
	FOREIGN KEY(study_id) REFERENCES studies (study_id)
);
INSERT INTO "study_user_attributes" VALUES(1,1,'settings','"{\"schema\": 2, \"version\": \"0.2.0\", \"name\": \"golden\", \"dataset\": \"synthetic:rows=80,dim=4,m=4,cardinality=2\", \"labels\": null, \"split\": null, \"k\": 3, \"fingerprint\": \"f1114954c37be86a09f65753fe80d4e8b5e8be6cbc08f316843b841e114ac4a2\", \"space\": {\"parameters\": [{\"name\": \"algorithm\", \"type\": \"fixed\", \"value\": \"topada\"}, {\"name\": \"loops\", \"type\": \"fixed\", \"value\": 2}, {\"name\": \"n_learners\", \"type\": \"int\", \"low\": 1, \"high\": 3}, {\"name\": \"rho\", \"type\": \"float\", \"low\": 0.05, \"high\": 0.3}, {\"name\": \"weight_cap\", \"type\": \"choice\", \"options\": [null, 10]}]}, \"sampler\": \"tpe\", \"pruner\": \"asha\", \"protocol\": \"validation\", \"holdout\": \"random:0.25:0\", \"seeds\": 2, \"seed\": 0, \"objective\": \"shown_loss\", \"direction\": \"minimize\", \"exploration_cost\": null, \"runtime_objective\": false, \"deterministic\": false, \"first\": [], \"origins\": []}"');
INSERT INTO "study_user_attributes" VALUES(2,1,'driver:somewhere-29469-5b2436e1','0.0');
INSERT INTO "study_user_attributes" VALUES(3,1,'descriptors','{"rows": 56, "features": 4, "labels": 4, "cardinality": 2.036, "density": 1.0}');
INSERT INTO "study_user_attributes" VALUES(4,1,'context','"{\"schema\": 2, \"version\": \"0.2.0\", \"shape\": [4, 4], \"tuning\": [{\"name\": \"label frequency\", \"loss\": 0.494047619047619, \"needs_all_labels\": false}], \"test\": [{\"name\": \"label frequency\", \"loss\": 0.48263888888888884, \"needs_all_labels\": false}]}"');
INSERT INTO "study_user_attributes" VALUES(5,1,'tracking:id','"a97750d6cf4a4db78d0eaab8f6b2e7ee"');
INSERT INTO "study_user_attributes" VALUES(6,1,'budget','{"trials": 4, "target": null, "patience": null, "settled": null, "failures": 10}');
INSERT INTO "study_user_attributes" VALUES(7,1,'ended','"all 4 trials are done"');
INSERT INTO "study_user_attributes" VALUES(8,1,'driver:somewhere-29621-82c57e78','0.0');
INSERT INTO "study_user_attributes" VALUES(9,1,'confirmed:2','"{\"schema\": 2, \"version\": \"0.2.0\", \"trial\": 2, \"config\": {\"algorithm\": \"topada\", \"loops\": 2, \"n_learners\": 3, \"rho\": 0.26780608669569883, \"weight_cap\": 10}, \"runs\": [], \"held_runs\": [{\"seed\": 2000000, \"loop\": [2], \"metrics\": {\"shown_loss\": [0.23850217381989244], \"greedy_loss\": [0.14285714285714285], \"stream_loss\": [0.2777268477469086], \"train_loss\": [0.11706349206349205], \"ties\": [0.0], \"rank_loss\": [0.5714285714285714], \"hinge_loss\": [2.4966152928095515], \"average_precision\": [0.9107142857142857], \"one_error\": [0.07142857142857142], \"coverage\": [2.4285714285714284], \"reciprocal_rank\": [0.9642857142857143], \"precision_at_k\": [0.5952380952380952]}, \"seconds\": [0.0014084919985180022], \"rounds\": [84], \"split_attempts\": [307], \"nodes\": [41], \"bytes\": [19272]}, {\"seed\": 2000001, \"loop\": [2], \"metrics\": {\"shown_loss\": [0.23414387671689063], \"greedy_loss\": [0.1369047619047619], \"stream_loss\": [0.3046030132154196], \"train_loss\": [0.1488095238095238], \"ties\": [0.0], \"rank_loss\": [0.42857142857142855], \"hinge_loss\": [1.6192503405480119], \"average_precision\": [0.8988095238095237], \"one_error\": [0.14285714285714285], \"coverage\": [2.642857142857143], \"reciprocal_rank\": [0.9285714285714286], \"precision_at_k\": [0.6666666666666666]}, \"seconds\": [0.0012905880012112902], \"rounds\": [84], \"split_attempts\": [247], \"nodes\": [59], \"bytes\": [26400]}], \"holdout\": \"folds:4:2000000\"}"');
INSERT INTO "study_user_attributes" VALUES(10,1,'confirmed:0','"{\"schema\": 2, \"version\": \"0.2.0\", \"trial\": 0, \"config\": {\"algorithm\": \"topada\", \"loops\": 2, \"n_learners\": 3, \"rho\": 0.19282954493146864, \"weight_cap\": 10}, \"runs\": [{\"seed\": 1000000, \"loop\": [2], \"metrics\": {\"shown_loss\": [0.2505619079822941], \"greedy_loss\": [0.1909722222222222], \"stream_loss\": [0.28619592112768066], \"train_loss\": [0.14434523809523808], \"ties\": [0.0], \"shuffled/shown_loss\": [0.20852178011414146], \"shuffled/greedy_loss\": [0.13888888888888887], \"shuffled/ties\": [0.0], \"frozen/shown_loss\": [0.24775923279108392], \"frozen/greedy_loss\": [0.1875], \"frozen/ties\": [0.0], \"frozen/rank_loss\": [0.6666666666666666], \"frozen/hinge_loss\": [2.0584134905043023], \"frozen/average_precision\": [0.8912037037037037], \"frozen/one_error\": [0.16666666666666666], \"frozen/coverage\": [2.4583333333333335], \"frozen/reciprocal_rank\": [0.9166666666666666], \"frozen/precision_at_k\": [0.5694444444444444]}, \"seconds\": [0.0016894389991648495], \"rounds\": [112], \"split_attempts\": [373], \"nodes\": [95], \"bytes\": [29316]}, {\"seed\": 1000001, \"loop\": [2], \"metrics\": {\"shown_loss\": [0.35145821486586054], \"greedy_loss\": [0.31597222222222215], \"stream_loss\": [0.31081942459331297], \"train_loss\": [0.181547619047619], \"ties\": [0.0], \"shuffled/shown_loss\": [0.2926020358504468], \"shuffled/greedy_loss\": [0.2430555555555555], \"shuffled/ties\": [0.0], \"frozen/shown_loss\": [0.30381273661528746], \"frozen/greedy_loss\": [0.25694444444444436], \"frozen/ties\": [0.0], \"frozen/rank_loss\": [0.9166666666666666], \"frozen/hinge_loss\": [2.0953994251453447], \"frozen/average_precision\": [0.886574074074074], \"frozen/one_error\": [0.041666666666666664], \"frozen/coverage\": [2.75], \"frozen/reciprocal_rank\": [0.9791666666666666], \"frozen/precision_at_k\": [0.5138888888888888]}, \"seconds\": [0.0018089569985022536], \"rounds\": [112], \"split_attempts\": [424], \"nodes\": [135], \"bytes\": [32664]}], \"held_runs\": [{\"seed\": 2000000, \"loop\": [2], \"metrics\": {\"shown_loss\": [0.18770190726515154], \"greedy_loss\": [0.1130952380952381], \"stream_loss\": [0.28459439244698914], \"train_loss\": [0.10714285714285714], \"ties\": [0.0], \"rank_loss\": [0.42857142857142855], \"hinge_loss\": [2.5701245460188145], \"average_precision\": [0.9404761904761906], \"one_error\": [0.0], \"coverage\": [2.357142857142857], \"reciprocal_rank\": [1.0], \"precision_at_k\": [0.5952380952380952]}, \"seconds\": [0.0012767259995598579], \"rounds\": [84], \"split_attempts\": [330], \"nodes\": [51], \"bytes\": [19272]}, {\"seed\": 2000001, \"loop\": [2], \"metrics\": {\"shown_loss\": [0.20211566539137532], \"greedy_loss\": [0.13095238095238093], \"stream_loss\": [0.3150234373801282], \"train_loss\": [0.2242063492063492], \"ties\": [0.0], \"rank_loss\": [0.42857142857142855], \"hinge_loss\": [2.247912027938193], \"average_precision\": [0.9424603174603174], \"one_error\": [0.07142857142857142], \"coverage\": [2.4285714285714284], \"reciprocal_rank\": [0.9642857142857143], \"precision_at_k\": [0.6904761904761905]}, \"seconds\": [0.0012750129990308778], \"rounds\": [84], \"split_attempts\": [238], \"nodes\": [63], \"bytes\": [19704]}], \"holdout\": \"folds:4:2000000\"}"');
CREATE TABLE trial_heartbeats (
	trial_heartbeat_id INTEGER NOT NULL, 
	trial_id INTEGER NOT NULL, 
	heartbeat DATETIME NOT NULL, 
	PRIMARY KEY (trial_heartbeat_id), 
	UNIQUE (trial_id), 
	FOREIGN KEY(trial_id) REFERENCES trials (trial_id)
);
CREATE TABLE trial_intermediate_values (
	trial_intermediate_value_id INTEGER NOT NULL, 
	trial_id INTEGER NOT NULL, 
	step INTEGER NOT NULL, 
	intermediate_value FLOAT, 
	intermediate_value_type VARCHAR(7) NOT NULL, 
	PRIMARY KEY (trial_intermediate_value_id), 
	UNIQUE (trial_id, step), 
	FOREIGN KEY(trial_id) REFERENCES trials (trial_id)
);
INSERT INTO "trial_intermediate_values" VALUES(1,1,1,4.13517451242657263499e-01,'FINITE');
INSERT INTO "trial_intermediate_values" VALUES(2,1,2,3.22230316443240127899e-01,'FINITE');
INSERT INTO "trial_intermediate_values" VALUES(3,1,3,3.60667004779836819494e-01,'FINITE');
INSERT INTO "trial_intermediate_values" VALUES(4,1,4,0.370276176863986,'FINITE');
INSERT INTO "trial_intermediate_values" VALUES(5,2,1,2.91918735536191853441e-01,'FINITE');
INSERT INTO "trial_intermediate_values" VALUES(6,2,2,2.77055788074491271544e-01,'FINITE');
INSERT INTO "trial_intermediate_values" VALUES(7,2,3,5.14862947461700581897e-01,'FINITE');
INSERT INTO "trial_intermediate_values" VALUES(8,2,4,4.75228420897165715341e-01,'FINITE');
INSERT INTO "trial_intermediate_values" VALUES(9,3,1,3.213098187769264924e-01,'FINITE');
INSERT INTO "trial_intermediate_values" VALUES(10,3,2,2.64651956437903179697e-01,'FINITE');
INSERT INTO "trial_intermediate_values" VALUES(11,3,3,5.95882536266039375405e-01,'FINITE');
INSERT INTO "trial_intermediate_values" VALUES(12,3,4,3.86684275321953485615e-01,'FINITE');
INSERT INTO "trial_intermediate_values" VALUES(13,4,1,5.58903904010528806978e-01,'FINITE');
INSERT INTO "trial_intermediate_values" VALUES(14,4,2,3.28643188333007318924e-01,'FINITE');
INSERT INTO "trial_intermediate_values" VALUES(15,4,3,6.33872509114838167398e-01,'FINITE');
CREATE TABLE trial_params (
	param_id INTEGER NOT NULL, 
	trial_id INTEGER, 
	param_name VARCHAR(512), 
	param_value FLOAT, 
	distribution_json TEXT, 
	PRIMARY KEY (param_id), 
	UNIQUE (trial_id, param_name), 
	FOREIGN KEY(trial_id) REFERENCES trials (trial_id)
);
INSERT INTO "trial_params" VALUES(1,1,'n_learners',3.0,'{"name": "IntDistribution", "attributes": {"log": false, "step": 1, "low": 1, "high": 3}}');
INSERT INTO "trial_params" VALUES(2,1,'rho',1.92829544931468643831e-01,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 0.05, "high": 0.3, "log": false}}');
INSERT INTO "trial_params" VALUES(3,1,'weight_cap',1.0,'{"name": "CategoricalDistribution", "attributes": {"choices": [null, 10]}}');
INSERT INTO "trial_params" VALUES(4,2,'n_learners',2.0,'{"name": "IntDistribution", "attributes": {"log": false, "step": 1, "low": 1, "high": 3}}');
INSERT INTO "trial_params" VALUES(5,2,'rho',1.6767494214476719172e-01,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 0.05, "high": 0.3, "log": false}}');
INSERT INTO "trial_params" VALUES(6,2,'weight_cap',1.0,'{"name": "CategoricalDistribution", "attributes": {"choices": [null, 10]}}');
INSERT INTO "trial_params" VALUES(7,3,'n_learners',3.0,'{"name": "IntDistribution", "attributes": {"log": false, "step": 1, "low": 1, "high": 3}}');
INSERT INTO "trial_params" VALUES(8,3,'rho',2.67806086695698830624e-01,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 0.05, "high": 0.3, "log": false}}');
INSERT INTO "trial_params" VALUES(9,3,'weight_cap',1.0,'{"name": "CategoricalDistribution", "attributes": {"choices": [null, 10]}}');
INSERT INTO "trial_params" VALUES(10,4,'n_learners',1.0,'{"name": "IntDistribution", "attributes": {"log": false, "step": 1, "low": 1, "high": 3}}');
INSERT INTO "trial_params" VALUES(11,4,'rho',1.00376738748288382718e-01,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 0.05, "high": 0.3, "log": false}}');
INSERT INTO "trial_params" VALUES(12,4,'weight_cap',1.0,'{"name": "CategoricalDistribution", "attributes": {"choices": [null, 10]}}');
CREATE TABLE trial_system_attributes (
	trial_system_attribute_id INTEGER NOT NULL, 
	trial_id INTEGER, 
	"key" VARCHAR(512), 
	value_json TEXT, 
	PRIMARY KEY (trial_system_attribute_id), 
	UNIQUE (trial_id, "key"), 
	FOREIGN KEY(trial_id) REFERENCES trials (trial_id)
);
CREATE TABLE trial_user_attributes (
	trial_user_attribute_id INTEGER NOT NULL, 
	trial_id INTEGER, 
	"key" VARCHAR(512), 
	value_json TEXT, 
	PRIMARY KEY (trial_user_attribute_id), 
	UNIQUE (trial_id, "key"), 
	FOREIGN KEY(trial_id) REFERENCES trials (trial_id)
);
INSERT INTO "trial_user_attributes" VALUES(1,1,'config','"{\"algorithm\": \"topada\", \"loops\": 2, \"n_learners\": 3, \"rho\": 0.19282954493146864, \"weight_cap\": 10}"');
INSERT INTO "trial_user_attributes" VALUES(2,1,'driver','"somewhere-29469-5b2436e1"');
INSERT INTO "trial_user_attributes" VALUES(3,2,'config','"{\"algorithm\": \"topada\", \"loops\": 2, \"n_learners\": 2, \"rho\": 0.1676749421447672, \"weight_cap\": 10}"');
INSERT INTO "trial_user_attributes" VALUES(4,2,'driver','"somewhere-29469-5b2436e1"');
INSERT INTO "trial_user_attributes" VALUES(5,1,'runs','"{\"schema\": 2, \"version\": \"0.2.0\", \"runs\": [{\"seed\": 0, \"loop\": [1, 2], \"metrics\": {\"shown_loss\": [0.41351745124265726, 0.32223031644324013], \"greedy_loss\": [0.3928571428571429, 0.27976190476190477], \"stream_loss\": [0.47918012715101016, 0.3742799985657149], \"train_loss\": [0.4880952380952381, 0.21428571428571427], \"ties\": [0.0, 0.0], \"rank_loss\": [1.3571428571428572, 1.0], \"hinge_loss\": [3.5072219603421506, 3.218771159012046], \"average_precision\": [0.742063492063492, 0.8392857142857143], \"one_error\": [0.2857142857142857, 0.14285714285714285], \"coverage\": [3.2142857142857144, 2.9285714285714284], \"reciprocal_rank\": [0.8273809523809523, 0.9107142857142857], \"precision_at_k\": [0.5, 0.5238095238095238]}, \"seconds\": [0.0009279780006181682, 0.0016331759998138295], \"rounds\": [42, 84], \"split_attempts\": [92, 191], \"nodes\": [21, 61], \"bytes\": [11964, 19704]}, {\"seed\": 1, \"loop\": [1, 2], \"metrics\": {\"shown_loss\": [0.3606670047798368, 0.370276176863986], \"greedy_loss\": [0.3273809523809524, 0.3392857142857143], \"stream_loss\": [0.5016015286806915, 0.3734792342253691], \"train_loss\": [0.5158730158730159, 0.1845238095238095], \"ties\": [0.0, 0.0], \"rank_loss\": [1.1428571428571428, 1.2142857142857142], \"hinge_loss\": [3.5335683457889964, 3.409985548625678], \"average_precision\": [0.7916666666666667, 0.7718253968253969], \"one_error\": [0.21428571428571427, 0.2857142857142857], \"coverage\": [3.0, 2.9285714285714284], \"reciprocal_rank\": [0.8511904761904762, 0.8333333333333333], \"precision_at_k\": [0.5476190476190477, 0.5714285714285714]}, \"seconds\": [0.0007248370002344018, 0.013484489001712063], \"rounds\": [42, 84], \"split_attempts\": [105, 220], \"nodes\": [23, 47], \"bytes\": [9912, 19272]}]}"');
INSERT INTO "trial_user_attributes" VALUES(6,1,'error','null');
INSERT INTO "trial_user_attributes" VALUES(7,1,'reused','0');
INSERT INTO "trial_user_attributes" VALUES(8,1,'attempts','1');
INSERT INTO "trial_user_attributes" VALUES(9,1,'host','"somewhere"');
INSERT INTO "trial_user_attributes" VALUES(10,1,'best_loop','2');
INSERT INTO "trial_user_attributes" VALUES(11,1,'spread','0.03397355371145176');
INSERT INTO "trial_user_attributes" VALUES(12,3,'config','"{\"algorithm\": \"topada\", \"loops\": 2, \"n_learners\": 3, \"rho\": 0.26780608669569883, \"weight_cap\": 10}"');
INSERT INTO "trial_user_attributes" VALUES(13,3,'driver','"somewhere-29469-5b2436e1"');
INSERT INTO "trial_user_attributes" VALUES(14,2,'runs','"{\"schema\": 2, \"version\": \"0.2.0\", \"runs\": [{\"seed\": 0, \"loop\": [1, 2], \"metrics\": {\"shown_loss\": [0.29191873553619185, 0.27705578807449127], \"greedy_loss\": [0.25, 0.23214285714285715], \"stream_loss\": [0.46862266646974327, 0.3414618937418604], \"train_loss\": [0.4761904761904761, 0.15674603174603174], \"ties\": [0.0, 0.0], \"rank_loss\": [0.8571428571428571, 0.8571428571428571], \"hinge_loss\": [3.404740315075024, 3.1633142648040122], \"average_precision\": [0.8154761904761905, 0.8273809523809524], \"one_error\": [0.2857142857142857, 0.2857142857142857], \"coverage\": [2.7142857142857144, 2.642857142857143], \"reciprocal_rank\": [0.8214285714285714, 0.8392857142857143], \"precision_at_k\": [0.5952380952380952, 0.6190476190476191]}, \"seconds\": [0.0009222600001521641, 0.0012489350010582712], \"rounds\": [42, 84], \"split_attempts\": [61, 119], \"nodes\": [18, 36], \"bytes\": [8748, 12936]}, {\"seed\": 1, \"loop\": [1, 2], \"metrics\": {\"shown_loss\": [0.5148629474617006, 0.4752284208971657], \"greedy_loss\": [0.5178571428571429, 0.47023809523809523], \"stream_loss\": [0.4504568417943314, 0.34971908677613855], \"train_loss\": [0.44642857142857145, 0.19841269841269837], \"ties\": [0.0, 0.0], \"rank_loss\": [1.7857142857142858, 1.6428571428571428], \"hinge_loss\": [3.557283115006267, 3.249625409793437], \"average_precision\": [0.6845238095238095, 0.7162698412698413], \"one_error\": [0.5, 0.42857142857142855], \"coverage\": [3.142857142857143, 3.2142857142857144], \"reciprocal_rank\": [0.7142857142857143, 0.7619047619047619], \"precision_at_k\": [0.5476190476190477, 0.5]}, \"seconds\": [0.0007689720005146228, 0.001112952000767109], \"rounds\": [42, 84], \"split_attempts\": [116, 218], \"nodes\": [22, 46], \"bytes\": [11532, 14304]}]}"');
INSERT INTO "trial_user_attributes" VALUES(15,2,'error','null');
INSERT INTO "trial_user_attributes" VALUES(16,2,'reused','0');
INSERT INTO "trial_user_attributes" VALUES(17,2,'attempts','1');
INSERT INTO "trial_user_attributes" VALUES(18,2,'host','"somewhere"');
INSERT INTO "trial_user_attributes" VALUES(19,2,'best_loop','2');
INSERT INTO "trial_user_attributes" VALUES(20,2,'spread','0.1401292125145049');
INSERT INTO "trial_user_attributes" VALUES(21,4,'config','"{\"algorithm\": \"topada\", \"loops\": 2, \"n_learners\": 1, \"rho\": 0.10037673874828838, \"weight_cap\": 10}"');
INSERT INTO "trial_user_attributes" VALUES(22,4,'driver','"somewhere-29469-5b2436e1"');
INSERT INTO "trial_user_attributes" VALUES(23,3,'runs','"{\"schema\": 2, \"version\": \"0.2.0\", \"runs\": [{\"seed\": 0, \"loop\": [1, 2], \"metrics\": {\"shown_loss\": [0.3213098187769265, 0.2646519564379032], \"greedy_loss\": [0.255952380952381, 0.17857142857142858], \"stream_loss\": [0.5915242391630378, 0.424456183547969], \"train_loss\": [0.6388888888888887, 0.16865079365079363], \"ties\": [0.0, 0.0], \"rank_loss\": [0.9285714285714286, 0.6428571428571429], \"hinge_loss\": [3.447059375528767, 2.7926608738861383], \"average_precision\": [0.8373015873015873, 0.8670634920634921], \"one_error\": [0.2857142857142857, 0.21428571428571427], \"coverage\": [2.642857142857143, 2.4285714285714284], \"reciprocal_rank\": [0.8571428571428571, 0.8928571428571429], \"precision_at_k\": [0.5714285714285714, 0.6428571428571429]}, \"seconds\": [0.0008292720012832433, 0.001243508000698057], \"rounds\": [42, 84], \"split_attempts\": [97, 191], \"nodes\": [29, 49], \"bytes\": [9912, 19272]}, {\"seed\": 1, \"loop\": [1, 2], \"metrics\": {\"shown_loss\": [0.5958825362660394, 0.3866842753219535], \"greedy_loss\": [0.6309523809523808, 0.3452380952380953], \"stream_loss\": [0.5915242391630378, 0.6133157246780467], \"train_loss\": [0.6388888888888888, 0.6845238095238093], \"ties\": [0.0, 0.0], \"rank_loss\": [2.2142857142857144, 1.2857142857142858], \"hinge_loss\": [3.6426776657714335, 3.543111707184117], \"average_precision\": [0.6369047619047619, 0.755952380952381], \"one_error\": [0.5714285714285714, 0.35714285714285715], \"coverage\": [3.4285714285714284, 3.0], \"reciprocal_rank\": [0.6607142857142857, 0.7976190476190476], \"precision_at_k\": [0.4523809523809524, 0.5476190476190477]}, \"seconds\": [0.0006883719997858861, 0.001243606999196345], \"rounds\": [42, 84], \"split_attempts\": [106, 216], \"nodes\": [21, 47], \"bytes\": [11772, 19272]}]}"');
INSERT INTO "trial_user_attributes" VALUES(24,3,'error','null');
INSERT INTO "trial_user_attributes" VALUES(25,3,'reused','0');
INSERT INTO "trial_user_attributes" VALUES(26,3,'attempts','1');
INSERT INTO "trial_user_attributes" VALUES(27,3,'host','"somewhere"');
INSERT INTO "trial_user_attributes" VALUES(28,3,'best_loop','2');
INSERT INTO "trial_user_attributes" VALUES(29,3,'spread','0.08628988020683115');
INSERT INTO "trial_user_attributes" VALUES(30,4,'runs','"{\"schema\": 2, \"version\": \"0.2.0\", \"runs\": [{\"seed\": 0, \"loop\": [1, 2], \"metrics\": {\"shown_loss\": [0.5589039040105288, 0.3286431883330073], \"greedy_loss\": [0.5654761904761906, 0.3095238095238095], \"stream_loss\": [0.5428392029167481, 0.545516653099045], \"train_loss\": [0.5833333333333334, 0.5535714285714286], \"ties\": [0.0, 0.0], \"rank_loss\": [2.0, 1.0714285714285714], \"hinge_loss\": [3.571454302519398, 3.5713538545340247], \"average_precision\": [0.6666666666666667, 0.8035714285714286], \"one_error\": [0.5, 0.21428571428571427], \"coverage\": [3.357142857142857, 2.9285714285714284], \"reciprocal_rank\": [0.7202380952380952, 0.8511904761904762], \"precision_at_k\": [0.4523809523809524, 0.5476190476190477]}, \"seconds\": [0.0005153950005478691, 0.000684316000842955], \"rounds\": [42, 84], \"split_attempts\": [17, 30], \"nodes\": [1, 3], \"bytes\": [2712, 2964]}, {\"seed\": 1, \"loop\": [1], \"metrics\": {\"shown_loss\": [0.6338725091148382], \"greedy_loss\": [0.6488095238095238], \"stream_loss\": [0.6035280737154748], \"train_loss\": [0.6349206349206349], \"ties\": [0.0], \"rank_loss\": [2.2857142857142856], \"hinge_loss\": [3.5726825365657264], \"average_precision\": [0.5773809523809523], \"one_error\": [0.7142857142857143], \"coverage\": [3.5714285714285716], \"reciprocal_rank\": [0.613095238095238], \"precision_at_k\": [0.4523809523809524]}, \"seconds\": [0.0007716360014455859], \"rounds\": [42], \"split_attempts\": [52], \"nodes\": [9], \"bytes\": [4212]}]}"');
INSERT INTO "trial_user_attributes" VALUES(31,4,'error','null');
INSERT INTO "trial_user_attributes" VALUES(32,4,'reused','0');
INSERT INTO "trial_user_attributes" VALUES(33,4,'attempts','1');
INSERT INTO "trial_user_attributes" VALUES(34,4,'host','"somewhere"');
INSERT INTO "trial_user_attributes" VALUES(35,4,'best_loop','2');
INSERT INTO "trial_user_attributes" VALUES(36,4,'spread','null');
INSERT INTO "trial_user_attributes" VALUES(37,4,'paused','true');
CREATE TABLE trial_values (
	trial_value_id INTEGER NOT NULL, 
	trial_id INTEGER NOT NULL, 
	objective INTEGER NOT NULL, 
	value FLOAT, 
	value_type VARCHAR(7) NOT NULL, 
	PRIMARY KEY (trial_value_id), 
	UNIQUE (trial_id, objective), 
	FOREIGN KEY(trial_id) REFERENCES trials (trial_id)
);
INSERT INTO "trial_values" VALUES(1,1,0,3.46253246653613067085e-01,'FINITE');
INSERT INTO "trial_values" VALUES(2,2,0,3.76142104485828521198e-01,'FINITE');
INSERT INTO "trial_values" VALUES(3,3,0,3.25668115879928332656e-01,'FINITE');
CREATE TABLE trials (
	trial_id INTEGER NOT NULL, 
	number INTEGER, 
	study_id INTEGER, 
	state VARCHAR(8) NOT NULL, 
	datetime_start DATETIME, 
	datetime_complete DATETIME, 
	PRIMARY KEY (trial_id), 
	FOREIGN KEY(study_id) REFERENCES studies (study_id)
);
INSERT INTO "trials" VALUES(1,0,1,'COMPLETE','2026-11-18 16:48:19.057244','2026-11-18 16:48:19.907843');
INSERT INTO "trials" VALUES(2,1,1,'COMPLETE','2026-11-18 16:48:19.189785','2026-11-18 16:48:20.770175');
INSERT INTO "trials" VALUES(3,2,1,'COMPLETE','2026-11-18 16:48:20.003541','2026-11-18 16:48:21.380897');
INSERT INTO "trials" VALUES(4,3,1,'PRUNED','2026-11-18 16:48:20.875441','2026-11-18 16:48:22.112475');
CREATE TABLE version_info (
	version_info_id INTEGER NOT NULL, 
	schema_version INTEGER, 
	library_version VARCHAR(256), 
	PRIMARY KEY (version_info_id), 
	CHECK (version_info_id=1)
);
INSERT INTO "version_info" VALUES(1,12,'5.0.0');
CREATE UNIQUE INDEX ix_studies_study_name ON studies (study_name);
CREATE INDEX ix_trials_study_id ON trials (study_id);
COMMIT;
