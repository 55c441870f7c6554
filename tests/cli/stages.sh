#!/bin/sh
# Programs with intermediates that separate kernels store: each equals the program's result at odd
# sizes, and computes each point of an intermediate once.
. "$(dirname "$0")/cli.sh"
"$lift" devices >"$work/devices"

cat >"$work/two.lift" <<'END'
size nx = 61, ny = 47
stencil two(u: [[f32]nx]ny) -> v = {
    val root = map2(w => sqrt(w[0][1] * w[0][1] + w[2][1] * w[2][1] + 1.0), slide2(3, 1, pad2(1, 1, clamp, u)))
    return map2(fun((w, x) => w[0][1] + w[2][1] + w[1][0] - 3.0 * w[1][2] + x),
        zip2(slide2(3, 1, pad2(1, 1, mirror, root)), u))
}
END
cat >"$work/waves.lift" <<'END'
size nx = 61, ny = 47
type grid = [[f32]nx]ny
param dt: f32 = 0.1
stencil waves(vx: grid, vy: grid, p: grid) -> (wx, wy, q) = {
    val windows = slide2(3, 1, pad2(1, 1, constant 0.0, p))
    val wx = map2(fun((v, w) => v + dt * (w[1][2] - w[1][1])), zip2(vx, windows))
    val wy = map2(fun((v, w) => v + dt * (w[2][1] - w[1][1])), zip2(vy, windows))
    return (wx, wy,
        map2(fun((q, a, b) => q + dt * (a[1][1] - a[1][0] + b[1][1] - b[0][1])),
            zip2(p, slide2(3, 1, pad2(1, 1, constant 0.0, wx)),
                slide2(3, 1, pad2(1, 1, constant 0.0, wy)))))
}
END
cat >"$work/four.lift" <<'END'
size nx = 61, ny = 47
fun step(u) = map2(w => 0.25 * (sqrt(w[0][1] * w[0][1]) + w[2][1] + w[1][0] + w[1][2]), slide2(3, 1, pad2(1, 1, clamp, u)))
stencil four(u: [[f32]nx]ny) -> v = iterate(4, step, u)
END
cat >"$work/deep.lift" <<'END'
size nx = 19, ny = 11, nz = 9
fun sum(w) = w[0][1][1] + w[2][1][1] + w[1][0][1] + w[1][2][1] + w[1][1][0] - 5.0 * w[1][1][2]
stencil deep(u: [[[f32]nx]ny]nz) -> (v, b) = {
    val a = map3(sum, slide3(3, 1, pad3(1, 1, clamp, u)))
    val b = map3(fun((w, x) => w[1][1][1] * x + sum(w)), zip3(slide3(3, 1, pad3(1, 1, mirror, a)), u))
    return (map3(fun((w, x) => x + sum(w)), zip3(slide3(3, 1, pad3(1, 1, constant 0.0, b)), a)), b)
}
END

cat >"$work/grids.lift" <<'END'
size na = 5, nb = 5, nc = 3, nd = 3
fun sum(w) = w[0][0][1][1] + 0.5 * w[0][1][0][1] - w[1][0][1][2]
fun step(u) = map4(sum, slide4((2, 2, 2, 3), 1, pad4((0, 1, 1, 1), (1, 0, 0, 1), clamp, u)))
stencil grids(u: [[[[f32]na]nb]nc]nd) -> v = step(step(u))
END
sed 's/grids(u/results(u/; s/-> v = .*/-> (v, b) = let a = step(u) in let b = step(a) in (step(b), b)/' \
    "$work/grids.lift" >"$work/results.lift"
cat >"$work/ring.lift" <<'END'
size n = 61
fun step(u) = map(w => sqrt(w[0]) + w[2], slide(3, 1, pad(1, 1, wrap, u)))
stencil ring(u: [f32]n) -> v = step(step(u))
END

cat >"$work/staggered.lift" <<'END'
size n = 61
stencil staggered(u: [f32]n) -> v = {
    val a = map(w => w[0] + w[2] * w[3], slide(4, 1, pad(2, 2, wrap, u)))
    val b = map(w => w[0] - w[1], slide(2, 1, a))
    return map(w => w[0] + w[2], slide(3, 1, pad(1, 1, wrap, b)))
}
END
cat >"$work/rings.lift" <<'END'
size nx = 61, ny = 47
fun around(u) = map(pad(1, 1, wrap), pad(1, 1, clamp, u))
fun sum(w) = 0.2 * (w[0][1] + 2.0 * w[2][1] + w[1][0] - w[1][2] + w[0][0])
stencil rings(u: [[f32]nx]ny) -> v = {
    val a = map2(sum, slide2(3, 1, around(u)))
    val b = map2(sum, slide2(3, 1, around(a)))
    return map2(fun((w, x) => sum(w) + x), zip2(slide2(3, 1, around(b)), a))
}
END
cat >"$work/loop.lift" <<'END'
size nx = 61, ny = 47
fun step(u) = map2(w => 0.5 * (w[0][1] + w[1][2]), slide2(3, 1, pad2(1, 1, clamp, u)))
stencil loop(u: [[f32]nx]ny, q: [[f32]nx]ny) -> (v, a) = {
    val a = map2(fun((w, q) => w[0][1] - q), zip2(slide2(3, 1, pad2(1, 1, wrap, u)), q))
    val b = iterate(20, fun(x => map2(fun((x, q) => x + 0.1 * q), zip2(step(x), q))), a)
    return (iterate(3, step, map2(fun((b, a) => b + a), zip2(b, a))), a)
}
END

# Some points of a program, each compared with it.
verified() { # program, sizes, device, points
    points=
    for point in $4; do
        points="$points --decide intermediates=stored,$point"
    done
    # shellcheck disable=SC2086
    expect "$1 of $2 on $3" 0 ": ok" "$lift" derive "$work/$1.lift" $points --each --verify \
        --device "$3" --size "$2"
    verdict "all $(echo "$4" | wc -w) of them" "$([ "$(grep -c ': ok' "$work/out")" -eq \
        "$(echo "$4" | wc -w)" ] || cat "$work/out")"
}
# Each kind with one of the programs: random programs (tests/random) have them all.
verified two nx=61,ny=47 host "parallel=omp_static boundary=per_dimension,parallel=omp_static temporal=overlapped,parallel=omp_static
    temporal=streamed,parallel=omp_static"
verified waves nx=61,ny=47 host "tiling=guarded,points_per_thread=row,parallel=omp_tasks temporal=overlapped_specialised,parallel=omp_tasks
    temporal=streamed,parallel=omp_static temporal=streamed_slabs,row_ends=masked_vectors,simd=explicit,predicate_hoisting=per_row,parallel=omp_dynamic
    temporal=paired_slabs,row_ends=masked_vectors,simd=explicit,predicate_hoisting=per_row,parallel=omp_static temporal=paired_slabs,parallel=omp_tasks"
expect "indices before loops over lanes" 0 "const long at_" "$lift" derive programs/jacobi2d5.lift \
    --steps 2 --size nx=300,ny=67 --emit source --set slab_y=16,vector=8 --decide \
    intermediates=stored,temporal=paired_slabs,row_ends=masked_vectors,simd=explicit,predicate_hoisting=per_row,parallel=omp_static
verdict "no minimum is left in them" "$(awk '/LIFT_M(IN|AX)/ && /lift_f32x8/' "$work/out")"
waves=row_ends=masked_vectors,simd=explicit,predicate_hoisting=per_row,parallel=omp_team
verified waves nx=61,ny=47 host "temporal=wavefront_eight,$waves temporal=wavefront_sixteen,$waves,halo=allocated,pitch=aligned,stores=non_temporal,plane_pitch=padded
    temporal=wavefront_two,parallel=sequential temporal=wavefront_eight,parallel=omp_team"
verified waves nx=17,ny=1 host "temporal=wavefront_eight,$waves"
expect "all threads go through a wavefront" 0 "restrict ring_" "$lift" derive \
    "$work/four.lift" --decide intermediates=stored,temporal=wavefront_eight,$waves --emit source
verdict "together" "$([ "$(grep -c '#pragma omp parallel$' "$work/out")" -eq 1 ] || grep omp "$work/out")"
verdict "and share each stage" "$([ "$(grep -c '#pragma omp for schedule(static)$' "$work/out")" -eq 4 ] ||
    grep omp "$work/out")"
verdict "whose rings are temporaries" "$(grep 'float ring_[0-9]*\[' "$work/out")"
verified four nx=61,ny=47 host "simd=explicit,parallel=omp_dynamic,halo=allocated,pitch=aligned,stores=non_temporal,plane_pitch=padded
    streaming=register_column,parallel=omp_static,halo=allocated,pitch=aligned temporal=overlapped_slabs,parallel=omp_static
    temporal=streamed_slabs,row_ends=peeled,simd=explicit,parallel=omp_dynamic"
verified ring n=61 host "temporal=overlapped,parallel=omp_static temporal=overlapped_specialised,parallel=omp_static"
verified rings nx=17,ny=1 host "temporal=streamed,parallel=omp_static temporal=paired_slabs,parallel=omp_static"
verified rings nx=61,ny=47 host "temporal=overlapped_specialised,parallel=omp_static"
verified loop nx=17,ny=5 host "parallel=omp_static"

# Sides of a choice: a separate kernel would compute a stage even where the other side is chosen.
cat >"$work/sides.lift" <<'END'
size n = 64
param p: i32 = 2
fun sum(x) = map(w => w[0] + 0.5 * w[2], slide(3, 1, pad(1, 1, clamp, x)))
stencil sides(x: [f32]n, z: [f32]n) -> (y, a) = {
    val t = sum(x)
    return (if p > 1i then map(w => w[0] + w[2], slide(3, 1, pad(0, 2, clamp, map(r => r * r, x)))) else z,
        sum(if p < 3i then sum(sum(t)) else t))
}
END
verified sides n=61 host "parallel=omp_static boundary=faces,parallel=omp_static"
expect "stages on a side of a choice can be explored" 0 "best of sides" "$lift_explore" "$work/sides.lift" \
    --trials 2 --max-exprs 2 --quiet --no-final-benchmark --db "$work/sides.db"
cat >"$work/long.lift" <<'END'
size n = 64
param p: i32 = 2
fun sum(x) = map(w => w[0] + 0.5 * w[2], slide(3, 1, pad(1, 1, clamp, x)))
stencil long(x: [f32]n) -> y = if p > 1i then iterate(40, sum, x) else x
END
expect "many steps on a side of a choice" 1 "or on one side of an 'if'" "$lift" derive "$work/long.lift" \
    --decide intermediates=stored,parallel=omp_static

# Without a database: a kernel for each stage, so that text grows with their number only.
cat >"$work/star.lift" <<'END'
size nx = 12, ny = 7
stencil star(u: [[f32]nx]ny) -> v = map2(w => 0.2 * (w[0][1] + w[2][1] + w[1][0] + w[1][2] + w[1][1]),
    slide2(3, 1, pad2(1, 1, clamp, u)))
time (u) <- (v)
END
for device in host cuda:sm_90; do
    expect "a plan of eight steps for $device" 0 "star_8(" "$lift" best "$work/star.lift" --steps 8 \
        --device "$device" --emit source
    verdict "are short" "$([ "$(wc -c <"$work/out")" -lt 20000 ] || wc -c "$work/out")"
done
verified waves nx=17,ny=1 host "parallel=omp_static tiling=slabs,parallel=omp_dynamic"
tiled="temporal=overlapped,parallel=omp_static temporal=overlapped_specialised,parallel=omp_tasks temporal=overlapped_slabs,parallel=omp_static"
verified deep nx=19,ny=11,nz=9 host "$tiled"

verified deep nx=61,ny=5,nz=33 host "temporal=overlapped_specialised,parallel=omp_tasks"
verified grids na=5,nb=5,nc=3,nd=3 host "temporal=overlapped_specialised,parallel=omp_static"
verified results na=5,nb=5,nc=3,nd=3 host "temporal=overlapped,parallel=omp_static temporal=overlapped_slabs,parallel=omp_static"
verified deep nx=19,ny=11,nz=9 host "parallel=omp_static tiling=guarded,parallel=omp_static streaming=planes,parallel=omp_tasks"
if grep -q '^opencl:0' "$work/devices"; then
    verified waves nx=61,ny=47 opencl:0 "parallel=threads tiling=guarded,tile_cache=shared,parallel=blocks"
    verified four nx=61,ny=47 opencl:0 "temporal=overlapped,parallel=blocks
        temporal=streamed,streaming=intermediate_planes,parallel=blocks,buffering=double"
    verified deep nx=19,ny=11,nz=9 opencl:0 "temporal=overlapped,parallel=blocks"
    verified two nx=61,ny=47 opencl:0 "temporal=streamed,parallel=blocks"
    expect "rows in registers" 0 "ok {" "$lift" derive programs/jacobi2d5.lift --steps 3 --verify \
        --decide intermediates=stored,temporal=register_strips,predicates=after_values,unrolling=addition_chains,parallel=blocks --set block_x=32 \
        --size nx=300,ny=67 --device opencl:0
    expect "clamped rows" 0 "ok {" "$lift" derive "$work/two.lift" --verify \
        --decide intermediates=stored,temporal=register_strips,parallel=blocks --set block_x=32 --device opencl:0
    expect "rows around the ends" 0 "ok {" "$lift" derive "$work/rings.lift" --verify \
        --decide intermediates=stored,temporal=register_strips,parallel=blocks --set block_x=32 --device opencl:0
    verified rings nx=61,ny=47 opencl:0 "temporal=overlapped,parallel=blocks temporal=streamed,parallel=blocks"
    expect "rows apart" 0 "ok {" "$lift" derive programs/star2d1r.lift --steps 2 --verify \
        --decide intermediates=stored,temporal=register_strips_specialised,predicates=after_values,parallel=blocks --set block_x=32 \
        --size nx=300,ny=67 --device opencl:0
    expect "rows of planes" 0 "ok {" "$lift" derive programs/star3d1r.lift --steps 2 --verify \
        --decide intermediates=stored,temporal=register_strips,streaming=intermediate_planes,unrolling=addition_chains,parallel=blocks,buffering=double \
        --set block_x=32,block_y=4,slab_z=4,vectors_x=1,points_y=2,threads_y=4 --size nx=130,ny=13,nz=9 --device opencl:0
    verified deep nx=19,ny=11,nz=9 opencl:0 "parallel=threads tiling=guarded,streaming=planes,parallel=blocks"
    # Optimised: PoCL compiles barriers in loops under tests so that they hang.
    grids="--decide intermediates=stored,temporal=overlapped_specialised,parallel=blocks --set tile_z=1,tile_y=2,tile_x=1,block_x=4,block_y=2,block_z=2"
    # shellcheck disable=SC2086
    expect "four dimensions in groups" 0 "ok {" env POCL_EXTRA_BUILD_FLAGS= "$lift" derive \
        "$work/grids.lift" $grids --verify --device opencl:0
else
    skip "stages with work-groups" "no OpenCL device"
fi
for device in cuda:sm_90 hip:gfx90a; do
    if grep -q "${device#*:}" "$work/devices"; then
        expect "compiled for $device" 0 "registers" "$lift" derive "$work/four.lift" --build-only \
            --decide intermediates=stored,tiling=guarded,parallel=blocks --device $device
        expect "tiles of stages compiled for $device" 0 "registers" "$lift" derive \
            "$work/four.lift" --build-only --decide intermediates=stored,temporal=overlapped,parallel=blocks \
            --device $device
        expect "rows in registers compiled for $device" 0 "nothing spilled" "$lift" derive \
            programs/star2d1r.lift --steps 4 --size nx=512,ny=512 --set slab_y=64,block_x=32 \
            --decide intermediates=stored,temporal=register_strips_specialised,unrolling=addition_chains,parallel=blocks --build-only \
            --device $device
        expect "rows of planes compiled for $device" 0 "nothing spilled" "$lift" derive \
            programs/star3d1r.lift --steps 2 --size nx=512,ny=512,nz=512 --build-only \
            --decide intermediates=stored,temporal=register_strips,predicates=after_values,unrolling=addition_chains,parallel=blocks \
            --set block_x=32,block_y=8,slab_z=64,vectors_x=1,points_y=4,threads_y=8,min_blocks=1 --device $device
    else
        skip "stages for $device" "no compiler"
    fi
done

# The source of a TMA copy is in use: no kernel may write it. 'K B' for each map and each result.
"$lift" derive programs/box2d1r.lift --steps 4 --device cuda --size nx=512,ny=64 --emit source \
    --decide intermediates=stored,tiling=guarded,streaming=planes,buffered_streams=all,points_per_thread=row_vector,unrolling=full,parallel=blocks,buffering=triple,copy=tma,halo=allocated,pitch=aligned \
    >"$work/boxes.cu"
sed -n 's/.*_map of \([a-z0-9_]*\): CUtensorMap of \([a-z0-9_]*\) .*/\1 \2/p' "$work/boxes.cu" |
    sort >"$work/copied"
sed -n 's/.*) void \([a-z0-9_]*\)(float \*__restrict__ \([a-z0-9_]*\), const __grid.*/\1 \2/p' "$work/boxes.cu" |
    sort >"$work/written"
verdict "each of four kernels has one of both" \
    "$([ "$(wc -l <"$work/copied") $(wc -l <"$work/written")" = "4 4" ] || cat "$work/copied" "$work/written")"
verdict "no kernel writes what it copies boxes of" "$(comm -12 "$work/copied" "$work/written")"

# Threads of a row exchange four adjacent points by shuffles of four adjacent elements.
"$lift" derive programs/star3d1r.lift --steps 2 --device cuda --size nx=64,ny=64,nz=64 \
    --emit source --decide intermediates=stored,temporal=register_strips,predicates=after_values,unrolling=addition_chains,parallel=blocks \
    --set block_x=32,block_y=4,slab_z=16,vectors_x=1,points_y=4,threads_y=4 >"$work/rows.cu"
grep -o 'shown_[0-9]*\[l0[^]]*\] = ' "$work/rows.cu" |
    awk -F ' [+] ' '{ n = 0; for (i = 2; i <= NF; i++) if ($i ~ /^[0-9]+(] = )?$/) n = $i + 0; print n % 4 }' \
        >"$work/lanes"
verdict "points side by side are shown side by side" \
    "$([ -s "$work/lanes" ] && awk '$1 != (NR - 1) % 4' "$work/lanes" || echo none is shown)"

# From a circular buffer with rows of 128 elements a thread loads its own four; neighbours come by
# shuffles.
"$lift" derive programs/star3d1r.lift --steps 2 --device cuda --size nx=64,ny=64,nz=64 \
    --emit source --decide register_strips,neighbours=shuffle \
    --set block_x=32,block_y=4,slab_z=16,vectors_x=1,points_y=4,threads_y=4 >"$work/asked.cu"
grep -o ' ring_[0-9]*\[l0[^]]*\]' "$work/asked.cu" |
    awk -F ' [+] ' '{ n = 0; for (i = 2; i <= NF; i++) if ($i ~ /^[0-9]+(])?$/) n = $i + 0; print n % 128 }' |
    sort -nu | paste -sd " " >"$work/lanes"
verdict "neighbours in a circular buffer come by shuffles" \
    "$([ "$(cat "$work/lanes")" = "0 1 2 3" ] || cat "$work/lanes")"

# Elements stored in 16 bits are loaded, not copied, into a circular buffer. The load stays inside
# of the grid, so no element is skipped.
sed 's/\[\[\[f32\]nx\]ny\]nz)/[[[f32]nx]ny]nz store f16)/' programs/star3d1r.lift >"$work/half.lift"
for program in "$work/half.lift" programs/star3d1r.lift; do
    "$lift" derive "$program" --steps 2 --device cuda --size nx=512,ny=512,nz=512 --fixed-sizes --emit source \
        --family register_strips_quadruple --set block_x=32,block_y=4,slab_z=256,vectors_x=1,points_y=4,threads_y=4 >"$work/far.cu"
    grep -B1 'lift_\(store\|copy<16>\)(&ring_' "$work/far.cu" | grep -c 'if (256 <= w0'
done | paste -sd " " >"$work/left"
verdict "vectors that are no asynchronous copies are not skipped" \
    "$([ "$(cat "$work/left")" = "0 2" ] || cat "$work/left")"

# Grids that end within the first threads of a tile: a thread's value of an intermediate is the same
# for every reader.
for n in 8 11; do
    expect "a tile of 24 rows on a grid of $n" 0 "__global__" "$lift" derive programs/heat.lift \
        --steps 3 --size nx=24,ny=$n,nz=12 --set block_x=32,block_y=4,slab_z=16,vectors_x=1,points_y=6,threads_y=4 \
        --device cuda --emit source --family register_strips_arrive_wait
done

# Sums have no predicates: selections by predicates follow the sums.
sed '/\*\//,$!d' "$work/rows.cu" >"$work/rows"
verdict "sums come before their tests" \
    "$(grep ' = .* ? .*f [*] ' "$work/rows")"
verdict "rows of threads correct the sums together" \
    "$(grep -q 'if (__any_sync(0xffffffffu, !(' "$work/rows" || echo none does)"
verdict "by their tests" \
    "$(grep -q 'win_\([0-9]*\) = .* ? win_\1 : win_[0-9]*;' "$work/rows" || echo no)"

# Iterations that only fill a tile skip the barrier; all wait for the previous tile.
"$lift" derive "$work/grids.lift" --device cuda --emit source --set tile_z=2,block_x=4,block_y=2,block_z=2 \
    --decide intermediates=stored,temporal=overlapped,parallel=blocks >"$work/grids.cu"
verdict "loops that fill tiles have no barriers" \
    "$([ "$(grep -c '^    __syncthreads' "$work/grids.cu")" -eq "$(grep -c '__syncthreads();' "$work/grids.cu")" ] ||
        grep -B3 __syncthreads "$work/grids.cu")"
verdict "there is one between the stages" "$([ "$(grep -c '__syncthreads();' "$work/grids.cu")" -eq 1 ] ||
    grep -c '__syncthreads();' "$work/grids.cu")"

# A barrier in two parts: between them is the first stage, and no other.
"$lift" derive programs/star3d1r.lift --steps 2 --size nx=61 --size ny=47 --size nz=33 --device cuda \
    --emit source --family register_strips_arrive_wait --set block_x=32,block_y=4,slab_z=16,vectors_x=1,points_y=4,threads_y=4 >"$work/split.cu"
awk '/__global__/ { kernel = 1 } kernel && /for \(int i[0-9]* = 0/ { loop = 1 }
    loop && /lift_await_part/ { print "await" } loop && /lift_arrive_part/ { print "arrive" }
    loop && /lift_copy</ { print "copy" } loop && /shown_[0-9]*\[.*\] = / { print "show" }
    loop && /win_[0-9]* = .* [+] .*ring_/ { print "ring" }
    loop && /win_[0-9]* = .* [+] .*shown_/ { print "shown" }' "$work/split.cu" | uniq | head -7 |
    tr '\n' ' ' >"$work/order"
verdict "a barrier is passed in two parts" \
    "$([ "$(cat "$work/order")" = "ring await copy shown show arrive ring " ] || cat "$work/order")"
expect "not where rings are filled in two stages" 1 "in 3 pipeline stages" "$lift" derive \
    programs/star3d1r.lift --steps 2 --device cuda --emit source --set block_x=32,block_y=4 \
    --decide intermediates=stored,temporal=register_strips,streaming=intermediate_planes,unrolling=addition_chains,parallel=blocks,buffering=double \
    --apply 'topdown(barrierSplit)'

# The same with TMA copies: those of a step complete before it begins, and the next ones are issued
# after the barrier.
boxes="programs/star3d1r.lift --steps 2 --device cuda --emit source --set block_x=32,block_y=4,slab_z=16,vectors_x=1,points_y=4,threads_y=4"
# options are words
# shellcheck disable=SC2086
"$lift" derive $boxes --size nx=61,ny=47,nz=33 --family register_strips_tma >"$work/split.cu"
awk '/__global__/ { kernel = 1 } kernel && /for \(int i[0-9]* = 0/ { loop = 1 }
    loop && /lift_await\(/ { print "boxes" } loop && /lift_await_part/ { print "await" }
    loop && /lift_box\(/ { print "copy" } loop && /lift_arrive_part/ { print "arrive" }
    loop && /win_[0-9]* = .* [+] .*ring_/ { print "ring" }' "$work/split.cu" | uniq | head -6 |
    tr '\n' ' ' >"$work/order"
verdict "boxes are there before a step" \
    "$([ "$(cat "$work/order")" = "boxes ring await copy arrive boxes " ] || cat "$work/order")"
# shellcheck disable=SC2086
expect "not of rows that are no multiple of 16 bytes" 1 "whole 16 bytes (alignRows)" "$lift" derive \
    $boxes --size nx=61,ny=47,nz=33 --decide register_strips_arrive_wait,buffering=triple,copy=tma
expect "nor where rows are in registers" 1 "all are in registers" "$lift" derive \
    programs/star2d1r.lift --steps 2 --device cuda --emit source --set block_x=32 \
    --decide register_strips,streaming=intermediate_planes,buffering=triple,copy=tma
expect "nor of computed circular buffers" 1 "copy=tma needs temporal=" "$lift" derive \
    programs/star3d1r.lift --steps 2 --device cuda --emit source \
    --decide streamed,streaming=intermediate_planes,buffering=triple,copy=tma

# A divergent loop cannot exchange values by shuffles.
cat >"$work/row.lift" <<'END'
stencil row(x: [[f32]32]8) -> y = join(mapWrg(0, fun(t => mapSeqSlide(
    fun(W => mapLcl(0, fun(p => p.0 + p.1), zip(take(28, W[0]), take(28, drop(1, W[0]))))), 1, 1,
    map(fun(r => toPrivate(join(mapLcl(0, fun(c => mapUnroll(fun(e => e), c)), split(1, r))))), t))),
    split(4, x)))
END
expect "a loop of 28 work-items" 1 "a value of another work-item under a predicate" "$lift" derive \
    "$work/row.lift" --device cuda --set block_x=32 --emit source

# Each point of a stage is computed once.
count() { # program, options, pattern
    "$lift" derive "$work/$1.lift" --decide "$2,parallel=omp_static" --emit source | grep -v '^ \*' |
        grep -o "$3" | wc -l
}
verdict "a stored intermediate is computed once" \
    "$([ "$(count two intermediates=stored 'sqrtf(')" -eq 1 ] || echo "more than once")"
verdict "an inlined one at each use" \
    "$([ "$(count two intermediates=inline 'sqrtf(')" -gt 1 ] || echo "once")"
verdict "so is each of four" "$([ "$(count four intermediates=stored 'sqrtf(')" -eq 4 ] || echo "no")"
verdict "by four kernels" \
    "$([ "$(count four intermediates=stored 'void four_[0-9](')" -eq 4 ] || echo "no")"

verdict "tiles of four in one kernel" \
    "$([ "$(count four intermediates=stored,temporal=overlapped 'void four_[0-9](')" -eq 1 ] || echo "no")"
verdict "each computed once for a tile" \
    "$([ "$(count four intermediates=stored,temporal=overlapped 'sqrtf(')" -eq 4 ] || echo "no")"

# Inside, a stage reads its part without a test; at a boundary an index is cut.
"$lift" derive "$work/four.lift" --decide intermediates=stored,temporal=overlapped_specialised,parallel=omp_static --emit source |
    grep -v '^ \*' | grep 'sqrtf(' >"$work/sums"
verdict "tiles that touch no boundary have separate code" \
    "$([ "$(wc -l <"$work/sums")" -eq 8 ] || cat "$work/sums")"
verdict "without a test of it" "$([ "$(grep -c 'LIFT_M' "$work/sums")" -eq 4 ] || cat "$work/sums")"

# ---- programs without intermediates
expect "ends of grids that do not meet" 1 "another intermediate has another size" "$lift" derive \
    "$work/staggered.lift" --decide intermediates=stored,temporal=overlapped,parallel=omp_static
expect "a program without stages" 1 "no computed grid is read by windows" "$lift" derive \
    programs/heat.lift --decide intermediates=stored,parallel=omp_static
sed 's/iterate(4/iterate(40/' "$work/four.lift" >"$work/forty.lift"
expect "many steps need them" 1 "the stencils inside each other take more than 10 million steps" "$lift" derive \
    "$work/forty.lift" --decide parallel=omp_static --verify
expect "registers and a kept shell" 1 "an intermediate keeps the values of its boundary" "$lift" derive \
    programs/star2d1r.lift --steps 2 --device cuda \
    --decide intermediates=stored,boundary=shell,temporal=register_strips,parallel=blocks
expect "registers and another shell" 0 "" "$lift" derive programs/hotspot2d.lift --steps 2 --device cuda \
    --decide intermediates=stored,boundary=shell,temporal=register_strips,parallel=blocks
expect "and are no tile" 1 "kernels of steps are repeated" "$lift" derive "$work/forty.lift" \
    --decide intermediates=stored,temporal=overlapped,parallel=omp_static

# ---- explorations with intermediates
expect "an exploration" 0 "" "$lift_explore" "$work/two.lift" --jobs 1 --trials 12 --no-final-benchmark \
    --no-seeds --quiet --db "$work/db"
verdict "has stored stages" "$([ "$(query "$work/db" "SELECT count(*) FROM configuration p JOIN candidate c
    ON c.expr = p.expr WHERE options LIKE '%intermediates=stored%'")" -gt 0 ] || echo none)"
finish
