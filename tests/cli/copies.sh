#!/bin/sh
# The schedule of asynchronous copies, run on the host: kernels in CUDA C whose copies complete
# immediately or as late as their waits allow, compared with the host's kernel of the program. And
# kernels in HIP, which has no such copies.
#   sh tests/cli/copies.sh ROOT LIFT
. "$(dirname "$0")/cli.sh"

cd "$1" || exit 1

# The parameters of the kernel, with their types or without.
params_in() { # file, name of the kernel
    sed -n "s/^.*void $2(\(.*\))\$/\1/p" "$1"
}
names_of() {
    printf '%s\n' "$1" | tr ',' '\n' | sed 's/.*[ *]//' | paste -sd, -
}

# Reads the parameters of a tensor map from the kernel's text.
map_in() { # name of the map
    sed -n "s/^ \* $1 of $kernel: CUtensorMap of \([a-z0-9_]*\) from element \([0-9]*\) on,\
 dimensions \([0-9, ]*\), strides \([0-9, ]*\) elements, box \([0-9, ]*\), zeros outside.*/\
lift_map $1 = map_of(\1 + \2, {\3}, {\4}, {\5});/p" "$work/kernel.cu" | sed 's/ *$//'
}

# The kernels of the host, in their order.
host_kernels() {
    sed -n 's/^void \(on_host_[0-9]*\)(.*/\1/p' "$work/host.c"
}

# Parameters of all of these, each once.
host_params() {
    host_kernels | while read -r name; do
        params_in "$work/host.c" "$name" | tr ',' '\n'
    done | awk '!seen[$NF]++'
}

# A program that makes inputs, and compares. Outputs are the only pointers without const.
write_main() { # points, grid
    size=$(sed -n 's/^ \* [a-z]*: \([0-9]*\) elements, .*/\1/p' "$work/kernel.cu" | sort -u)
    kernel=$(sed -n 's/^.*void \([a-z0-9_]*_1\)(.*/\1/p' "$work/kernel.cu")
    params=$(params_in "$work/kernel.cu" "$kernel")
    names=$(names_of "$params")
    block=$(sed -n 's/.*__launch_bounds__(\([0-9]*\) \* \([0-9]*\) \* \([0-9]*\)).*/\1, \2, \3/p' \
        "$work/kernel.cu")
    echo '#include "cuda_on_host.hpp"'
    # The copies are those of the header; shared memory has the maximum size of a block.
    awk '/^#if defined\(__CUDA_ARCH__\)/ || /^#ifndef INFINITY/ { inside = 1; depth = 0 }
        inside { depth += /^#if/; depth -= /^#endif/; if (depth == 0) inside = 0; next }
        /^struct alignas\(64\) lift_map/, /^};/ { next }
        { print }' "$work/kernel.cu" |
        sed 's/extern __shared__\(.*\) lift_local\[\]/__shared__\1 lift_local[232448]/'
    host_kernels | sed 's/.*/extern "C" void &_call(void *const *);/'
    echo "int main() { const size_t n = ${size:-$1};"
    host_params | while read -r param; do
        what=$(names_of "$param")
        case $param in
            const*\**) echo "REAL *$what = random_data(n), *host_$what = $what;" ;;
            *\**) echo "REAL *$what = result(n), *host_$what = result(n);" ;;
            *) echo "REAL $what = 0.3f, host_$what = $what;" ;;
        esac
    done
    echo "auto on_host = [&] {"
    host_kernels | while read -r name; do
        echo "{ void *args[] = {"
        params_in "$work/host.c" "$name" | tr ',' '\n' | while read -r param; do
            case $param in
                *\**) echo "host_$(names_of "$param")," ;;
                *) echo "&host_$(names_of "$param")," ;;
            esac
        done
        echo "}; ${name}_call(args); }"
    done
    echo "}; on_host();"
    outs=$(printf '%s\n' "$params" | tr ',' '\n' | grep -F '*' | grep -v const | sed 's/.*[ *]//')
    first=$(printf '%s\n' "$outs" | head -n 1)
    host_params | sed -n "s/const.*[ *]\(.*\)/clear_halo(n, \1, host_$first);/p"
    if [ -n "$beside" ]; then
        stride=$(sed -n 's/^ \* u: .* at [0-9]* + \([0-9]*\) i .*/\1/p' "$work/kernel.cu")
        echo "fill_planes(n, u, host_$first, $stride, $beside);"
    fi
    echo "on_host();"
    printf '%s\n' "$params" | tr ',' '\n' | sed -n 's/.*lift_map \(.*\)/\1/p' | while read -r map; do
        map_in "$map"
    done
    for out in $outs; do
        echo "compare(n, $out, host_$out, [&] { launch({$2}, {$block}, [&] {"
        echo "$kernel($names); }); });"
    done
    echo "}"
}

plain="--family omp_rows" # what makes the host's kernel
real=float
folder=programs
beside= # planes before and behind the grid in memory that it goes on in

# Functions that kernels call are compiled once.
runtime() {
    [ -e "$work/$real.o" ] ||
        c++ -O1 -w -DREAL=$real -c -o "$work/$real.o" tests/cli/cuda_on_host.cpp
}

# Compiles the host's kernels, unless they are those of the call before.
host=
host_kernel() { # program, sizes and precision
    [ "$host" != "$plain $*" ] || return 0
    host="$plain $*"
    # options are words
    # shellcheck disable=SC2086
    "$lift" derive "$folder/$1.lift" $2 $plain --emit source |
        sed "s/\\<$1_\([0-9]*\)(/on_host_\1(/; s/\\<$1_\([0-9]*\)_call(/on_host_\1_call(/" >"$work/host.c"
    ${CC:-cc} -O1 -w -c -o "$work/host.o" "$work/host.c"
}

# The device has one kernel.
agree() { # program, family or point, options, sizes, points, grid, text of the kernel
    what="$device $1 $2 $3"
    sizes="--size $4"
    [ $real = float ] || sizes="$sizes --precision $real"
    runtime
    host_kernel "$1" "$sizes"
    # options are words
    # shellcheck disable=SC2086
    "$lift" derive "$folder/$1.lift" $sizes --decide "$2" --emit source --device $device $3 \
        >"$work/kernel.cu"
    if ! grep -qF -- "$7" "$work/kernel.cu"; then
        not_ok "$what" "no '$7' in $(cat "$work/kernel.cu")"
        return
    fi
    write_main "$5" "$6" >"$work/main.cpp"
    run c++ -O0 -w -DREAL=$real -Itests/cli -o "$work/agree" \
        "$work/main.cpp" "$work/$real.o" "$work/host.o"
    [ "$status" -ne 0 ] || run "$work/agree"
    if [ "$status" -eq 0 ]; then
        ok "$what: $(tail -n 1 "$work/out")"
    else
        not_ok "$what" "$(cat "$work/out" "$work/err")"
    fi
}

if ! command -v c++ >/dev/null; then
    skip "copies" "no c++"
    finish
fi
small="nx=37,ny=17,nz=14"
device=cuda
agree acoustic_iso star_split_shift_async "--set tile_z=7,tile_y=4,tile_x=16,block_x=16,block_y=4" \
    $small 8806 "3, 5, 2" "lift_copy<4>("
agree acoustic_iso star_split_unroll_async "--set tile_z=9,tile_y=8,tile_x=8,block_x=8,block_y=8" \
    $small 8806 "5, 3, 2" "lift_wait<1>();"
agree acoustic_iso star_split_plane_first_async "--set tile_z=5,tile_y=4,tile_x=16,block_x=16,block_y=4" \
    $small 8806 "3, 5, 3" "lift_wait<1>();"
agree acoustic_vd planes_semi_async "--set tile_z=7,tile_y=4,tile_x=16,block_x=16,block_y=4" \
    $small 8806 "3, 5, 2" "lift_wait<0>();"
agree hotspot3d planes_smem_async "--set tile_z=7,tile_y=4,tile_x=16,block_x=16,block_y=4" \
    $small 8806 "3, 5, 2" "lift_copy<4>("
agree acoustic_iso star_split_plane_first_block_x "--set tile_z=6,tile_y=4,tile_x=16,points_x=4,block_x=4,block_y=4" \
    nx=40,ny=17,nz=12 8160 "3, 5, 2" "lift_copy<16>("
agree acoustic_iso star_split_plane_first_vector4 "--set tile_z=6,tile_y=4,tile_x=16,block_x=4,block_y=4" \
    nx=48,ny=16,nz=12 9216 "3, 4, 2" "], &vp["
# Tiles extend beyond the end of rows of whole vectors; the loops of copies have two iterations.
agree acoustic_iso star_split_plane_first_vector4 "--set tile_z=6,tile_y=4,tile_x=16,block_x=4,block_y=4" \
    nx=40,ny=17,nz=12 8160 "3, 5, 2" "_turn < 2; "
agree hotspot3d planes_smem_vector4 "--set tile_z=7,tile_y=4,tile_x=16,block_x=4,block_y=4" \
    $small 8806 "3, 5, 2" "lift_wait<1>();"
# A radius that is no multiple of the vector: rows still begin at a whole vector.
agree acoustic star_split_shift_vector4 "--set tile_z=6,tile_y=4,tile_x=16,block_x=4,block_y=4" \
    nx=48,ny=16,nz=12 9216 "3, 4, 2" "lift_copy<16>("
# ... or the last lanes of rows are stored one by one.
agree acoustic star_split_shift_block_x \
    "-a topdown(circularCopy(async)) --set tile_z=6,tile_y=4,tile_x=16,points_x=4,block_x=4,block_y=4" \
    nx=48,ny=16,nz=12 9216 "3, 4, 2" "lift_copy<4>("
# With one pipeline stage a step waits for its own copies, with two for those of the previous step.
for stages in 1 2 4; do
    case $stages in
        1) more= ;;
        *) more="-a topdown(pipelineStages($stages))" ;;
    esac
    agree acoustic_iso star_split_shift "$more -a topdown(circularCopy(async)) --set tile_z=7,tile_y=4,tile_x=16,block_x=16,block_y=4" \
        $small 8806 "3, 5, 2" "lift_commit();"
done

device=hip
agree acoustic_iso star_split_shift_async "--set tile_z=7,tile_y=4,tile_x=16,block_x=16,block_y=4" \
    $small 8806 "3, 5, 2" "__shared__ "
agree acoustic_iso star_split_plane_first_vector4 "--set tile_z=6,tile_y=4,tile_x=16,block_x=4,block_y=4" \
    nx=48,ny=16,nz=12 9216 "3, 4, 2" "(*(const lift_f32x4 *)&vp["
agree hotspot3d planes_smem_vector4 "--set tile_z=7,tile_y=4,tile_x=16,block_x=4,block_y=4" \
    $small 8806 "3, 5, 2" "vector_size(16)"
agree acoustic_iso vector4 "--set block_x=4,block_y=4" $small 8806 "3, 5, 14" "vector_size(16)"

device=cuda
# Boxes: of grids with a halo in the buffers or without, and tiles that hang over in all
# dimensions.
plain="--family omp_rows --decide halo=allocated,pitch=aligned"
for family in star_split_plane_first_tma star_split_shift_tma planes_smem_tma; do
    agree acoustic_iso $family "--set tile_z=6,tile_y=4,tile_x=16,block_x=4,block_y=4" \
        nx=48,ny=16,nz=12 0 "3, 4, 2" "lift_box("
    agree acoustic_iso $family "--set tile_z=5,tile_y=4,tile_x=16,block_x=4,block_y=4" \
        nx=37,ny=17,nz=14 0 "3, 5, 3" "lift_box("
done
# Without a barrier per step, and other users of TMA copies: sums in halves, L2 prefetch of the next
# step's elements, adjacent lanes that are stored together.
for family in star_split_plane_first_tma star_split_shift_tma planes_smem_tma \
    planes_smem_tma,accumulation=semi_each,prefetch=to_l2 planes_smem_tma,buffering=triple,copy=tma,accumulation=semi_each,predicates=merged; do
    agree acoustic_iso $family,barrier=slot_counter "--set tile_z=6,tile_y=4,tile_x=16,block_x=4,block_y=4" \
        nx=48,ny=16,nz=12 0 "3, 4, 2" "lift_await_readers("
    agree acoustic_iso $family,barrier=slot_counter "--set tile_z=5,tile_y=4,tile_x=16,block_x=4,block_y=4" \
        nx=37,ny=17,nz=14 0 "3, 5, 3" "lift_await_readers("
done
# So, too, where a window is fixed by unrolling, where a step does several planes, or both.
for more in register_rotation=unrolled planes_per_step=several_planes planes_per_step=divisible_planes planes_per_step=several_planes,register_rotation=unrolled; do
    case $more in fold*) planes=planes=2, ;; *) planes= ;; esac
    agree acoustic_iso star_split_shift_tma,barrier=slot_counter,$more \
        "--set tile_z=12,tile_y=4,tile_x=16,${planes}block_x=16,block_y=4" \
        nx=37,ny=17,nz=24 0 "3, 5, 2" "lift_await_readers("
done
# Patches of planes in streams of intermediates: circular buffers of one input, or of two; grids
# with fewer planes than a tile or than the copies in flight; a whole barrier, or a split one.
plain="--decide intermediates=stored,parallel=omp_static"
rows=register_strips,streaming=intermediate_planes
agree star3d1r register_strips_arrive_wait,buffering=quadruple,copy=tma "--set slab_z=3,vectors_x=1,points_y=3,threads_y=4,block_x=32,block_y=4" \
    "nx=132,ny=7,nz=7 --steps 4" 6468 "2, 2, 3" "lift_await_part("
agree star3d1r register_strips_arrive_wait,buffering=triple,copy=tma "--set slab_z=16,vectors_x=1,points_y=3,threads_y=4,block_x=32,block_y=4" \
    "nx=132,ny=7,nz=3 --steps 2" 2772 "2, 1, 1" "lift_await_part("
agree acoustic $rows,buffering=quadruple,copy=tma "--set slab_z=9,vectors_x=1,points_y=3,threads_y=4,block_x=32,block_y=4" \
    "nx=108,ny=7,nz=19 --steps 2" 14364 "1, 1, 3" "lift_box("
for options in buffering=quadruple,copy=tma,predicates=specialised_steps predicates=specialised_steps predicates=specialised_steps,neighbours=shuffle; do
    agree star3d1r "register_strips_arrive_wait,$options" "--set slab_z=9,vectors_x=1,points_y=3,threads_y=4,block_x=32,block_y=4" \
        "nx=132,ny=7,nz=19 --steps 3" 17556 "2, 2, 3" "edge_"
done
agree heat register_strips_quadruple,predicates=specialised_steps "--set slab_z=5,vectors_x=1,points_y=2,threads_y=6,block_x=32,block_y=6" \
    "nx=133,ny=9,nz=11 --steps 2" 13167 "2, 2, 3" "edge_"
folder=tests/programs
agree pair register_strips_arrive_wait,buffering=quadruple,copy=tma "--set slab_z=16,vectors_x=1,points_y=3,threads_y=5,block_x=32,block_y=5" \
    "nx=140,ny=17,nz=21 --steps 2" 49980 "2, 2, 2" "lift_box("
agree pair $rows,buffering=triple,copy=tma "--set slab_z=7,vectors_x=1,points_y=3,threads_y=4,block_x=32,block_y=4" \
    "nx=140,ny=17,nz=21 --steps 2" 49980 "2, 3, 3" "lift_box("
plain="--family omp_rows"
agree wave_mirror register_strips_arrive_wait,buffering=quadruple,copy=tma \
    "--set slab_z=1,vectors_x=1,points_y=4,threads_y=3,block_x=32,block_y=3" \
    nx=124,ny=13,nz=5 8060 "2, 3, 5" "lift_box("
plain="--family omp_rows --decide halo=allocated,pitch=aligned"
folder=tests/programs # planes beside those of the grid are read, too
for family in star_split_plane_first_tma star_split_shift_tma planes_smem_tma; do
    for program in planes_beside planes_behind; do
        beside="4, 4"
        [ $program = planes_beside ] || beside="0, 4"
        agree $program $family "--set tile_z=5,tile_y=4,tile_x=16,block_x=4,block_y=4" \
            nx=37,ny=17,nz=14 0 "3, 5, 3" "lift_box("
    done
done
folder=programs beside=
plain="--family omp_rows -a alignRows" # zeros come from outside of the map, not from a halo
for family in star_split_plane_first_tma star_split_shift_tma; do
    agree acoustic $family,halo=none,pitch=default,update=out_of_place,stores=default,plane_pitch=default "-a alignRows --set tile_z=5,tile_y=4,tile_x=16,block_x=4,block_y=4" \
        nx=37,ny=17,nz=14 0 "3, 5, 3" "lift_box("
done
plain="--family omp_rows --decide halo=allocated,pitch=aligned"
agree acoustic_iso star_split_plane_first_unroll_tma "--set tile_z=11,tile_y=4,tile_x=16,block_x=4,block_y=4" \
    nx=37,ny=17,nz=14 0 "3, 5, 2" "lift_box("
# Whole rows: the halo lies in the buffers, of the host's kernel too.
plain="--family omp_rows --decide halo=allocated,pitch=aligned"
agree acoustic_iso star_split_plane_first_vector4,halo=allocated,pitch=aligned "--set tile_z=6,tile_y=4,tile_x=16,block_x=4,block_y=4" \
    nx=48,ny=16,nz=12 0 "3, 4, 2" "lift_"
# The window fixed by unrolling: a round of nine steps, and a rest.
for family in star_split_unroll_vector4,halo=allocated,pitch=aligned star_split_plane_first_unroll_vector4,halo=allocated,pitch=aligned; do
    agree acoustic_iso $family "--set tile_z=11,tile_y=4,tile_x=16,block_x=4,block_y=4" \
        nx=40,ny=5,nz=13 0 "3, 2, 2" "lift_"
done
# In double precision a vector of four is two copies of 16 bytes.
real=double
for family in star_split_plane_first_tma star_split_shift_vector4,halo=allocated,pitch=aligned; do
    agree acoustic_iso $family "--set tile_z=6,tile_y=4,tile_x=16,block_x=4,block_y=4" \
        nx=48,ny=16,nz=12 0 "3, 4, 2" "lift_"
done
plain="--family omp_rows"
agree acoustic_vd planes_semi_async "--set tile_z=7,tile_y=4,tile_x=16,block_x=16,block_y=4" \
    $small 8806 "3, 5, 2" "lift_wait<0>();"
agree hotspot3d planes_smem_async "--set tile_z=7,tile_y=4,tile_x=16,block_x=16,block_y=4" \
    $small 8806 "3, 5, 2" "lift_copy<8>("
# Steps whose threads exchange registers by shuffles.
real=float
folder=tests/programs
agree wave_mirror register_strips "--set slab_z=4,vectors_x=1,points_y=3,threads_y=4,block_x=32,block_y=4" \
    nx=61,ny=47,nz=5 14335 "1, 8, 2" "float shown_"
# Steps whose threads exchange loads of a circular buffer in shared memory.
agree wave_mirror register_strips,neighbours=shuffle \
    "--set slab_z=4,vectors_x=1,points_y=3,threads_y=4,block_x=32,block_y=4" \
    nx=61,ny=47,nz=5 14335 "1, 8, 2" "__shfl_down_sync(0xffffffffu, v_"
# Copies of a halo: each option's stores to shared memory, its tests, and one barrier a tile.
halo_of() { # program, option, tunables, stores, tests
    "$lift" derive "programs/$1.lift" --family smem --decide "halo_copy=$2" --device cuda --emit source \
        --size nx=64,ny=64,nz=64 --set "$3" | sed -n '/^extern/,$p' >"$work/halo.cu"
    stores=$(grep -c '^ *tile_[0-9]*\[.*\] = ' "$work/halo.cu")
    tests=$(grep -c 'if (' "$work/halo.cu")
    verdict "$1, halo_copy=$2: $stores stores, $tests tests" \
        "$([ "$stores $tests $(grep -c __syncthreads "$work/halo.cu")" = "$4 $5 1" ] || cat "$work/halo.cu")"
}
cube=tile_z=8,tile_y=8,tile_x=8,block_x=8,block_y=8,block_z=8
flat=tile_z=4,tile_y=4,tile_x=32,block_x=32,block_y=4,block_z=1
halo_of star3d4r whole_box $cube 1 0
halo_of star3d4r flat $cube 1 0
halo_of star3d4r sides $cube 4 0
halo_of star3d4r side_pairs $cube 4 0
halo_of star3d4r side_list $cube 2 0
halo_of star3d4r flat $flat 1 0
halo_of star3d2r sides $flat 4 1
halo_of star3d2r whole_box $flat 1 1
halo_of star3d2r side_list $flat 2 1
finish
