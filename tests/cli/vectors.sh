#!/bin/sh
# Register blocking and vectors in the source of the kernel:
#   sh tests/cli/vectors.sh ROOT LIFT
# shellcheck disable=SC2086 # options are words
. "$(dirname "$0")/cli.sh"

cd "$1" || exit 1

# The kernel with the interior, which starts with the loops; of its two versions that for
# where all points of a work-item are inside.
whole() { # program, family or point, device, options
    program=$1 point=$2 device=$3
    shift 3
    run "$lift" derive "programs/$program.lift" --decide "$point" --emit source \
        --device "$device" "$@"
    awk '/^ *if \(.*\) \{$/ && !found { found = inside = 1 }
        /^ *\} else \{$/ { inside = 0 }
        inside' "$work/out" >"$work/whole"
}

# How often a text stands there, in all lines together.
count() { # text, file
    awk -v text="$1" '{ while (i = index($0, text)) { n++; $0 = substr($0, i + length(text)) } }
        END { print n + 0 }' "$2"
}

has() { # what, number, text
    n=$(count "$3" "$work/whole")
    if [ "$n" -eq "$2" ]; then
        ok "$1: $2 of '$3'"
    else
        not_ok "$1: $2 of '$3'" "there are $n
$(cat "$work/whole" "$work/err")"
    fi
}

small="--size nx=61,ny=47,nz=33"

# 25 points each for four neighbours along x: of the row 12 and not 36.
whole star3d4r register_block_x opencl $small --set points_x=4
has "four neighbours along x" 76 'grid['
has "four neighbours along x" 4 'out['
whole star3d4r omp_register_block_y host $small --set points_y=4
has "four neighbours along y on the host" 76 'grid['
has "the test stands before the loop over x" 1 'omp simd'
whole star3d4r register_block_z opencl $small --set points_z=4
has "four neighbours along z" 76 'grid['

# Vectors: three of the row, one each for the 16 other rows.
whole star3d4r vector4,halo=allocated opencl $small
has "f4" 19 '(*(__global const float4 *)&grid['
has "f4 loads nothing else" 19 'grid['
has "f4" 1 '(*(__global float4 *)&out['
has "f4" 1 'out['
whole star3d4r omp_vector4 host $small
has "f4 on the host" 19 '*(const lift_f32x4 *)&grid['
has "f4 on the host loads nothing else" 19 'grid['
has "f4 on the host" 1 '*(lift_f32x4 *)&out['

# The interior has no pads; all inputs are loaded by vectors.
whole acoustic_iso vector4_faces opencl $small
has "f4 in the interior" 19 'vload4(0, &u['
has "f4 in the interior loads nothing else" 19 ' &u['
has "f4 in the interior" 1 'vload4(0, &v['
has "f4 in the interior" 1 'vload4(0, &vp['
has "f4 in the interior tests nothing" 0 '?'

# A box reads whole rows: of 1 + 4 + 1 elements, in three aligned vectors.
whole box2d1r vector4,halo=allocated opencl --size nx=61,ny=47
has "f4 of a box" 9 '(*(__global const float4 *)&'

# Adjacent columns: each step loads 4 new elements, 8 neighbours in the row, and 32 along y.
whole star3d4r shift_block_x opencl $small --set points_x=4
sed -n '/for (/,$p' "$work/whole" >"$work/loop"
mv "$work/loop" "$work/whole"
has "columns side by side" 44 'grid['

# By vectors of 4: each step loads a vector of the new plane, two neighbours in the row, eight along y.
whole star3d4r shift_vector4,halo=allocated opencl $small
sed -n '/for (/,$p' "$work/whole" >"$work/loop"
mv "$work/loop" "$work/whole"
has "columns side by side by fours" 11 'vload4(0, &grid['
has "columns side by side by fours" 11 'grid['
has "columns side by side by fours" 1 'vstore4('

# Neighbouring threads compute neighbouring points, far from those of their next step.
whole jacobi2d5 strided opencl --size nx=61,ny=47 --set points_x=4
has "stripes" 4 'out['
grep -o 'out\[[^]]*\]' "$work/whole" | tr '\n' ' ' >"$work/stores"
case $(cat "$work/stores") in
    *'g1] '*'+ 16] '*'+ 32] '*'+ 48] ') ok "stripes of 16" ;;
    *) not_ok "stripes of 16" "$(cat "$work/stores")" ;;
esac

# Loops in another order, and unrolled by a factor: the kernels differ, and both are right.
cat >"$work/outer.lift" <<'END'
size n = 21, m = 13
stencil outer(a: [f32]n, b: [f32]m) -> out = map(x -> map(y -> x * y - y, b), a)
END
other() { # what, options, device, text of the plain kernel, of the other one, how each is made
    run "$lift" derive $2 --device "$3" --emit source $7
    cp "$work/out" "$work/other"
    run "$lift" derive $2 --device "$3" --emit source $6
    if ! grep -qF -- "$4" "$work/out" || grep -qF -- "$4" "$work/other" ||
        ! grep -qF -- "$5" "$work/other"; then
        not_ok "$1: kernels" "$(cat "$work/out" "$work/other" "$work/err")"
        return
    fi
    ok "$1: kernels"
    if "$lift" devices | grep -q "^$3"; then
        case $3 in opencl) set -- "$1" "$2" opencl:0 "$4" "$5" "$6" "$7" ;; esac
        expect "$1: verified" 0 "ok {" "$lift" derive $2 --device "$3" --verify $7
    fi
}
jacobi="programs/jacobi2d5.lift --size nx=62,ny=47"
other "interchange" "$work/outer.lift" opencl 'out[g0 * 13 + g1]' 'out[g0 + g1 * 13]' \
    "-a mapGlb(1) -a mapGlb(0)@loop(0)" "-a mapInterchange -a mapGlb(1)@loop(1) -a mapGlb(0)@loop(0)"
other "columns instead of rows" "$jacobi" host 'p2 < 45' 'p2 < 60' "--family omp_rows" \
    "-a parts(2) -a transposeBothSides@loop(1) -a mapPar@loop(1) -a simdInner"
other "unrolled by four" "$jacobi" host 's3 < 60' 'i3 < 15' "--family omp_rows" \
    "-a parts(2) -a mapPar@loop(1) -a splitPadded@loop(0) -a mapUnroll@loop(0) -a sequential"

# Two rows of four points, for which four coefficients below them are needed and two to the
# right; each is computed once, by one division, from what the vectors of the image hold.
whole srad vector4_box,division=combined opencl --size nx=64,ny=40 --set points_y=2
sed -n '/__kernel/,$p' "$work/out" >"$work/whole"
has "two halves in one kernel" 14 ' / '
has "two halves in one kernel" 14 ' ? 1.0f : '
has "two halves in one kernel" 8 '0.125f'
has "a division by a power of two is none" 14 '* 0.0625f'
has "a centre is loaded by a vector only" 1 'image[g0 * 128 + g1 * 4]'

# Copies to local memory by vectors.
whole star3d4r smem_block_x opencl $small --set tile_z=4 --set tile_y=8 --set tile_x=16 --set points_x=4
cp "$work/out" "$work/whole"
has "copies to local memory" 1 ', 0, &tile_'

# Sines and cosines of a row use glibc's vector functions, whose last bit may differ.
printf 'size nx = 64, ny = 40\nstencil waves(u: [[f32]nx]ny) -> v = map2(x => sin(x) * cos(x), u)\n' >"$work/waves.lift"
{ echo exact; cat "$work/waves.lift"; } >"$work/exact.lift"
for program in waves exact; do
    run "$lift" derive "$work/$program.lift" --family omp_rows --emit source --device host
    grep -v '^ \*' "$work/out" >"$work/$program.c"
done
cp "$work/waves.c" "$work/whole"
has "forms for lanes" 2 'lift_sinf('
cp "$work/exact.c" "$work/whole"
has "none in an exact program" 0 'lift_sinf'
has "which has its sine" 1 'sinf('
if [ "$(uname -m)" = x86_64 ] && command -v gcc >/dev/null && getconf GNU_LIBC_VERSION >/dev/null 2>&1; then
    run gcc -O3 -fopenmp -ffast-math -fno-finite-math-only -Wall -Wextra -Werror -S "$work/waves.c" -o "$work/whole"
    verdict "gcc takes them" "$(grep -q '_ZGV.*_sinf' "$work/whole" && grep -q '_ZGV.*_cosf' "$work/whole" ||
        echo "calls: $(grep 'sinf\|cosf' "$work/whole") $(cat "$work/err")")"
else
    skip "gcc takes them" "it is not gcc with glibc on x86_64"
fi
expect "and they are right" 0 "ok {" "$lift" derive "$work/waves.lift" --family omp_rows --verify --device host

# Of whole vectors, too, all functions that have such forms.
cat >"$work/five.lift" <<'END'
size n = 40, m = 9
fun point(x) = exp(0.1 * x[0]) + log(2.0 + abs(x[1])) + pow(2.0 + sin(x[1]), cos(x[2]))
stencil five(u: [[f32]n]m) -> v = map(row => map(point, slide(3, 1, pad(1, 1, clamp, row))), u)
END
{ echo exact; cat "$work/five.lift"; } >"$work/exact.lift"
for program in five exact; do
    expect "functions of vectors are right: $program" 0 "ok {" "$lift" derive "$work/$program.lift" \
        --decide simd=explicit,parallel=omp_static --set vector=8 --verify --device host --size n=61,m=9
done
run "$lift" derive "$work/five.lift" --decide simd=explicit,parallel=omp_static --set vector=8 --emit source \
    --device host
cp "$work/out" "$work/five.c"
if [ "$(uname -m)" = x86_64 ] && command -v gcc >/dev/null && getconf GNU_LIBC_VERSION >/dev/null 2>&1; then
    run gcc -O3 -march=x86-64-v3 -fopenmp -ffast-math -fno-finite-math-only -S "$work/five.c" -o "$work/whole"
    verdict "gcc makes one call of a vector" "$(for name in exp log pow sin cos; do
        grep -q "_ZGVdN8v*_${name}f" "$work/whole" || echo "no $name of vectors"
    done)"
else
    skip "gcc makes one call of a vector" "it is not gcc with glibc on x86_64"
fi

# Source for any processor, compiled with all warnings.
run "$lift" derive programs/jacobi2d5.lift --family omp_shuffle_rows --decide halo=allocated,pitch=aligned,stores=non_temporal,plane_pitch=padded \
    --emit source --device host --size nx=64,ny=64 --set vector=16
cp "$work/out" "$work/whole"
has "rows begin in other places of the caches" 1 '|> apart(1024, '
cp "$work/out" "$work/wide.c"
expect "longer vectors than the processor has, without a warning" 0 "lift_select_f32x16" \
    sh -c "${CC:-cc} -O1 -Wall -Wextra -Werror -fopenmp -c $work/wide.c -o $work/wide.o && cat $work/wide.c"
finish
