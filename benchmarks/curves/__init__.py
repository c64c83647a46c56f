"""Real learning curves of random configurations: made, kept as tables, and searched in simulation.

`collect` trains, `table` keeps, `surrogate` fills the gaps between configurations, and `workers`
replays the curves to the real loop of a study.
"""
