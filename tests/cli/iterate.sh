#!/bin/sh
# 'iterate' over grids: by kernels of each step and by time tiles, with every kind of boundary, in
# one to three dimensions, at odd sizes; each equal to the interpreter.
#   sh tests/cli/iterate.sh ROOT LIFT [--full]
# --full: all numbers of steps, types, tiles and sizes with each other; else each of them with some.
. "$(dirname "$0")/cli.sh"
full=${3:-}

# Weights that differ, so that no two neighbours can be taken for each other.
program() { # steps, pad, dimensions, type
    case $3 in
    1) s='' declared='nx = 17' grid="[$4]nx" sum='0.4 * w[0] + 0.7 * w[2] - 0.3 * w[1]' rows='' ;;
    2) s=2 declared='nx = 17, ny = 17' grid="[[$4]nx]ny" rows='map'
        sum='0.1 * w[0][1] + 0.3 * w[2][1] + 0.2 * w[1][0] + 0.4 * w[1][2] - 0.3 * w[1][1]' ;;
    3) s=3 declared='nx = 17, ny = 17, nz = 17' grid="[[[$4]nx]ny]nz" rows='map2'
        sum='0.1 * w[0][1][1] + 0.3 * w[2][1][1] + 0.2 * w[1][0][1] + 0.4 * w[1][2][1]
            + 0.1 * w[1][1][0] - 0.2 * w[1][1][2] - 0.3 * w[1][1][1]' ;;
    esac
    outside="value fun(i, n => 0.1 * $4(i) - 0.3)"
    case $2-$3 in
    value-1) padded="pad(1, 1, $outside, u)" ;;
    value-*) padded="$rows(pad(1, 1, $outside))(pad${rows#map}(1, 1, clamp, u))" ;;
    constant-*) padded="pad$s(1, 1, constant 0.3, u)" ;;
    kept-*) padded=u ;;
    *) padded="pad$s(1, 1, $2, u)" ;;
    esac
    step="map$s(w => $sum, slide$s(3, 1, $padded))"
    [ "$2" != kept ] || step="inset$s(1, 1, u, $step)"
    [ "$4" = f32 ] || echo double
    echo "size $declared"
    echo "stencil iterated(u: $grid) -> v = iterate($1, u => $step, u)"
}

# By kernels of each step, and by some tiles. Tiles are not for 'wrap' and not for kernels that are
# repeated, and one step has no stages.
verified() { # steps, pad, dimensions, type, device, sizes, tile
    case $5 in opencl*) loops=items tiles=groups ;; *) loops=threads tiles=threads ;; esac
    decided=
    [ "$1" -gt 1 ] || decided="--decide level=$loops"
    [ "$1" -eq 1 ] || decided="--decide stages=stored,level=$loops"
    for tile in $7; do
        [ "$1" -eq 1 ] || [ "$1" -gt 16 ] || [ "$2" = wrap ] || [ "$tile,$3" = stageChunks,1 ] ||
            decided="$decided --decide stages=stored,tile=$tile,level=$tiles"
    done
    case $3 in 1) at=${6%%,*} ;; 2) at=${6%,*} ;; 3) at=$6 ;; esac
    [ "$2" != kept ] || at=$(echo "$at" | sed 's/=1\([,]\|$\)/=3\1/')
    program "$1" "$2" "$3" "$4" >"$work/iterated.lift"
    # shellcheck disable=SC2086
    expect "$1 steps of $2 in $3 dimensions, $4, at $at on $5" 0 ": ok" $under "$lift" derive \
        "$work/iterated.lift" $decided --each --verify --device "$5" --size "$at"
}
under=
sizes="nx=61,ny=47,nz=33 nx=17,ny=1,nz=5"
all="stages stagesApart stageChunks"
pads="clamp mirror wrap constant value kept"
nth() { # number from 0, words
    n=$1
    shift
    shift $((n % $#))
    echo "$1"
}

# All of them, or for each boundary and number of dimensions one of each.
on() { # device, each of so many
    turn=0
    for d in 1 2 3; do for pad in $pads; do
        turn=$((turn + 1))
        if [ "$full" ]; then
            for n in 1 2 3 7 16; do for type in f32 f64; do for at in $sizes; do
                verified $n "$pad" $d $type "$1" "$at" "$all"
            done; done; done
        elif [ $(((turn + d) % $2)) -eq 0 ]; then
            verified "$(nth $((turn * 2 + d)) 3 7 2 16 3)" "$pad" $d "$(nth $((turn / 2 + d)) f32 f64)" "$1" \
                "$(nth $((turn + d)) $sizes)" "$(nth $((turn / 2)) $all)"
        fi
    done; done
}
on host 3
verified 1 clamp 2 f32 host nx=61,ny=47,nz=33 "$all"

# ---- more steps: pairs of them, repeated
for at in "17 clamp 1 f32" "18 mirror 2 f64" "37 wrap 3 f32" "100 value 1 f32"; do
    # shellcheck disable=SC2086
    verified $at host nx=19,ny=17,nz=5 ""
done
program 40 clamp 2 f32 >"$work/forty.lift"
small="--size nx=13,ny=11 --tries 2 --jobs 1 --no-seeds --no-final --quiet --db $work/forty.db"
# shellcheck disable=SC2086
expect "they are explored" 0 "GPts/s" "$lift" explore "$work/forty.lift" $small --max-exprs 12
verdict "by stages alone" "$(grep -q "an 'iterate' of more than 16 steps needs stages=stored" "$work/out" ||
    cat "$work/out")"
expect "the kernels of a pair run so often" 0 ", 19 times" "$lift" best iterated --db "$work/forty.db"
taken() { # device, libraries
    run "$lift" best iterated --db "$work/forty.db" --device "$1" --emit host -o "$work/k.c"
    # shellcheck disable=SC2086
    run ${CC:-cc} -O1 -Wall -Wextra -Werror "$work/k.c" -o "$work/k" $2
    expect "the program around it has the loop: $1" 0 "PASSED" "$work/k" --runs 2
}
taken host "-fopenmp -lm"
printf 'size n = 9, m = 20 in 2..40\nstencil s(u: [f32]n) -> v = iterate(m, u => map(w => w[0] + w[2], slide(3, 1, pad(1, 1, clamp, u))), u)\n' \
    >"$work/unknown.lift"
expect "a number that is not known" 1 "an 'iterate' of a number that is not known" "$lift" derive \
    "$work/unknown.lift" --decide stages=stored,level=threads

"$lift" devices >"$work/devices"
if grep -q '^opencl:0' "$work/devices"; then
    on opencl:0 6
    verified 20 constant 2 f64 opencl:0 nx=19,ny=17,nz=5 ""
    taken opencl:0 "-lOpenCL -lm"
else
    skip "steps with work-groups" "no OpenCL device"
fi
if command -v oclgrind >/dev/null 2>&1; then
    ASAN_OPTIONS=detect_leaks=0:verify_asan_link_order=0
    export ASAN_OPTIONS
    under="oclgrind --data-races --uninitialized --check-api --build-options -cl-opt-disable"
    # shellcheck disable=SC2086
    grind=$($under "$lift" devices 2>/dev/null | sed -n 's/^\(opencl:[0-9]*\) .*Oclgrind.*/\1/p')
    LIFT_RUN_SECONDS=$(patient 300)
    export LIFT_RUN_SECONDS
    for at in "3 clamp 1" "2 kept 2"; do
        # shellcheck disable=SC2086
        verified $at f32 "$grind" nx=13,ny=7,nz=5 "stages stagesApart"
        verdict "without races" "$(grep -E 'data race|Invalid (read|write)|Divergence' "$work/err" |
            head -n 5)"
    done
else
    skip "steps under oclgrind" "oclgrind is not installed"
fi
finish
