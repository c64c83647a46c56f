"""Child processes that end together with this one."""
