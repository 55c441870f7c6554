#!/bin/sh
# Programs with sources and receivers: 'sh tests/cli/points.sh ROOT LIFT'.
. "$(dirname "$0")/cli.sh"
cd "$root" || exit 1
shot=examples/shot/acoustic_shot.lift
small=nx=21,ny=11,nz=9,nr=5,nt=7

right() { # what, program, point
    expect "$1" 0 "ok" "$lift" derive "$2" --size "$small" --decide "$3" --verify
}
right "vectors compute an index for each lane" $shot points=fused,lanes=vectors,level=threads
right "and so do vectors that pass tests apart" $shot points=fused,lanes=shuffled,hoist=apart,level=threads

finish
