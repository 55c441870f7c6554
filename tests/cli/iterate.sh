#!/bin/sh
# 'iterate' over grids: by kernels of each step, by time tiles, and by kernels of several steps that
# are repeated, with every kind of boundary, in one to three dimensions, at odd sizes; each equal to
# the interpreter.
#   sh tests/cli/iterate.sh ROOT LIFT [--full [PATTERN]]
# --full: all numbers of steps, types, tiles and sizes combined; without it, a sample of the combinations.
# PATTERN: of these the ones whose line has it, such as '^16 steps of wrap in 3.* on opencl'.
. "$(dirname "$0")/cli.sh"
full=${3:-}
only=${4:-.}

# Weights that differ, so that no two neighbours can be taken for each other. 'index': a coefficient
# for each point; 'two': a state of two fields, and values that are added in each step.
program() { # steps, pad, dimensions, type
    case $3 in
    1) s='' declared='nx = 17' grid="[$4]nx" sum='0.4 * w[0] + 0.7 * w[2] - 0.3 * w[1]' rows=''
        each="array(nx, fun(i => 0.9 - 0.01 * $4(i)))" ;;
    2) s=2 declared='nx = 17, ny = 17' grid="[[$4]nx]ny" rows='map'
        sum='0.1 * w[0][1] + 0.3 * w[2][1] + 0.2 * w[1][0] + 0.4 * w[1][2] - 0.3 * w[1][1]'
        each="array(ny, fun(j => array(nx, fun(i => 0.9 - 0.01 * $4(i) + 0.002 * $4(j)))))" ;;
    3) s=3 declared='nx = 17, ny = 17, nz = 17' grid="[[[$4]nx]ny]nz" rows='map2'
        sum='0.1 * w[0][1][1] + 0.3 * w[2][1][1] + 0.2 * w[1][0][1] + 0.4 * w[1][2][1]
            + 0.1 * w[1][1][0] - 0.2 * w[1][1][2] - 0.3 * w[1][1][1]'
        each="array(nz, fun(k => array(ny, fun(j => array(nx, fun(i =>
            0.9 - 0.01 * $4(i) + 0.002 * $4(j) - 0.003 * $4(k)))))))" ;;
    esac
    outside="value fun(i, n => 0.1 * $4(i) - 0.3)"
    case $2-$3 in
    value-1) padded="pad(1, 1, $outside, u)" ;;
    value-*) padded="$rows(pad(1, 1, $outside))(pad${rows#map}(1, 1, clamp, u))" ;;
    constant-*) padded="pad$s(1, 1, constant 0.3, u)" ;;
    kept-*) padded=u ;;
    index-*) padded="pad$s(1, 1, clamp, u)" ;;
    two-*) padded="pad$s(1, 1, mirror, s.0)" ;;
    *) padded="pad$s(1, 1, $2, u)" ;;
    esac
    step="map$s(w => $sum, slide$s(3, 1, $padded))"
    case $2 in
    kept) step="inset$s(1, 1, u, $step)" ;;
    index) step="map$s(t => (let w = t.0 in $sum) * t.1, zip$s(slide$s(3, 1, $padded), $each))" ;;
    two) step="(map$s(t => (let w = t.0 in $sum) + 0.5 * t.2 - 0.4 * t.1,
            zip$s(slide$s(3, 1, $padded), s.1, c)), s.0)" ;;
    esac
    [ "$4" = f32 ] || echo double
    echo "size $declared"
    if [ "$2" = two ]; then
        echo "stencil iterated(u: $grid, p: $grid, c: $grid) -> (v, q) = iterate($1, s => $step, (u, p))"
    else
        echo "stencil iterated(u: $grid) -> v = iterate($1, u => $step, u)"
    fi
}

# Kernels of each step; tiles of all steps; blocks of some steps with their tile, 'four=overlapped'. One
# step has no stages, and rows no planes. With tunables in 'set', tiles and blocks alone.
verified() { # steps, pad, dimensions, type, device, sizes, tiles, blocks
    case $5 in opencl*) loops=threads tiles=blocks ;; *) loops=omp_static tiles=omp_static ;; esac
    decided="--decide intermediates=stored,parallel=$loops"
    [ -z "$set" ] || decided=$set
    [ "$1" -gt 1 ] || decided="--decide parallel=$loops"
    for tile in $7 $8; do
        how=intermediates=stored,temporal=$tile
        case $tile in *=*) how=steps=${tile%=*},intermediates=stored,temporal=${tile#*=} ;; esac
        case $tile-$3 in *slabs-1 | *streamed*-1 | *wavefront*-1) continue ;; esac
        level=$tiles
        case $tile in *wavefront*) level=omp_team how=$how,row_ends=masked_vectors,simd=explicit,predicate_hoisting=per_row ;; esac
        [ "$1" -eq 1 ] || decided="$decided --decide $how,parallel=$level"
    done
    case $3 in 1) at=${6%%,*} ;; 2) at=${6%,*} ;; 3) at=$6 ;; esac
    [ "$2" != kept ] || at=$(echo "$at" | sed 's/=1\([,]\|$\)/=3\1/')
    what="$1 steps of $2 in $3 dimensions, $4, at $at on $5"
    echo "$what" | grep -q -e "$only" || return 0
    program "$1" "$2" "$3" "$4" >"$work/iterated.lift"
    # shellcheck disable=SC2086
    expect "$what" 0 ": ok" $under "$lift" derive \
        "$work/iterated.lift" $decided --each --verify --device "$5" --size "$at"
}
under=
set=
sizes="nx=61,ny=47,nz=5 nx=17,ny=1,nz=5"
[ -z "$full" ] || sizes="nx=61,ny=47,nz=33 $sizes"
all="overlapped overlapped_specialised overlapped_slabs"
blocks="two=overlapped three=overlapped_specialised four=overlapped_slabs two=streamed_slabs six=overlapped"
pads="clamp mirror wrap constant value kept index two"
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
        # streams of mirrored grids may have no code
        fused=$blocks
        case $pad in mirror | two) fused=$(echo "$blocks" | sed 's/[a-z]*=streamed[a-z_]*//') ;; esac
        if [ "$full" ]; then
            for n in 1 2 3 7 16; do for type in f32 f64; do for at in $sizes; do
                verified $n "$pad" $d $type "$1" "$at" "$all" "$fused"
            done; done; done
        elif [ $(((turn + d) % $2)) -eq 0 ]; then
            verified "$(nth $((turn * 2 + d)) 3 5 2 7 3)" "$pad" $d "$(nth $((turn / 2 + d)) f32 f64)" "$1" \
                "$(nth $((turn + d)) $sizes)" "$(nth $((turn / 2)) $all)" "$(nth $turn $fused)"
        fi
    done; done
}
on host 4
verified 1 clamp 2 f32 host nx=61,ny=47,nz=33 "$all"
verified 16 constant 1 f32 host nx=61,ny=47,nz=33 "overlapped"

# Tiles of single points compute the 16 steps' neighbourhood of each.
program 16 clamp 3 f32 >"$work/single.lift"
expect "a message on slow runs, with the remedy" 1 "LIFT_RUN_SECONDS" \
    env LIFT_RUN_SECONDS=0.02 "$lift" derive "$work/single.lift" --device host --size nx=37,ny=23,nz=9 --verify \
    --decide intermediates=stored,temporal=overlapped,parallel=omp_static --set tile_z=1,tile_y=1,tile_x=1
set="--set tile_z=8,tile_y=8,tile_x=8"
verified 16 clamp 3 f32 host nx=19,ny=9,nz=17 overlapped
set=

# ---- wavefronts that all threads share
turn=0
for pad in $pads; do
    turn=$((turn + 1))
    case $pad in mirror | two) ;; *)
        verified "$(nth $turn 3 2 4)" "$pad" 2 "$(nth $turn f32 f64)" host "$(nth $turn $sizes)" \
            "$(nth $turn wavefront_eight wavefront_sixteen)" ;;
    esac
    verified "$(nth $turn 2 4 3)" "$pad" 3 "$(nth $turn f64 f32)" host "$(nth $turn $sizes)" \
        "$(nth $turn wavefront wavefront_two wavefront_eight)"
done
verified 21 clamp 3 f32 host nx=61,ny=17,nz=19 "" four=wavefront

# ---- more steps: kernels that are repeated
for at in "18 mirror 2 f64 three=overlapped_specialised" "37 two 2 f32 three=overlapped" \
    "37 wrap 3 f32 two=streamed_slabs" "22 clamp 3 f64 three=paired_slabs" "100 value 1 f32 eight=overlapped_specialised"; do
    # shellcheck disable=SC2086
    verified ${at% *} host nx=19,ny=17,nz=5 "" "${at##* }"
done
program 40 clamp 2 f32 >"$work/forty.lift"
small="--size nx=13,ny=11 --jobs 1 --no-seeds --no-final-benchmark --quiet --db $work/forty.db"
# shellcheck disable=SC2086
expect "they are explored" 0 "GPts/s" "$lift" explore "$work/forty.lift" $small --trials 1 --max-exprs 12 \
    --verbose
verdict "by stages alone" "$(grep -q "'iterate' of more than 16 steps, or of a number that is not known, needs" \
    "$work/out" || cat "$work/out")"
expect "the repetitions of a pair of kernels" 0 ", 19 times" "$lift" best iterated --verbose --db "$work/forty.db"
verdict "every step of a point counts" "$([ "$(query "$work/forty.db" "SELECT points FROM problem")" = 5720 ] ||
    query "$work/forty.db" "SELECT points FROM problem")"
taken() { # program, device, libraries
    run "$lift" best "$1" --db "$work/forty.db" --device "$2" --emit host -o "$work/k.c"
    # shellcheck disable=SC2086
    run ${CC:-cc} -O0 -Wall -Wextra -Werror "$work/k.c" -o "$work/k" $3
    expect "the program around it has the loop: $1, $2" 0 "PASSED" "$work/k" --runs 2
}
taken iterated host "-fopenmp -lm"
sed 's/iterated/fused/' "$work/forty.lift" >"$work/fused.lift"
# shellcheck disable=SC2086
expect "kernels of four steps are explored" 0 "GPts/s" "$lift" explore "$work/fused.lift" $small --trials 1 \
    --decide steps=four,intermediates=stored,temporal=overlapped_slabs,parallel=omp_static
expect "which run a fourth as often" 0 ", 4 times" "$lift" best fused --verbose --db "$work/forty.db"
taken fused host "-fopenmp -lm"
printf 'size n = 9, m = 20 in 2..40\nstencil s(u: [f32]n) -> v = iterate(m, u => map(w => w[0] + w[2], slide(3, 1, pad(1, 1, clamp, u))), u)\n' \
    >"$work/unknown.lift"
for m in 3 21; do
    expect "a number of steps known at run time: $m" 0 ": ok" "$lift" derive "$work/unknown.lift" --each \
        --verify --device host --size n=13,m=$m --decide intermediates=stored,parallel=omp_static \
        --decide steps=four,intermediates=stored,temporal=overlapped_specialised,parallel=omp_static
done
steps='size n = 9\nstencil s(x: [f32]n, w: [f32]n) -> %s\n'
# shellcheck disable=SC2059
printf "$steps" 'y = iterate(20, s -> map((a, e) => e * 2.0f, zip(s, w)), x)' >"$work/constant.lift"
# shellcheck disable=SC2059
printf "$steps" '(y, z) = (iterate(20, s -> map(e => e * 2.0f, w), x),
    map(m => m[0] - m[2], slide(3, 1, pad(1, 1, clamp, map(e => e * 2.0f, w)))))' >"$work/shared.lift"
# shellcheck disable=SC2059
printf "$steps" '(y, z) = (iterate(9, s -> map((a, b) => a[0] * b[0] - a[2],
    zip(slide(3, 1, pad(2, 0, wrap, s)), slide(2, 1, pad(1, 0, mirror, s)))), x), map(e => e * 2.0f, w))' \
    >"$work/member.lift"
run "$lift" derive "$work/member.lift" --decide intermediates=stored,parallel=omp_static --emit term
verdict "each step of one of several results is stored" "$([ "$(grep -c "toGlobal(" "$work/out")" = 8 ] ||
    cat "$work/out")"
for program in constant shared; do
    expect "steps that do not read the previous step: $program" 0 "ok {" "$lift" derive "$work/$program.lift" \
        --verify --device host --size n=13 --decide intermediates=stored,parallel=omp_static
done
rejected "steps of a program without 'iterate'" 1 "steps=four heat" "$lift" \
    derive programs/heat.lift --decide steps=four,intermediates=stored,temporal=overlapped,parallel=omp_static
rejected "steps without tiles" 1 "temporal=none steps=one" "$lift" derive "$work/forty.lift" \
    --decide steps=four,intermediates=stored,parallel=omp_static

"$lift" devices >"$work/devices"
if grep -q '^opencl:0' "$work/devices"; then
    on opencl:0 6
    turn=0
    for pad in $pads; do
        turn=$((turn + 1))
        verified "$(nth $turn 2 3)" "$pad" "$(nth $turn 3 2)" f32 opencl:0 nx=17,ny=5,nz=9 streamed
    done
    # Optimised, as large kernels compile and run faster so; and PoCL once let the first work-item of a
    # group choose for all in tests around barriers.
    under="env POCL_EXTRA_BUILD_FLAGS="
    verified 20 constant 2 f64 opencl:0 nx=19,ny=17,nz=5 "" "three=overlapped four=streamed"
    verified 7 two 2 f32 opencl:0 nx=61,ny=47,nz=5 "" "three=register_strips"
    set="--set slab_y=6,block_x=32,block_y=4"
    verified 3 kept 2 f64 opencl:0 nx=61,ny=47,nz=5 overlapped_slabs
    under='' set=''
    taken iterated opencl:0 "-lOpenCL -lm"
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
    set="--set block_x=4"
    for at in "2 kept 2 overlapped_specialised" "3 two 1 two=overlapped"; do
        # shellcheck disable=SC2086
        verified ${at% *} f32 "$grind" nx=9,ny=5,nz=5 "${at##* }"
        verdict "without races" "$(grep -E 'data race|Invalid (read|write)|Divergence' "$work/err" |
            head -n 5)"
    done
    # The last tile extends far beyond the grid, whose halo is in its buffer.
    expect "a stream that ends behind a stored halo" 0 "ok {" $under "$lift" derive \
        programs/hotspot2d.lift --steps 2 --verify --device "$grind" --fixed-sizes --size nx=60,ny=33 \
        --decide intermediates=stored,unrolling=addition_chains,temporal=register_strips,parallel=blocks,halo=allocated,pitch=aligned \
        --set slab_y=32,vectors_x=1,row_align=8,block_x=32
    verdict "reads no row outside the buffer" "$(grep -E 'Invalid (read|write)' "$work/err" | head -n 5)"
else
    skip "steps under oclgrind" "oclgrind is not installed"
fi
finish
