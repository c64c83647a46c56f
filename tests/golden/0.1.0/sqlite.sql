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
INSERT INTO "study_user_attributes" VALUES(1,1,'settings','"{\"name\":\"golden\",\"dataset\":\"synthetic:rows=80,dim=4,m=4,cardinality=2\",\"labels\":null,\"split\":null,\"fingerprint\":\"f1114954c37be86a09f65753fe80d4e8b5e8be6cbc08f316843b841e114ac4a2\",\"space\":{\"parameters\":[{\"name\":\"algorithm\",\"type\":\"fixed\",\"value\":\"topada\"},{\"name\":\"loops\",\"type\":\"fixed\",\"value\":4},{\"name\":\"n_learners\",\"type\":\"int\",\"low\":1,\"high\":3},{\"name\":\"rho\",\"type\":\"float\",\"low\":0.05,\"high\":0.3},{\"name\":\"weight_cap\",\"type\":\"choice\",\"options\":[null,10]}]},\"sampler\":\"tpe\",\"pruner\":\"median\",\"protocol\":\"validation\",\"holdout\":\"random:0.25:0\",\"seeds\":2,\"seed\":0,\"runtime_objective\":false,\"deterministic\":false,\"first\":[{\"algorithm\":\"topada\",\"loops\":4,\"n_learners\":2,\"rho\":0.1,\"weight_cap\":null}]}"');
INSERT INTO "study_user_attributes" VALUES(2,1,'driver:host-3489-4eea03d1','0.0');
INSERT INTO "study_user_attributes" VALUES(3,1,'budget','{"trials": 10, "target": null, "patience": 50}');
INSERT INTO "study_user_attributes" VALUES(4,1,'confirmed:4','"{\"trial\": 4, \"config\": {\"algorithm\": \"topada\", \"loops\": 3, \"n_learners\": 3, \"rho\": 0.21365168263105727, \"weight_cap\": 10}, \"runs\": [{\"seed\": 1000000, \"loop\": [3], \"train_loss\": [0.08779761904761904], \"loss\": [0.125], \"ties\": [0.0], \"rank\": [null], \"hinge\": [null], \"seconds\": [0.0012196410000910873], \"rounds\": [168], \"split_attempts\": [493], \"nodes\": [91], \"bytes\": [27728]}, {\"seed\": 1000001, \"loop\": [3], \"train_loss\": [0.1101190476190476], \"loss\": [0.29166666666666663], \"ties\": [0.0], \"rank\": [null], \"hinge\": [null], \"seconds\": [0.0013910860000123648], \"rounds\": [168], \"split_attempts\": [609], \"nodes\": [153], \"bytes\": [37092]}]}"');
INSERT INTO "study_user_attributes" VALUES(5,1,'confirmed:5','"{\"trial\": 5, \"config\": {\"algorithm\": \"topada\", \"loops\": 4, \"n_learners\": 2, \"rho\": 0.25525584540724583, \"weight_cap\": null}, \"runs\": [{\"seed\": 1000000, \"loop\": [4], \"train_loss\": [0.03273809523809524], \"loss\": [0.28124999999999994], \"ties\": [0.0], \"rank\": [null], \"hinge\": [null], \"seconds\": [0.0011583909999899333], \"rounds\": [224], \"split_attempts\": [423], \"nodes\": [114], \"bytes\": [29768]}, {\"seed\": 1000001, \"loop\": [4], \"train_loss\": [0.05952380952380952], \"loss\": [0.13888888888888887], \"ties\": [0.0], \"rank\": [null], \"hinge\": [null], \"seconds\": [0.0011765169999193859], \"rounds\": [224], \"split_attempts\": [447], \"nodes\": [90], \"bytes\": [27116]}]}"');
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
INSERT INTO "trial_intermediate_values" VALUES(1,1,1,4.22619047619047560893e-01,'FINITE');
INSERT INTO "trial_intermediate_values" VALUES(2,1,2,3.33333333333333314829e-01,'FINITE');
INSERT INTO "trial_intermediate_values" VALUES(3,1,3,3.15476190476190410105e-01,'FINITE');
INSERT INTO "trial_intermediate_values" VALUES(4,1,4,3.39285714285714246063e-01,'FINITE');
INSERT INTO "trial_intermediate_values" VALUES(5,1,5,5.41666666666666629659e-01,'FINITE');
INSERT INTO "trial_intermediate_values" VALUES(6,1,6,2.61904761904761917978e-01,'FINITE');
INSERT INTO "trial_intermediate_values" VALUES(7,1,7,2.38095238095238109776e-01,'FINITE');
INSERT INTO "trial_intermediate_values" VALUES(8,1,8,2.85714285714285698425e-01,'FINITE');
INSERT INTO "trial_intermediate_values" VALUES(9,2,1,4.34523809523809478871e-01,'FINITE');
INSERT INTO "trial_intermediate_values" VALUES(10,2,2,3.57142857142857150787e-01,'FINITE');
INSERT INTO "trial_intermediate_values" VALUES(11,2,3,3.39285714285714246063e-01,'FINITE');
INSERT INTO "trial_intermediate_values" VALUES(12,2,4,3.15476190476190410105e-01,'FINITE');
INSERT INTO "trial_intermediate_values" VALUES(13,2,5,5.35714285714285698425e-01,'FINITE');
INSERT INTO "trial_intermediate_values" VALUES(14,2,6,2.79761904761904767191e-01,'FINITE');
INSERT INTO "trial_intermediate_values" VALUES(15,2,7,2.0238095238095235584e-01,'FINITE');
INSERT INTO "trial_intermediate_values" VALUES(16,2,8,2.0238095238095235584e-01,'FINITE');
INSERT INTO "trial_intermediate_values" VALUES(17,4,1,6.78571428571428603149e-01,'FINITE');
INSERT INTO "trial_intermediate_values" VALUES(18,4,2,4.22619047619047616404e-01,'FINITE');
INSERT INTO "trial_intermediate_values" VALUES(19,4,3,3.92857142857142849212e-01,'FINITE');
INSERT INTO "trial_intermediate_values" VALUES(20,4,4,3.86904761904761917978e-01,'FINITE');
INSERT INTO "trial_intermediate_values" VALUES(21,4,5,2.67857142857142849212e-01,'FINITE');
INSERT INTO "trial_intermediate_values" VALUES(22,4,6,0.375,'FINITE');
INSERT INTO "trial_intermediate_values" VALUES(23,4,7,0.375,'FINITE');
INSERT INTO "trial_intermediate_values" VALUES(24,4,8,3.09523809523809478871e-01,'FINITE');
INSERT INTO "trial_intermediate_values" VALUES(25,5,1,7.38095238095238137532e-01,'FINITE');
INSERT INTO "trial_intermediate_values" VALUES(26,5,2,1.42857142857142849212e-01,'FINITE');
INSERT INTO "trial_intermediate_values" VALUES(27,5,3,5.95238095238095205052e-02,'FINITE');
INSERT INTO "trial_intermediate_values" VALUES(28,5,4,1.0119047619047617792e-01,'FINITE');
INSERT INTO "trial_intermediate_values" VALUES(29,5,5,4.52380952380952439106e-01,'FINITE');
INSERT INTO "trial_intermediate_values" VALUES(30,5,6,2.85714285714285698425e-01,'FINITE');
INSERT INTO "trial_intermediate_values" VALUES(31,5,7,2.4404761904761904101e-01,'FINITE');
INSERT INTO "trial_intermediate_values" VALUES(32,5,8,2.38095238095238082021e-01,'FINITE');
INSERT INTO "trial_intermediate_values" VALUES(33,6,1,0.375,'FINITE');
INSERT INTO "trial_intermediate_values" VALUES(34,6,2,2.79761904761904767191e-01,'FINITE');
INSERT INTO "trial_intermediate_values" VALUES(35,6,3,2.85714285714285698425e-01,'FINITE');
INSERT INTO "trial_intermediate_values" VALUES(36,6,4,1.90476190476190465616e-01,'FINITE');
INSERT INTO "trial_intermediate_values" VALUES(37,6,5,3.63095238095238082021e-01,'FINITE');
INSERT INTO "trial_intermediate_values" VALUES(38,6,6,1.96428571428571424606e-01,'FINITE');
INSERT INTO "trial_intermediate_values" VALUES(39,6,7,3.15476190476190410105e-01,'FINITE');
INSERT INTO "trial_intermediate_values" VALUES(40,6,8,2.26190476190476191797e-01,'FINITE');
INSERT INTO "trial_intermediate_values" VALUES(41,7,1,0.9,'FINITE');
INSERT INTO "trial_intermediate_values" VALUES(42,7,2,0.9,'FINITE');
INSERT INTO "trial_intermediate_values" VALUES(43,7,3,0.9,'FINITE');
INSERT INTO "trial_intermediate_values" VALUES(44,8,1,6.19047619047619179788e-01,'FINITE');
INSERT INTO "trial_intermediate_values" VALUES(45,8,2,5.7142857142857139685e-01,'FINITE');
INSERT INTO "trial_intermediate_values" VALUES(46,8,3,3.86904761904761862467e-01,'FINITE');
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
INSERT INTO "trial_params" VALUES(1,1,'n_learners',2.0,'{"name": "IntDistribution", "attributes": {"log": false, "step": 1, "low": 1, "high": 3}}');
INSERT INTO "trial_params" VALUES(2,1,'rho',0.1,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 0.05, "high": 0.3, "log": false}}');
INSERT INTO "trial_params" VALUES(3,1,'weight_cap',0.0,'{"name": "CategoricalDistribution", "attributes": {"choices": [null, 10]}}');
INSERT INTO "trial_params" VALUES(4,2,'n_learners',3.0,'{"name": "IntDistribution", "attributes": {"log": false, "step": 1, "low": 1, "high": 3}}');
INSERT INTO "trial_params" VALUES(5,2,'rho',6.37741137981796407663e-02,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 0.05, "high": 0.3, "log": false}}');
INSERT INTO "trial_params" VALUES(6,2,'weight_cap',0.0,'{"name": "CategoricalDistribution", "attributes": {"choices": [null, 10]}}');
INSERT INTO "trial_params" VALUES(7,3,'n_learners',2.0,'{"name": "IntDistribution", "attributes": {"log": false, "step": 1, "low": 1, "high": 3}}');
INSERT INTO "trial_params" VALUES(8,3,'rho',1.6053041855204758237e-01,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 0.05, "high": 0.3, "log": false}}');
INSERT INTO "trial_params" VALUES(9,3,'weight_cap',0.0,'{"name": "CategoricalDistribution", "attributes": {"choices": [null, 10]}}');
INSERT INTO "trial_params" VALUES(10,4,'n_learners',1.0,'{"name": "IntDistribution", "attributes": {"log": false, "step": 1, "low": 1, "high": 3}}');
INSERT INTO "trial_params" VALUES(11,4,'rho',1.3694285153512952835e-01,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 0.05, "high": 0.3, "log": false}}');
INSERT INTO "trial_params" VALUES(12,4,'weight_cap',0.0,'{"name": "CategoricalDistribution", "attributes": {"choices": [null, 10]}}');
INSERT INTO "trial_params" VALUES(13,5,'n_learners',3.0,'{"name": "IntDistribution", "attributes": {"log": false, "step": 1, "low": 1, "high": 3}}');
INSERT INTO "trial_params" VALUES(14,5,'rho',2.13651682631057271422e-01,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 0.05, "high": 0.3, "log": false}}');
INSERT INTO "trial_params" VALUES(15,5,'weight_cap',1.0,'{"name": "CategoricalDistribution", "attributes": {"choices": [null, 10]}}');
INSERT INTO "trial_params" VALUES(16,6,'n_learners',2.0,'{"name": "IntDistribution", "attributes": {"log": false, "step": 1, "low": 1, "high": 3}}');
INSERT INTO "trial_params" VALUES(17,6,'rho',2.55255845407245829381e-01,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 0.05, "high": 0.3, "log": false}}');
INSERT INTO "trial_params" VALUES(18,6,'weight_cap',0.0,'{"name": "CategoricalDistribution", "attributes": {"choices": [null, 10]}}');
INSERT INTO "trial_params" VALUES(19,7,'n_learners',3.0,'{"name": "IntDistribution", "attributes": {"log": false, "step": 1, "low": 1, "high": 3}}');
INSERT INTO "trial_params" VALUES(20,7,'rho',2.26730158363902201124e-01,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 0.05, "high": 0.3, "log": false}}');
INSERT INTO "trial_params" VALUES(21,7,'weight_cap',0.0,'{"name": "CategoricalDistribution", "attributes": {"choices": [null, 10]}}');
INSERT INTO "trial_params" VALUES(22,8,'n_learners',1.0,'{"name": "IntDistribution", "attributes": {"log": false, "step": 1, "low": 1, "high": 3}}');
INSERT INTO "trial_params" VALUES(23,8,'rho',2.19206266050417819535e-01,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 0.05, "high": 0.3, "log": false}}');
INSERT INTO "trial_params" VALUES(24,8,'weight_cap',1.0,'{"name": "CategoricalDistribution", "attributes": {"choices": [null, 10]}}');
INSERT INTO "trial_params" VALUES(25,9,'n_learners',3.0,'{"name": "IntDistribution", "attributes": {"log": false, "step": 1, "low": 1, "high": 3}}');
INSERT INTO "trial_params" VALUES(26,9,'rho',1.52640693210841282834e-01,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 0.05, "high": 0.3, "log": false}}');
INSERT INTO "trial_params" VALUES(27,9,'weight_cap',0.0,'{"name": "CategoricalDistribution", "attributes": {"choices": [null, 10]}}');
CREATE TABLE trial_system_attributes (
	trial_system_attribute_id INTEGER NOT NULL, 
	trial_id INTEGER, 
	"key" VARCHAR(512), 
	value_json TEXT, 
	PRIMARY KEY (trial_system_attribute_id), 
	UNIQUE (trial_id, "key"), 
	FOREIGN KEY(trial_id) REFERENCES trials (trial_id)
);
INSERT INTO "trial_system_attributes" VALUES(1,1,'fixed_params','{"algorithm": "topada", "loops": 4, "n_learners": 2, "rho": 0.1, "weight_cap": null}');
CREATE TABLE trial_user_attributes (
	trial_user_attribute_id INTEGER NOT NULL, 
	trial_id INTEGER, 
	"key" VARCHAR(512), 
	value_json TEXT, 
	PRIMARY KEY (trial_user_attribute_id), 
	UNIQUE (trial_id, "key"), 
	FOREIGN KEY(trial_id) REFERENCES trials (trial_id)
);
INSERT INTO "trial_user_attributes" VALUES(1,1,'config','"{\"algorithm\": \"topada\", \"loops\": 4, \"n_learners\": 2, \"rho\": 0.1, \"weight_cap\": null}"');
INSERT INTO "trial_user_attributes" VALUES(2,1,'driver','"host-3489-4eea03d1"');
INSERT INTO "trial_user_attributes" VALUES(3,2,'config','"{\"algorithm\": \"topada\", \"loops\": 4, \"n_learners\": 3, \"rho\": 0.06377411379817964, \"weight_cap\": null}"');
INSERT INTO "trial_user_attributes" VALUES(4,2,'driver','"host-3489-4eea03d1"');
INSERT INTO "trial_user_attributes" VALUES(5,1,'runs','"[{\"seed\": 0, \"loop\": [1, 2, 3, 4], \"train_loss\": [0.6964285714285714, 0.20436507936507933, 0.09722222222222221, 0.09126984126984126], \"loss\": [0.42261904761904756, 0.3333333333333333, 0.3154761904761904, 0.33928571428571425], \"ties\": [0.0, 0.0, 0.0, 0.0], \"rank\": [1.5, 1.2142857142857142, 1.1428571428571428, 1.2142857142857142], \"hinge\": [3.551492451449756, 3.4848564292954296, 3.4287157927886027, 3.320164469585093], \"seconds\": [0.0004068449999863333, 0.0006025549999435498, 0.00074265299997478, 0.0009138469999925292], \"rounds\": [42, 84, 126, 168], \"split_attempts\": [59, 97, 145, 192], \"nodes\": [20, 28, 40, 54], \"bytes\": [7376, 10788, 11064, 16148]}, {\"seed\": 1, \"loop\": [1, 2, 3, 4], \"train_loss\": [0.7063492063492064, 0.5952380952380951, 0.10119047619047616, 0.06547619047619048], \"loss\": [0.5416666666666666, 0.2619047619047619, 0.2380952380952381, 0.2857142857142857], \"ties\": [0.0, 0.0, 0.0, 0.0], \"rank\": [1.9285714285714286, 0.9285714285714286, 0.8571428571428571, 1.0], \"hinge\": [3.5738330468257007, 3.5478685635430454, 3.4627080043825322, 3.3702017668207724], \"seconds\": [0.00037911300000814663, 0.0006157340000072509, 0.000830102000008992, 0.0010338249999790605], \"rounds\": [42, 84, 126, 168], \"split_attempts\": [102, 198, 294, 388], \"nodes\": [22, 40, 54, 58], \"bytes\": [7376, 11064, 16148, 22756]}]"');
INSERT INTO "trial_user_attributes" VALUES(6,1,'error','null');
INSERT INTO "trial_user_attributes" VALUES(7,1,'reused','0');
INSERT INTO "trial_user_attributes" VALUES(8,1,'attempts','1');
INSERT INTO "trial_user_attributes" VALUES(9,1,'host','"here"');
INSERT INTO "trial_user_attributes" VALUES(10,1,'best_loop','3');
INSERT INTO "trial_user_attributes" VALUES(11,1,'spread','0.05471659616324469');
INSERT INTO "trial_user_attributes" VALUES(12,3,'config','"{\"algorithm\": \"topada\", \"loops\": 4, \"n_learners\": 2, \"rho\": 0.16053041855204758, \"weight_cap\": null}"');
INSERT INTO "trial_user_attributes" VALUES(13,3,'driver','"host-3489-4eea03d1"');
INSERT INTO "trial_user_attributes" VALUES(14,2,'runs','"[{\"seed\": 0, \"loop\": [1, 2, 3, 4], \"train_loss\": [0.7103174603174602, 0.25793650793650796, 0.06746031746031746, 0.049603174603174593], \"loss\": [0.4345238095238095, 0.35714285714285715, 0.33928571428571425, 0.3154761904761904], \"ties\": [0.0, 0.0, 0.0, 0.0], \"rank\": [1.5714285714285714, 1.2142857142857142, 1.1428571428571428, 1.0714285714285714], \"hinge\": [3.5713084471854453, 3.5565450058254418, 3.495733357928134, 3.4577658187036815], \"seconds\": [0.00038337000000865373, 0.0005663819999881525, 0.0007640849999575039, 0.0009679279999659229], \"rounds\": [42, 84, 126, 168], \"split_attempts\": [94, 177, 249, 334], \"nodes\": [19, 27, 41, 57], \"bytes\": [10788, 14988, 16148, 16556]}, {\"seed\": 1, \"loop\": [1, 2, 3, 4], \"train_loss\": [0.3015873015873015, 0.19246031746031744, 0.13095238095238093, 0.10317460317460317], \"loss\": [0.5357142857142857, 0.27976190476190477, 0.20238095238095236, 0.20238095238095236], \"ties\": [0.0, 0.0, 0.0, 0.0], \"rank\": [1.8571428571428572, 0.9285714285714286, 0.7142857142857143, 0.7142857142857143], \"hinge\": [3.529240761312713, 3.126926901220369, 2.684828856707363, 2.405509747348938], \"seconds\": [0.0003579719999606823, 0.0006481929999608838, 0.0008902829999897222, 0.001036419999991267], \"rounds\": [42, 84, 126, 168], \"split_attempts\": [96, 178, 259, 338], \"nodes\": [25, 53, 67, 67], \"bytes\": [10788, 16556, 24116, 24116]}]"');
INSERT INTO "trial_user_attributes" VALUES(15,2,'error','null');
INSERT INTO "trial_user_attributes" VALUES(16,2,'reused','0');
INSERT INTO "trial_user_attributes" VALUES(17,2,'attempts','1');
INSERT INTO "trial_user_attributes" VALUES(18,2,'host','"here"');
INSERT INTO "trial_user_attributes" VALUES(19,2,'best_loop','4');
INSERT INTO "trial_user_attributes" VALUES(20,2,'spread','0.07997040977705');
INSERT INTO "trial_user_attributes" VALUES(21,4,'config','"{\"algorithm\": \"topada\", \"loops\": 4, \"n_learners\": 1, \"rho\": 0.13694285153512953, \"weight_cap\": null}"');
INSERT INTO "trial_user_attributes" VALUES(22,4,'driver','"host-3489-4eea03d1"');
INSERT INTO "trial_user_attributes" VALUES(23,3,'runs','"[]"');
INSERT INTO "trial_user_attributes" VALUES(24,3,'error','"ValueError: no such luck (train in make.py)"');
INSERT INTO "trial_user_attributes" VALUES(25,3,'reused','0');
INSERT INTO "trial_user_attributes" VALUES(26,3,'attempts','1');
INSERT INTO "trial_user_attributes" VALUES(27,3,'host','"here"');
INSERT INTO "trial_user_attributes" VALUES(28,3,'best_loop','null');
INSERT INTO "trial_user_attributes" VALUES(29,3,'spread','null');
INSERT INTO "trial_user_attributes" VALUES(30,5,'config','"{\"algorithm\": \"topada\", \"loops\": 4, \"n_learners\": 3, \"rho\": 0.21365168263105727, \"weight_cap\": 10}"');
INSERT INTO "trial_user_attributes" VALUES(31,5,'driver','"host-3489-4eea03d1"');
INSERT INTO "trial_user_attributes" VALUES(32,4,'runs','"[{\"seed\": 0, \"loop\": [1, 2, 3, 4], \"train_loss\": [0.7242063492063492, 0.5654761904761905, 0.16666666666666666, 0.16071428571428573], \"loss\": [0.6785714285714286, 0.4226190476190476, 0.39285714285714285, 0.3869047619047619], \"ties\": [0.0, 0.0, 0.0, 0.0], \"rank\": [2.4285714285714284, 1.5, 1.3571428571428572, 1.3571428571428572], \"hinge\": [3.5930473193527677, 3.5587466914965016, 3.4956261536420565, 3.4659823637608533], \"seconds\": [0.00034527299999354, 0.0005569769999738128, 0.0006790680000108296, 0.0008040729999834184], \"rounds\": [42, 84, 126, 168], \"split_attempts\": [14, 28, 41, 58], \"nodes\": [11, 19, 23, 27], \"bytes\": [3476, 6880, 7288, 10088]}, {\"seed\": 1, \"loop\": [1, 2, 3, 4], \"train_loss\": [0.48611111111111116, 0.23015873015873015, 0.2698412698412698, 0.21626984126984125], \"loss\": [0.26785714285714285, 0.375, 0.375, 0.3095238095238095], \"ties\": [0.0, 0.0, 0.0, 0.0], \"rank\": [1.0, 1.2857142857142858, 1.2857142857142858, 1.0714285714285714], \"hinge\": [3.511233766507285, 3.450626280360314, 3.340424282748135, 3.327268904850219], \"seconds\": [0.00035320500001034816, 0.0023887890000082734, 0.0025360070000033375, 0.002748813000039263], \"rounds\": [42, 84, 126, 168], \"split_attempts\": [50, 100, 152, 209], \"nodes\": [9, 19, 25, 35], \"bytes\": [3392, 6880, 7288, 10892]}]"');
INSERT INTO "trial_user_attributes" VALUES(33,4,'error','null');
INSERT INTO "trial_user_attributes" VALUES(34,4,'reused','0');
INSERT INTO "trial_user_attributes" VALUES(35,4,'attempts','1');
INSERT INTO "trial_user_attributes" VALUES(36,4,'host','"here"');
INSERT INTO "trial_user_attributes" VALUES(37,4,'best_loop','4');
INSERT INTO "trial_user_attributes" VALUES(38,4,'spread','0.05471659616324479');
INSERT INTO "trial_user_attributes" VALUES(39,6,'config','"{\"algorithm\": \"topada\", \"loops\": 4, \"n_learners\": 2, \"rho\": 0.25525584540724583, \"weight_cap\": null}"');
INSERT INTO "trial_user_attributes" VALUES(40,6,'driver','"host-3489-4eea03d1"');
INSERT INTO "trial_user_attributes" VALUES(41,5,'runs','"[{\"seed\": 0, \"loop\": [1, 2, 3, 4], \"train_loss\": [0.6428571428571429, 0.46230158730158727, 0.09126984126984126, 0.07539682539682539], \"loss\": [0.7380952380952381, 0.14285714285714285, 0.05952380952380952, 0.10119047619047618], \"ties\": [0.0, 0.0, 0.0, 0.0], \"rank\": [2.642857142857143, 0.5, 0.21428571428571427, 0.35714285714285715], \"hinge\": [3.6871919190993183, 3.196543360703214, 2.4081376926868936, 1.6507898382727677], \"seconds\": [0.00047762999997758016, 0.0007408909999639945, 0.0010020489999646998, 0.0012397619999546805], \"rounds\": [42, 84, 126, 168], \"split_attempts\": [99, 188, 279, 375], \"nodes\": [27, 47, 75, 87], \"bytes\": [14988, 16148, 24116, 34128]}, {\"seed\": 1, \"loop\": [1, 2, 3, 4], \"train_loss\": [0.27579365079365076, 0.12698412698412698, 0.07539682539682539, 0.06349206349206349], \"loss\": [0.45238095238095244, 0.2857142857142857, 0.24404761904761904, 0.23809523809523808], \"ties\": [0.0, 0.0, 0.0, 0.0], \"rank\": [1.5714285714285714, 0.9285714285714286, 0.7857142857142857, 0.7857142857142857], \"hinge\": [3.071289010051854, 2.672921427925424, 2.2433930176330183, 1.9333220036303838], \"seconds\": [0.00039023899995527245, 0.0006232149999618741, 0.000861618999977054, 0.000993024000024434], \"rounds\": [42, 84, 126, 168], \"split_attempts\": [98, 179, 267, 345], \"nodes\": [31, 45, 63, 73], \"bytes\": [11064, 16148, 24116, 24116]}]"');
INSERT INTO "trial_user_attributes" VALUES(42,5,'error','null');
INSERT INTO "trial_user_attributes" VALUES(43,5,'reused','0');
INSERT INTO "trial_user_attributes" VALUES(44,5,'attempts','1');
INSERT INTO "trial_user_attributes" VALUES(45,5,'host','"here"');
INSERT INTO "trial_user_attributes" VALUES(46,5,'best_loop','3');
INSERT INTO "trial_user_attributes" VALUES(47,5,'spread','0.13047803700466057');
INSERT INTO "trial_user_attributes" VALUES(48,7,'config','"{\"algorithm\": \"topada\", \"loops\": 4, \"n_learners\": 3, \"rho\": 0.2267301583639022, \"weight_cap\": null}"');
INSERT INTO "trial_user_attributes" VALUES(49,7,'driver','"host-3489-4eea03d1"');
INSERT INTO "trial_user_attributes" VALUES(50,6,'runs','"[{\"seed\": 0, \"loop\": [1, 2, 3, 4], \"train_loss\": [0.488095238095238, 0.17857142857142858, 0.09523809523809523, 0.049603174603174593], \"loss\": [0.375, 0.27976190476190477, 0.2857142857142857, 0.19047619047619047], \"ties\": [0.0, 0.0, 0.0, 0.0], \"rank\": [1.4285714285714286, 1.0, 1.0714285714285714, 0.7142857142857143], \"hinge\": [3.502769676795566, 3.2590133820702367, 3.074665411153614, 2.4456719024573776], \"seconds\": [0.0004425469999773668, 0.0006784070000094289, 0.0009023689999594353, 0.002309237999952529], \"rounds\": [42, 84, 126, 168], \"split_attempts\": [60, 113, 171, 227], \"nodes\": [22, 38, 62, 82], \"bytes\": [7376, 11064, 16556, 24116]}, {\"seed\": 1, \"loop\": [1, 2, 3, 4], \"train_loss\": [0.632936507936508, 0.16666666666666666, 0.10515873015873015, 0.08531746031746032], \"loss\": [0.3630952380952381, 0.19642857142857142, 0.3154761904761904, 0.2261904761904762], \"ties\": [0.0, 0.0, 0.0, 0.0], \"rank\": [1.2857142857142858, 0.7142857142857143, 1.1428571428571428, 0.8571428571428571], \"hinge\": [3.496323089061936, 3.250835073973963, 3.119295656229358, 2.825948767446821], \"seconds\": [0.0003907700000240766, 0.0006340110000451205, 0.0008114750000345339, 0.001023841000005632], \"rounds\": [42, 84, 126, 168], \"split_attempts\": [108, 194, 284, 384], \"nodes\": [22, 42, 54, 58], \"bytes\": [10176, 11948, 16148, 16556]}]"');
INSERT INTO "trial_user_attributes" VALUES(51,6,'error','null');
INSERT INTO "trial_user_attributes" VALUES(52,6,'reused','0');
INSERT INTO "trial_user_attributes" VALUES(53,6,'attempts','1');
INSERT INTO "trial_user_attributes" VALUES(54,6,'host','"here"');
INSERT INTO "trial_user_attributes" VALUES(55,6,'best_loop','4');
INSERT INTO "trial_user_attributes" VALUES(56,6,'spread','0.025253813613805277');
INSERT INTO "trial_user_attributes" VALUES(57,8,'config','"{\"algorithm\": \"topada\", \"loops\": 4, \"n_learners\": 1, \"rho\": 0.21920626605041782, \"weight_cap\": 10}"');
INSERT INTO "trial_user_attributes" VALUES(58,8,'driver','"host-3489-4eea03d1"');
INSERT INTO "trial_user_attributes" VALUES(59,7,'runs','"[{\"seed\": 0, \"loop\": [1, 2, 3], \"train_loss\": [0.6626984126984127, 0.6984126984126985, 0.06944444444444445], \"loss\": [0.9, 0.9, 0.9], \"ties\": [0.0, 0.0, 0.0], \"rank\": [2.2857142857142856, 1.0, 0.6428571428571429], \"hinge\": [3.660525071606727, 3.467869645311783, 2.8721796687825614], \"seconds\": [0.0004465829999844573, 0.0007428429999549735, 0.0009364499999264808], \"rounds\": [42, 84, 126], \"split_attempts\": [107, 197, 286], \"nodes\": [31, 61, 69], \"bytes\": [11064, 17916, 24116]}]"');
INSERT INTO "trial_user_attributes" VALUES(60,7,'error','null');
INSERT INTO "trial_user_attributes" VALUES(61,7,'reused','0');
INSERT INTO "trial_user_attributes" VALUES(62,7,'attempts','1');
INSERT INTO "trial_user_attributes" VALUES(63,7,'host','"here"');
INSERT INTO "trial_user_attributes" VALUES(64,7,'best_loop','1');
INSERT INTO "trial_user_attributes" VALUES(65,7,'spread','null');
INSERT INTO "trial_user_attributes" VALUES(66,9,'config','"{\"algorithm\": \"topada\", \"loops\": 4, \"n_learners\": 3, \"rho\": 0.15264069321084128, \"weight_cap\": null}"');
INSERT INTO "trial_user_attributes" VALUES(67,9,'driver','"host-3489-4eea03d1"');
INSERT INTO "trial_user_attributes" VALUES(68,8,'runs','"[{\"seed\": 0, \"loop\": [1, 2, 3], \"train_loss\": [0.6924603174603174, 0.4166666666666667, 0.13293650793650794], \"loss\": [0.6190476190476192, 0.5714285714285714, 0.38690476190476186], \"ties\": [0.0, 0.0, 0.0], \"rank\": [2.2142857142857144, 2.0, 1.3571428571428572], \"hinge\": [3.578819208853665, 3.588873702303111, 3.5001740727109873], \"seconds\": [0.00035830199999509205, 0.0005644280000183244, 0.0007817410000257041], \"rounds\": [42, 84, 126], \"split_attempts\": [17, 33, 50], \"nodes\": [11, 21, 29], \"bytes\": [3476, 5488, 10280]}]"');
INSERT INTO "trial_user_attributes" VALUES(69,8,'error','null');
INSERT INTO "trial_user_attributes" VALUES(70,8,'reused','0');
INSERT INTO "trial_user_attributes" VALUES(71,8,'attempts','1');
INSERT INTO "trial_user_attributes" VALUES(72,8,'host','"here"');
INSERT INTO "trial_user_attributes" VALUES(73,8,'best_loop','3');
INSERT INTO "trial_user_attributes" VALUES(74,8,'spread','null');
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
INSERT INTO "trial_values" VALUES(1,1,0,2.76785714285714246063e-01,'FINITE');
INSERT INTO "trial_values" VALUES(2,2,0,2.5892857142857139685e-01,'FINITE');
INSERT INTO "trial_values" VALUES(3,4,0,3.48214285714285698425e-01,'FINITE');
INSERT INTO "trial_values" VALUES(4,5,0,1.51785714285714273819e-01,'FINITE');
INSERT INTO "trial_values" VALUES(5,6,0,2.08333333333333314829e-01,'FINITE');
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
INSERT INTO "trials" VALUES(1,0,1,'COMPLETE','2026-11-17 19:28:06.199778','2026-11-17 19:28:06.280337');
INSERT INTO "trials" VALUES(2,1,1,'COMPLETE','2026-11-17 19:28:06.227498','2026-11-17 19:28:06.329434');
INSERT INTO "trials" VALUES(3,2,1,'FAIL','2026-11-17 19:28:06.287487','2026-11-17 19:28:06.375728');
INSERT INTO "trials" VALUES(4,3,1,'COMPLETE','2026-11-17 19:28:06.335633','2026-11-17 19:28:06.431180');
INSERT INTO "trials" VALUES(5,4,1,'COMPLETE','2026-11-17 19:28:06.381106','2026-11-17 19:28:06.486866');
INSERT INTO "trials" VALUES(6,5,1,'COMPLETE','2026-11-17 19:28:06.437035','2026-11-17 19:28:06.535922');
INSERT INTO "trials" VALUES(7,6,1,'PRUNED','2026-11-17 19:28:06.492430','2026-11-17 19:28:06.640059');
INSERT INTO "trials" VALUES(8,7,1,'PRUNED','2026-11-17 19:28:06.542199','2026-11-17 19:28:06.709413');
INSERT INTO "trials" VALUES(9,8,1,'WAITING','2026-11-17 19:28:06.645217',NULL);
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
