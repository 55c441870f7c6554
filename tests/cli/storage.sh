#!/bin/sh
# Fields that are stored as f16 and bf16: programs, mistakes, kernels of every kind of device, files
# of grids, emitted programs. 'sh tests/cli/storage.sh ROOT LIFT'.
. "$(dirname "$0")/cli.sh"

root=$1
cd "$work" || exit 99
sed 's/(grid: \(.*\)) -> out/(grid: \1 store f16) -> out store f16/' "$root/programs/heat.lift" >heat.lift
sed 's/(prev: grid, cur: grid) -> next/(prev: grid store bf16, cur: grid store bf16) -> next store bf16/' \
    "$root/programs/acoustic.lift" >acoustic.lift
box=nx=21,ny=13,nz=9

# ---- programs
program() { # the text of a program
    printf 'size n = 64\n%s\n' "$1" >program.lift
}
expect "check names the stored type" 0 "[[[f16]256]256]256, 33.6" "$lift" check heat.lift
verdict "and counts its bytes" "$(grep -q '4.00 bytes a point' out || cat out)"
expect "the term rounds where an element is computed" 0 "bf16(" "$lift" derive acoustic.lift --emit term
expect "fmt keeps the stored type" 0 "cur: grid store bf16) -> next store bf16" "$lift" fmt acoustic.lift
program 'stencil s(x: [f32]n store f16) -> (a store bf16, b) = unzip(map(v => (2.0 * v, v), x))'
expect "outputs of one function, each by itself" 0 "b  [f16]64" "$lift" check program.lift
program 'stencil s(x: [f16]n) -> y = map(w => reduce(add, 0.0, w), slide(3, 1, pad(1, 1, constant 0.1, x)))'
expect "sums are of f32" 0 "y  [f32]64" "$lift" check program.lift

program 'stencil s(x: [f32]n store f8) -> y = x'
rejected "f8 is no stored type" 2 "program.lift:2:27: f16 bf16 'store' 'f8'" "$lift" check program.lift
program 'stencil s(x: [i32]n store f16) -> y = x'
rejected "integers are stored as they are" 2 "program.lift:2:27:" "$lift" check program.lift
program 'stencil s(x: [i32]n) -> y store bf16 = x'
rejected "as outputs, too" 2 "program.lift:2:33:" "$lift" check program.lift
program 'param a: f16 = 1.0  stencil s(x: [f32]n) -> y = map(v => a * v, x)'
rejected "a parameter has no storage type" 2 "program.lift:2:10: f32 f64 i32" "$lift" check program.lift
program 'cfun f16 f(f32 v) "return v;"  stencil s(x: [f32]n) -> y = map(v => f(v), x)'
rejected "nor has a function in C" 2 "program.lift:2:6: f32 f64 i32" "$lift" check program.lift
program 'stencil s(x: [f32]n) -> y = map(v => f16(70000.0), x)'
rejected "a literal that is too large" 2 "program.lift:2:42: f16" "$lift" check program.lift
program 'stencil s(x: [f32]n store f16) -> y = map(v => 0.5 * v, x)
time (x) <- (y)'
rejected "the time loop needs one type" 2 "program.lift:3:14: '[f16]64' '[f32]64'" \
    "$lift" check program.lift

# ---- kernels
right() { # what, program, arguments of 'derive'
    what=$1
    shift
    expect "$what" 0 "ok {" "$lift" derive "$@" --size $box
}
right "heat in f16, vectors" heat.lift --family omp_vector_rows --verify
right "acoustic in bf16, vectors out of two" acoustic.lift --family omp_shuffle_blocks --verify
if "$lift" devices 2>/dev/null | grep -q '^opencl:0'; then
    right "heat in f16, by local memory" heat.lift --device opencl:0 --family smem --verify
    right "acoustic in bf16, by vectors" acoustic.lift --device opencl:0 --family vector4 --verify
else
    skip "kernels of OpenCL" "there is no such device"
fi
built() { # program, target, family
    if "$lift" devices 2>/dev/null | grep -A1 "^${2%:*}:ARCH" | grep -q 'builds only'; then
        right "$1 for $2: $3" "$1" --device "$2" --family "$3" --build-only
    else
        skip "$1 for $2: $3" "there is no compiler for it"
    fi
}
built heat.lift cuda:sm_90 smem
built acoustic.lift cuda:sm_90 fours
built acoustic.lift cuda:sm_75 smem
built heat.lift hip:gfx90a fours

# ---- grids in files
go() { # arguments of 'lift run', without what it prints
    run "$lift" run --quiet "$@"
}
pulse='grid=(z, y, x) => 3 * exp(-0.1 * ((x - 10) * (x - 10) + (y - 6) * (y - 6) + (z - 4) * (z - 4)))'
go heat.lift --size $box --in "$pulse" --steps 4 --out out=four.npy
verdict "a run" "$([ "$status" -eq 0 ] || cat err)"
verdict "f16 is <f2 in files" "$(head -c 128 four.npy | grep -qa "'descr': '<f2'" || head -c 128 four.npy)"
go heat.lift --size $box --in "$pulse" --out out=a.npy
for _ in 2 3 4; do
    go heat.lift --in grid=a.npy --out out=a.npy
done
verdict "step by step, by files" "$(cmp a.npy four.npy 2>&1)"
go heat.lift --size $box --in grid=0.1 --out grid=tenth.raw
verdict "a number is rounded" "$(od -An -v -t x2 -w2 tenth.raw | sort -u | tr -d ' \n' | grep -v '^2e66$')"
go acoustic.lift --size $box --in prev=0 --in cur=0.1 --out prev=prev.npy --out next=next.npy
verdict "bf16 is <u2, its bits" "$(head -c 128 next.npy | grep -qa "'descr': '<u2'" || head -c 128 next.npy)"
verdict "to nearest" "$(tail -c +129 prev.npy | od -An -v -t x2 -w2 | sort -u | tr -d ' \n' | grep -v '^3dcd$')"
rejected "a file of another type is refused" 2 "'cur' bf16 [9][13][21] 'four.npy'" "$lift" run acoustic.lift \
    --size $box --in prev=0 --in cur=four.npy
program 'stencil s(x: [f32]n store f16) -> y store f16 = map(v => 2.0 * v, x)
time (x) <- (y)'
expect "too large values become infinity, with a message" 1 "are not finite after step 2" "$lift" run --quiet \
    program.lift --in x=30000 --steps 2 --out y=y.raw
verdict "as its bits say" "$(od -An -v -t x2 -w2 y.raw | sort -u | tr -d ' \n' | grep -v '^7c00$')"

# ---- emitted programs
if command -v gcc >/dev/null 2>&1; then
    expect "a program around a kernel" 0 "" "$lift" best acoustic.lift --size $box --emit host -o a.c
    expect "compiles" 0 "" gcc -O2 -Wall -Wextra -Werror -fopenmp a.c -o a -lm
    expect "and is right" 0 "PASSED" ./a --runs 1 --warmup 0
else
    skip "emitted programs" "gcc is not installed"
fi

finish
