#!/bin/sh
# Programs with sources and receivers: 'sh tests/cli/points.sh ROOT LIFT'.
. "$(dirname "$0")/cli.sh"
cd "$root" || exit 1
shot=tests/programs/acoustic_shot.lift
small="--size nx=21,ny=11,nz=9,nr=5,nt=7"

# Two steps of grids a step: with sources, receivers and a counter, and without.
head='size nx = 21, ny = 11, ns = 2, nr = 7, q = 2
type grid = [[f32]nx]ny
fun around(x) = slide2(3, 1, pad2(1, 1, constant 0.0, x))
fun velocity(p, vx, vy) =
    unzip2(map2(fun((w, a, b) => (a + 0.3 * (w[1][2] - w[1][1]), b + 0.3 * (w[2][1] - w[1][1]))),
        zip2(around(p), vx, vy)))
fun pressure(p, vx, vy) =
    map2(fun((c, a, b) => c + 0.3 * (a[1][1] - a[1][0] + b[1][1] - b[0][1])),
        zip2(p, around(vx), around(vy)))
fun step(v, p) = (v.0, v.1, pressure(p, v.0, v.1))'
cat >"$work/grids.lift" <<END
$head
fun all((wx, wy, np)) = (wx, wy, np)
stencil grids(p, vx, vy: grid) -> (wx, wy, np) = all(step(velocity(p, vx, vy), p))
time (p, vx, vy) <- (np, wx, wy)
END
cat >"$work/points.lift" <<END
$head
fun all((wx, wy, np), p, now, f, source, receivers) =
    (sample(p, receivers), wx, wy, map(n => n + 1, now), inject(np, source, f))
stencil points(p, vx, vy: grid, f: [f32]ns, now: [i32]1, sat: [[i32]2]ns, sw: [[[f32]q]2]ns,
    rat: [[i32]2]nr, rw: [[[f32]q]2]nr) -> (trace, wx, wy, later, np) =
    all(step(velocity(p, vx, vy), p), p, now, f, (sat, sw), (rat, rw))
time (p, vx, vy, now) <- (np, wx, wy, later)
END
# Sources in a grid of zeros that a map reads, and a field that a map and receivers read.
cat >"$work/read.lift" <<'END'
size nx = 21, ny = 11, ns = 3, nr = 7, q = 2
type grid = [[f32]nx]ny
fun around(x) = slide2(3, 1, pad2(1, 1, constant 0.0, x))
stencil read(u: grid, f: [f32]ns, sat: [[i32]2]ns, sw: [[[f32]q]2]ns, rat: [[i32]2]nr,
    rw: [[[f32]q]2]nr) -> (next, trace) {
    val source = inject(array2(ny, nx, fun(i, j => 0.0)), (sat, sw), f)
    val next = map2(fun((w, s) => 0.25 * (w[0][1] + w[2][1] + w[1][0] + w[1][2]) + s),
        zip2(around(u), source))
    return (next, sample(u, (rat, rw)))
}
time u <- next
END

# ---- options are for grids, whatever lists the result has, too
options() { # program: its options of kernels
    "$lift" check "$1" | sed -n '/^  decisions/,$p' | sed '/ devices \| edges /d; s/^  decisions *//'
}
options "$work/grids.lift" >"$work/without"
options "$work/points.lift" >"$work/with"
verdict "options of a program without points are listed" "$(grep -q 'overlapped_slabs' "$work/without" || echo none)"
verdict "receivers and a counter take no option away" "$(diff "$work/without" "$work/with")"

# ---- sampling is a loop over receivers, however the grids are made
# Loops of few iterations have no threads: one pragma more, that of the loop over 300 receivers.
code() { # program, point, sizes
    "$lift" derive "$1" --size "$3" --decide "$2" --emit source | sed '1,/\*\//d'
}
for point in unrolling=full,simd=explicit,parallel=omp_static points_per_thread=vector_block,tiling=guarded,unrolling=full,simd=explicit,parallel=omp_tasks; do
    code $shot $point nr=3,q=2 >"$work/few"
    code $shot $point nr=300,q=16 >"$work/many"
    few=$(grep -cv '#pragma omp' "$work/few") many=$(grep -cv '#pragma omp' "$work/many")
    verdict "code does not grow with receivers: $point" "$([ "$few" -eq "$many" ] || echo "$few and $many lines")"
    few=$(grep -c '#pragma omp' "$work/few") many=$(grep -c '#pragma omp' "$work/many")
    verdict "one loop more has threads: $point" "$([ "$((few + 1))" -eq "$many" ] || echo "$few and $many pragmas")"
done

# ---- points stay outside of loops that read the arrays that they add to, unless an option says
# otherwise
"$lift" derive "$work/read.lift" --decide parallel=omp_static --emit term >"$work/term"
verdict "a grid with injected points is stored where a map reads it" \
    "$(grep -q 'toGlobal' "$work/term" || cat "$work/term")"

right() { # program, options, points
    program=$1
    options=$2
    shift 2
    count=$#
    for point; do set -- "$@" --decide "$point" && shift; done
    # shellcheck disable=SC2086
    run "$lift" derive "$program" $options --each "$@" --verify
    verdict "right: $program" "$([ "$status" -eq 0 ] && [ "$(grep -c ': ok ' "$work/out")" -eq "$count" ] ||
        cat "$work/out" "$work/err")"
}
right $shot "$small" injection=fused,simd=explicit,parallel=omp_static \
    injection=fused,simd=explicit_shuffle,predicate_hoisting=per_vector,parallel=omp_static simd=explicit,parallel=omp_static,halo=allocated,pitch=aligned,update=in_place,stores=non_temporal,plane_pitch=padded
right "$work/points.lift" "" intermediates=stored,temporal=overlapped_slabs,parallel=omp_static,halo=allocated \
    intermediates=stored,temporal=wavefront,parallel=omp_team \
    intermediates=stored,simd=explicit,parallel=omp_tasks,halo=allocated,pitch=aligned,stores=non_temporal,plane_pitch=padded
right "$work/read.lift" "" simd=explicit,parallel=omp_static unrolling=full,parallel=omp_static

finish
