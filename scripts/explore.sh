#!/bin/sh
# From a fresh system to the best kernel: installs missing packages, builds into build/, and
# explores. Arguments are those of lift-explore; without any, acoustic for one minute.
set -eu
cd "$(dirname "$0")/.."
sh scripts/setup.sh
[ -f build/build.ninja ] || meson setup build -Dtests=false
ninja -C build
[ $# -gt 0 ] || set -- programs/acoustic.lift --minutes 1
exec build/src/cli/lift-explore "$@"
