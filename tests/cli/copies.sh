#!/bin/sh
# The schedule of asynchronous copies, run on the host: kernels in CUDA C whose copies are done
# at once or as late as their waits allow, compared with the host's kernel of the program. And
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

# What makes a tensor map, as the text of the kernel tells it.
map_in() { # name of the map
    sed -n "s/^ \* $1 of $kernel: CUtensorMap of \([a-z0-9_]*\) from element \([0-9]*\) on,\
 dimensions \([0-9, ]*\), strides \([0-9, ]*\) elements, box \([0-9, ]*\), zeros outside.*/\
lift_map $1 = map_of(\1 + \2, {\3}, {\4}, {\5});/p" "$work/kernel.cu" | sed 's/ *$//'
}

# A program that makes inputs, and compares. Outputs are the only pointers without const.
write_main() { # points, grid
    size=$(sed -n 's/^ \* [a-z]*: \([0-9]*\) elements, .*/\1/p' "$work/kernel.cu" | sort -u)
    kernel=$(sed -n 's/^.*void \([a-z0-9_]*_1\)(.*/\1/p' "$work/kernel.cu")
    params=$(params_in "$work/kernel.cu" "$kernel")
    names=$(names_of "$params")
    out=$(printf '%s\n' "$params" | tr ',' '\n' | grep -F '*' | grep -v const | sed 's/.*[ *]//')
    block=$(sed -n 's/.*__launch_bounds__(\([0-9]*\) \* \([0-9]*\) \* \([0-9]*\)).*/\1, \2, \3/p' \
        "$work/kernel.cu")
    echo '#include "cuda_on_host.hpp"'
    # The copies are those of the header.
    sed '/^#if defined(__CUDA_ARCH__)/,/^#endif/d; /^#ifndef INFINITY/,/^#endif/d
        /^struct alignas(64) lift_map/,/^};/d' "$work/kernel.cu"
    echo 'extern "C" void on_host_call(void *const *);'
    echo "int main() { const size_t n = ${size:-$1}; REAL *wanted = result(n);"
    params_in "$work/host.c" on_host | tr ',' '\n' | while read -r param; do
        what=$(names_of "$param")
        case $param in
            *\**) echo "REAL *$what = random_data(n);" ;;
            *) echo "REAL $what = 0.3f;" ;;
        esac
    done
    echo "void *args[] = {"
    params_in "$work/host.c" on_host | tr ',' '\n' | while read -r param; do
        case $param in
            const*\**) echo "$(names_of "$param")," ;;
            *\**) echo "wanted," ;;
            *) echo "&$(names_of "$param")," ;;
        esac
    done
    echo "}; on_host_call(args);"
    params_in "$work/host.c" on_host | tr ',' '\n' |
        sed -n 's/.*const.*[ *]\(.*\)/clear_halo(n, \1, wanted);/p'
    if [ -n "$beside" ]; then
        stride=$(sed -n 's/^ \* u: .* at [0-9]* + \([0-9]*\) i .*/\1/p' "$work/kernel.cu")
        echo "fill_planes(n, u, wanted, $stride, $beside);"
    fi
    echo "on_host_call(args);"
    printf '%s\n' "$params" | tr ',' '\n' | sed -n 's/.*lift_map \(.*\)/\1/p' | while read -r map; do
        map_in "$map"
    done
    echo "compare(n, $out, wanted, [&] { launch({$2}, {$block}, [&] {"
    echo "$kernel($names); }); }); }"
}

plain="--family hostRows" # what makes the host's kernel
real=float
folder=programs
beside= # planes before and behind the grid in memory that it goes on in

# What stands around a kernel is compiled once.
header() {
    mkdir -p "$work/$real"
    [ -e "$work/$real/cuda_on_host.hpp.gch" ] || c++ -O1 -w -DREAL=$real -x c++-header \
        -o "$work/$real/cuda_on_host.hpp.gch" tests/cli/cuda_on_host.hpp
}

# The host's kernel, unless it is that of the call before.
host=
host_kernel() { # program, sizes and precision
    [ "$host" != "$plain $*" ] || return 0
    host="$plain $*"
    # options are words
    # shellcheck disable=SC2086
    "$lift" derive "$folder/$1.lift" $2 $plain --emit source |
        sed "s/\\<$1_1(/on_host(/; s/\\<$1_1_call(/on_host_call(/" >"$work/host.c"
    ${CC:-cc} -O1 -w -c -o "$work/host.o" "$work/host.c"
}

# Both kernels are one each: the programs have no border of their own.
agree() { # program, family or point, options, sizes, points, grid, text of the kernel
    what="$device $1 $2 $3"
    sizes="--size $4"
    [ $real = float ] || sizes="$sizes --precision $real"
    header
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
    run c++ -O1 -w -DREAL=$real "-I$work/$real" -Itests/cli -o "$work/agree" "$work/main.cpp" "$work/host.o"
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
agree acoustic_iso localShiftAsync "--set k0=7,k1=4,k2=16,local0=16,local1=4" \
    $small 8806 "3, 5, 2" "lift_copy<4>("
agree acoustic_iso localUnrollAsync "--set k0=9,k1=8,k2=8,local0=8,local1=8" \
    $small 8806 "5, 3, 2" "lift_wait<1>();"
agree acoustic_iso localBesideAsync "--set k0=5,k1=4,k2=16,local0=16,local1=4" \
    $small 8806 "3, 5, 3" "lift_wait<1>();"
agree hotspot3d smemStreamAsync "--set k0=7,k1=4,k2=16,local0=16,local1=4" \
    $small 8806 "3, 5, 2" "lift_copy<4>("
agree acoustic_iso localBesideX "--set k0=6,k1=4,k2=16,k3_2_8=4,local0=4,local1=4" \
    nx=40,ny=17,nz=12 8160 "3, 5, 2" "lift_copy<16>("
agree acoustic_iso localBesideFours "--set k0=6,k1=4,k2=16,local0=4,local1=4" \
    nx=48,ny=16,nz=12 9216 "3, 4, 2" "], &vp["
# Tiles hang over the end of rows of whole vectors; the loops of copies have two turns.
agree acoustic_iso localBesideFours "--set k0=6,k1=4,k2=16,local0=4,local1=4" \
    nx=40,ny=17,nz=12 8160 "3, 5, 2" "_turn < 2; "
agree hotspot3d smemStreamFours "--set k0=7,k1=4,k2=16,local0=4,local1=4" \
    $small 8806 "3, 5, 2" "lift_wait<1>();"
# A radius that is no whole vector: rows begin at a whole one all the same.
agree acoustic localShiftFours "--set k0=6,k1=4,k2=16,local0=4,local1=4" \
    nx=48,ny=16,nz=12 9216 "3, 4, 2" "lift_copy<16>("
# ... or the last lanes of rows are stored one by one.
agree acoustic localShiftX \
    "-a topdown(ringCopy(async)) --set k0=6,k1=4,k2=16,k3_2_8=4,local0=4,local1=4" \
    nx=48,ny=16,nz=12 9216 "3, 4, 2" "lift_copy<4>("
# With one stage a step waits for its own copies, with two for those of the step before.
for stages in 1 2 4; do
    case $stages in
        1) more= ;;
        *) more="-a topdown(stages($stages))" ;;
    esac
    agree acoustic_iso localShift "$more -a topdown(ringCopy(async)) --set k0=7,k1=4,k2=16,local0=16,local1=4" \
        $small 8806 "3, 5, 2" "lift_commit();"
done

device=hip
agree acoustic_iso localShiftAsync "--set k0=7,k1=4,k2=16,local0=16,local1=4" \
    $small 8806 "3, 5, 2" "__shared__ "
agree acoustic_iso localBesideFours "--set k0=6,k1=4,k2=16,local0=4,local1=4" \
    nx=48,ny=16,nz=12 9216 "3, 4, 2" "(*(const lift_f32x4 *)&vp["
agree hotspot3d smemStreamFours "--set k0=7,k1=4,k2=16,local0=4,local1=4" \
    $small 8806 "3, 5, 2" "vector_size(16)"
agree acoustic_iso fours "--set local0=4,local1=4" $small 8806 "3, 5, 14" "vector_size(16)"

device=cuda
# Where tiles do not divide the grid, the last ones copy whole rows all the same.
plain="--family hostRows --decide layout=aligned"
agree acoustic_iso haloBesideBulk "--set k0=5,k1=4,k2=16,local0=4,local1=4" \
    nx=40,ny=17,nz=12 0 "3, 5, 3" "lift_bulk(&ring"
# Boxes: of grids with a halo in the buffers or without, and tiles that hang over in all
# dimensions.
plain="--family hostRows --decide layout=aligned"
for family in haloBesideTensor haloShiftTensor haloSmemTensor; do
    agree acoustic_iso $family "--set k0=6,k1=4,k2=16,local0=4,local1=4" \
        nx=48,ny=16,nz=12 0 "3, 4, 2" "lift_box("
    agree acoustic_iso $family "--set k0=5,k1=4,k2=16,local0=4,local1=4" \
        nx=37,ny=17,nz=14 0 "3, 5, 3" "lift_box("
done
# The same without a barrier a step, and what else has boxes: sums in halves, the next step's
# elements fetched to the cache, lanes that are stored together.
for family in haloBesideTensor haloShiftTensor haloSmemTensor \
    haloSmemTensor,sum=halves,fetch=cached haloSmemTensor,copy=boxes,sum=halves,tests=once; do
    agree acoustic_iso $family,barrier=counted "--set k0=6,k1=4,k2=16,local0=4,local1=4" \
        nx=48,ny=16,nz=12 0 "3, 4, 2" "lift_await_readers("
    agree acoustic_iso $family,barrier=counted "--set k0=5,k1=4,k2=16,local0=4,local1=4" \
        nx=37,ny=17,nz=14 0 "3, 5, 3" "lift_await_readers("
done
folder=tests/programs # planes beside those of the grid are read, too
for family in haloBesideTensor haloShiftTensor haloSmemTensor; do
    for program in planes_beside planes_behind; do
        beside="4, 4"
        [ $program = planes_beside ] || beside="0, 4"
        agree $program $family "--set k0=5,k1=4,k2=16,local0=4,local1=4" \
            nx=37,ny=17,nz=14 0 "3, 5, 3" "lift_box("
    done
done
folder=programs beside=
plain="--family hostRows -a alignRows" # zeros come from outside of the map, not from a halo
for family in haloBesideTensor haloShiftTensor; do
    agree acoustic $family,layout=plain "-a alignRows --set k0=5,k1=4,k2=16,local0=4,local1=4" \
        nx=37,ny=17,nz=14 0 "3, 5, 3" "lift_box("
done
plain="--family hostRows --decide layout=aligned"
agree acoustic_iso haloBesideUnrollTensor "--set k0=11,k1=4,k2=16,local0=4,local1=4" \
    nx=37,ny=17,nz=14 0 "3, 5, 2" "lift_box("
# Whole rows: the halo lies in the buffers, of the host's kernel too.
plain="--family hostRows --decide layout=aligned"
for family in haloBesideBulk haloShiftBulk haloSmemBulk localBesideFours,layout=aligned; do
    agree acoustic_iso $family "--set k0=6,k1=4,k2=16,local0=4,local1=4" \
        nx=48,ny=16,nz=12 0 "3, 4, 2" "lift_"
done
# The window fixed by unrolling: a round of nine steps, and a rest.
for family in localShiftUnrollFours,layout=aligned localBesideUnrollFours,layout=aligned haloShiftUnrollBulk haloBesideUnrollBulk; do
    agree acoustic_iso $family "--set k0=11,k1=4,k2=16,local0=4,local1=4" \
        nx=40,ny=5,nz=13 0 "3, 2, 2" "lift_"
done
# In double precision a vector of four is two copies of 16 bytes.
real=double
for family in haloBesideBulk haloBesideTensor localShiftFours,layout=aligned; do
    agree acoustic_iso $family "--set k0=6,k1=4,k2=16,local0=4,local1=4" \
        nx=48,ny=16,nz=12 0 "3, 4, 2" "lift_"
done
plain="--family hostRows"
agree hotspot3d smemStreamAsync "--set k0=7,k1=4,k2=16,local0=16,local1=4" \
    $small 8806 "3, 5, 2" "lift_copy<8>("
# Steps whose work-items show each other what they have in registers.
real=float
folder=tests/programs
agree wave_mirror stageRows "--set k0=4,k1_1_2=1,k2_1_8=3,k3_1_32=4,local0=32,local1=4" \
    nx=61,ny=47,nz=5 14335 "1, 8, 2" "float shown_"
# And what they load of a ring in local memory.
agree wave_mirror stageRows,beside=asked \
    "--set k0=4,k1_1_2=1,k2_1_8=3,k3_1_32=4,local0=32,local1=4" \
    nx=61,ny=47,nz=5 14335 "1, 8, 2" "__shfl_down_sync(0xffffffffu, v_"
finish
