#!/bin/sh
# 'lift best --emit host' for CUDA and HIP, compiled by nvcc where it is installed, and run by the
# host's compiler against a stand-in of the runtimes; '--emit header' for all devices.
#   sh tests/cli/emit.sh ROOT LIFT
. "$(dirname "$0")/cli.sh"
cxx=c++
warn="-Wall -Wextra -Werror"

emit() { # what to emit, file, program, device and other options
    what=$1
    file=$2
    shift 2
    run "$lift" best "$@" --emit "$what" -o "$work/$file"
    [ "$status" -eq 0 ] || not_ok "$* gives $file" "$(cat "$work/err")"
}

# ---- programs of GPUs

# The launches as calls, without device-only parts.
on_host() { # file
    sed -E 's/^#include <(cuda|cuda_runtime|hip\/hip_runtime)\.h>$/#include "runtime_on_host.hpp"/
        s/^( *)([A-Za-z0-9_]+)<<<(dim3\([^)]*\)), (dim3\([^)]*\)), ([0-9]+), lift_stream>>>\((.*)\);$/\1on_host(\3, \4, \5, [\&] { \2(\6); });/
        /^#if defined\(__CUDA_ARCH__\)/,/^#endif/d
        /^#ifndef __CUDA_ARCH__/,/^#endif/d
        /^#ifndef INFINITY/,/^#endif/d
        /^struct alignas\(64\) lift_map/,/^};/d
        /extern __shared__ .*lift_local/d' "$work/$1"
}
passes() { # what, file, what it says besides
    on_host "$2" >"$work/$2.cpp"
    run $cxx -std=c++20 -O1 -w -Itests/cli -o "$work/program" "$work/$2.cpp" "$work/runtime.o"
    [ "$status" -ne 0 ] || run "$work/program" --runs 1 --warmup 0
    verdict "$1" "$([ "$status" -eq 0 ] && grep -q PASSED "$work/out" && grep -qF "$3" "$work/out" ||
        head -n 20 "$work/out" "$work/err")"
}
# A candidate of a family, as a program, of some that are drawn: one that asks for local memory, if
# there is one.
draw() { # file, program, sizes, family
    rm -rf "$work/drawn"
    run "$lift" explore "programs/$2.lift" --device cuda:sm_90 --size "$3" --decide "$4" --seed 1 \
        --build-only 10 --jobs 1 --programs "$work/drawn"
    for drawn in "$work/drawn"/*.cu; do
        if [ ! -e "$work/$1" ] || grep -q lift_local "$drawn"; then
            cp "$drawn" "$work/$1"
        fi
    done
}

$cxx -O1 -w -c -o "$work/runtime.o" tests/cli/cuda_on_host.cpp
emit host steps.cu programs/jacobi2d5.lift --device cuda:sm_90 --size nx=40,ny=24 --steps 3
passes "CUDA, steps one by one and three per kernel" steps.cu "7 steps: 2 launches of 3 time steps, 1 single step"
emit host elastic.hip programs/elastic2d.lift --device hip:gfx90a --size nx=33,ny=20
passes "HIP, a program of several kernels" elastic.hip "elastic2d: "
grep -q 'hipcc -O3 .*--offload-arch=gfx90a .*elastic2d.hip -o elastic2d$' "$work/elastic.hip" ||
    not_ok "how it is compiled" "$(grep hipcc "$work/elastic.hip")"
if "$lift" devices 2>/dev/null | grep -q 'sm_90'; then
    draw boxes.cu acoustic_iso nx=40,ny=32,nz=24 planes_smem_tma
    passes "copies of boxes, and local memory that a launch asks for" boxes.cu ""
    grep -q 'nvcc .* -lcuda$' "$work/boxes.cu" || not_ok "with the driver's library" ""
else
    skip "copies of boxes" "NVRTC is not installed"
fi
# A launch that is not made is noticed.
on_host elastic.hip | sed '0,/on_host(/s/on_host(.*/;/' >"$work/less.cpp"
run $cxx -std=c++20 -O1 -w -Itests/cli -o "$work/program" "$work/less.cpp" "$work/runtime.o"
expect "a wrong result is reported" 1 "FAILED" "$work/program" --runs 1 --warmup 0

# ---- temporal blocking: the kernels that finish a run

# Kernels of 8, 6 and 1 time steps, the deepest of which has the least time a step.
if command -v sqlite3 >/dev/null 2>&1; then
    { echo exact && cat programs/jacobi2d5.lift; } >"$work/deep.lift" # kernels agree bit by bit
    deep="--size nx=40,ny=24 --db $work/deep.db"
    for steps in 1 6 8; do
        # words
        # shellcheck disable=SC2086
        run "$lift" explore "$work/deep.lift" --steps $steps --trials 1 --max-exprs 1 --quiet \
            --no-final-benchmark --no-seeds --jobs 1 $deep
    done
    query "$work/deep.db" "SELECT 'DROP TRIGGER ' || name || ';' FROM sqlite_master WHERE type = 'trigger'" >"$work/drop.sql"
    query "$work/deep.db" "$(cat "$work/drop.sql") UPDATE trial SET median_ns =
        (SELECT CASE steps WHEN 1 THEN 10000 WHEN 6 THEN 2000 ELSE 800 END FROM problem WHERE problem.id = trial.problem) WHERE median_ns > 0"
    # shellcheck disable=SC2086
    emit host deep.c "$work/deep.lift" $deep
    run cc -O1 $warn -fopenmp -o "$work/deep" "$work/deep.c" -lm
    finishes() { # steps, launches that the program prints
        expect "$1 steps finish with fewer time steps a launch" 0 "$1 steps: $2; " \
            "$work/deep" --runs 1 --warmup 0 --steps "$1"
    }
    finishes 15 "1 launch of 8 time steps, 1 launch of 6 time steps, 1 single step"
    finishes 22 "2 launches of 8 time steps, 1 launch of 6 time steps"
    finishes 2 "2 single steps"
    # shellcheck disable=SC2086
    emit host plain_rest.c "$work/deep.lift" $deep --run 17
    verdict "a run whose remainder is one step has no other kernel" "$(grep -c '^static inline void jacobi2d5_.*step(' \
        "$work/plain_rest.c" | grep -qx 3 && ! grep -q _six_ "$work/plain_rest.c" && grep -q '^static inline void jacobi2d5_single_step(' "$work/plain_rest.c" ||
        grep '_step(' "$work/plain_rest.c")"

    # The functions of the header, launched by a program of one's own, against 'lift run'.
    # shellcheck disable=SC2086
    emit header deep.h "$work/deep.lift" $deep
    verdict "grids without gaps" "$(grep 'element (i' "$work/deep.h" | grep -v '40 \* i + j\]')"
    { # intermediates have memory of their own
        printf '#include "deep.h"\n#include <stdio.h>\n#include <stdlib.h>\nstatic float grid[960], out[960];\n'
        sed -n 's/^static inline void jacobi2d5_\(.*\)step(\(const float \*grid, float \*out.*\))$/\1 \2/p' "$work/deep.h" |
            sed 's/^\([a-z]*_\)* *const/& /; s/const *float \*grid/grid/; s/float \*out/out/; s/float \*[a-z0-9_]*/calloc(9999, 4)/g' |
            while read -r which arguments; do
                case $which in *_) ;; *) arguments="$which $arguments" which= ;; esac
                echo "static void ${which}go(void) { jacobi2d5_${which}step($arguments); for (int i = 0; i < 960; i++) grid[i] = out[i]; }"
            done
        printf 'int main(void) { if (fread(grid, 4, 960, stdin) != 960) return 1;
            for (int n = 0; n < 5; n++) go(); six_go(); single_go(); return fwrite(grid, 4, 960, stdout) != 960; }\n'
    } >"$work/use_deep.c"
    # The flags of the header: other ones may round differently.
    # shellcheck disable=SC2046
    run $(sed -n 's/^ \*   \([a-z]* -O3 .*\) \.\.\. -lm$/\1/p' "$work/deep.h") "-I$work" -o "$work/use_deep" "$work/use_deep.c" -lm
    head -c 3840 /dev/zero | tr '\0' '@' >"$work/start.raw"
    printf 'some other numbers, far from the boundary, ' | dd of="$work/start.raw" bs=1 seek=2000 conv=notrunc 2>/dev/null
    run sh -c "'$work/use_deep' <'$work/start.raw' >'$work/used.raw'"
    as_run() { # what, the launches that 'lift run' reports, its options
        what=$1 launches=$2
        shift 2
        # shellcheck disable=SC2086
        expect "$what" 0 "$launches" "$lift" run "$work/deep.lift" $deep --steps 47 \
            --in grid="$work/start.raw" --out out="$work/ran.raw" "$@"
        verdict "and computes what the functions of the header do, bit by bit" "$(cmp "$work/used.raw" "$work/ran.raw" 2>&1)"
    }
    as_run "'lift run' takes the same launches" "5 launches of 8 time steps, 1 launch of 6 time steps, 1 single step"
    as_run "or single steps alone" "47 single steps" --snapshot "1:$work/step%d.raw"
else
    skip "the kernels that finish a run" "sqlite3 is not installed"
fi

# ---- headers

cat >"$work/use.c" <<'END_OF_C'
#include "small.h"
#include <stdio.h>

int main(void)
{
    static float g[24][40], out[24][40];

    for (int i = 0; i < 24 * 40; i++)
        g[i / 40][i % 40] = (float)(i % 7);
    small_step(&g[0][0], &out[0][0]);
    for (int y = 0; y < 24; y++)
        for (int x = 0; x < 40; x++) {
            int border = y == 0 || x == 0 || y == 23 || x == 39;
            float want = border ? g[y][x]
                                : 0.25f * (g[y - 1][x] + g[y][x - 1] + g[y][x + 1] + g[y + 1][x]);

            if (out[y][x] - want > 1e-5f || want - out[y][x] > 1e-5f)
                return 1;
        }
    return puts("as it should be") < 0;
}
END_OF_C
emit header small.h "$work/small.lift" --device host
for compiler in "gcc -x c -std=c17" "g++ -x c++ -std=c++17" "clang -x c" "clang++ -x c++"; do
    command -v "${compiler%% *}" >/dev/null 2>&1 || continue
    # words
    # shellcheck disable=SC2086
    run $compiler $warn -fopenmp "-I$work" "$work/use.c" -o "$work/use" -lm
    [ "$status" -ne 0 ] || run "$work/use"
    verdict "the host's kernel as a header, by $compiler" "$([ "$status" -eq 0 ] ||
        cat "$work/out" "$work/err")"
done
expect "the header describes the arguments" 0 "g: input, f32 [24][40] in a buffer of 960" grep "g: input" "$work/small.h"
# Vectors of indices, which C++ does not narrow implicitly.
run "$lift_explore" programs/acoustic.lift --decide simd=explicit,parallel=omp_static --size nx=40,ny=6,nz=5 \
    --trials 1 --no-final-benchmark --no-naive --no-seeds --quiet --db "$work/lanes.db"
run "$lift" best acoustic --emit header --db "$work/lanes.db" -o "$work/lanes.h"
verdict "a kernel with vectors of indices" "$(grep -qE '\((lift_)?[a-z0-9_]+x?[0-9]*\)\{.*i_?[0-9]' "$work/lanes.h" ||
    cat "$work/err")"
echo '#include "lanes.h"' >"$work/lanes.cpp"
for compiler in g++ clang++; do
    command -v $compiler >/dev/null 2>&1 || continue
    run $compiler -std=c++17 -fopenmp -fsyntax-only "$work/lanes.cpp"
    verdict "is C++, by $compiler" "$([ "$status" -eq 0 ] || grep error "$work/err" | head -n 5)"
done
emit header small_cl.h "$work/small.lift" --device opencl:0
if [ "$status" -eq 0 ] && [ -e /usr/include/CL/cl.h ]; then
    echo '#include "small_cl.h"
int main(int argc, char **argv)
{
    (void)argv;
    return argc > 9 ? small_step(0, 0, 0, 0, 0) : sizeof source + sizeof flags + sizeof kernel_names == 0;
}' >"$work/use_cl.c"
    # words
    # shellcheck disable=SC2086
    expect "an OpenCL kernel as a header" 0 "" ${CC:-cc} $warn "-I$work" -o "$work/use_cl" \
        "$work/use_cl.c" -lOpenCL
else
    skip "an OpenCL kernel as a header" "there is no OpenCL here"
fi
emit header small.cuh "$work/small.lift" --device cuda:sm_90
emit header small_hip.h "$work/small.lift" --device hip:gfx90a
expect "a HIP kernel as a header" 0 "hipError_t small_step(const float *g, float *out, hipStream_t" \
    grep "small_step(" "$work/small_hip.h"

# ---- under a locale with a decimal comma

if german true; then
    emit host plain.c "$work/small.lift" --device host
    emit_german() {
        german "$lift" best "$work/small.lift" --device host --emit host
    }
    expect "the command prints the same program" 0 "" emit_german
    verdict "to the byte" "$(diff "$work/plain.c" "$work/out")"
    expect "which compiles" 0 "" cc -O1 -fopenmp -o "$work/plain" "$work/plain.c" -lm
    expect "and is right" 0 "PASSED" german "$work/plain" --runs 1 --warmup 0
else
    skip "programs under a locale with a decimal comma" "$no_german"
fi

# ---- by NVIDIA's compiler

by_nvcc() { # what, file, flags
    what=$1
    file=$2
    shift 2
    expect "$what" 0 "" "$nvcc" -std=c++17 -arch=sm_90 -c -Xcompiler -Wall,-Wextra,-Wno-unused-function \
        -Werror all-warnings -diag-suppress 177 "$@" -o "$work/object" "$work/$file"
}
nvcc=$(command -v nvcc || ls /usr/local/cuda/bin/nvcc 2>/dev/null)
if [ -n "$nvcc" ]; then
    by_nvcc "nvcc compiles a program of CUDA" steps.cu
    [ ! -e "$work/boxes.cu" ] || by_nvcc "and one with tensor maps" boxes.cu
    printf '%s\n' '#include "small.cuh"' 'cudaError_t use(const float *g, float *out)' \
        '{ return small_step(g, out, nullptr); }' >"$work/use.cu"
    by_nvcc "and a header of CUDA" use.cu "-I$work"
else
    skip "programs of CUDA by its compiler" "nvcc is not installed"
fi
finish
