"""A job on the cluster: settles in its place, and runs the command."""

import sys

from topk_tune.cli import main
from topk_tune.cluster.place import COPIED, settle

if __name__ == "__main__":
    settle(sys.argv[1], sys.argv[2] == COPIED)
    main(sys.argv[3:])
