#!/bin/sh
# A table of the papers' kernels: the kernel family that stands for each, its counts, the paper's
# counts, and reasons for differences.
#   sh bench/papers.sh [OPTIONS] LIFT
# LIFT: the command. Run it from the root of the source; 'python3 bench/papers.py --help' lists the
# options. Needs NVRTC, a C++ compiler and Python 3.11, and no GPU.
exec python3 "$(dirname "$0")/papers.py" "$@"
