#!/bin/sh
# Kernels of several results that no map computes: compared with the program on the
# devices that are here, compiled for others.
#   sh tests/cli/results.sh ROOT LIFT
. "$(dirname "$0")/cli.sh"

cat >"$work/views.lift" <<'END'
size n = 37, m = 5
stencil views(x: [f32]n, z: [f32]n, g: [[f32]n]m) -> (a, b, c, d, e, h, i, j) =
    (x, pad(2, 3, mirror, x), slide(3, 2, x), transpose(g),
     reorder(fun(i => n - 1 - i), map(fun(e => e + 1.0f), x)),
     array2(m, 3, fun(i, j => f32(i) * 0.5f + f32(j))), concat(x, z),
     let t = map(fun((a, b) => (a + b, a * b)), zip(x, z)) in unzip(t).0)
END
cat >"$work/sides.lift" <<'END'
size n = 37, m = 5
param k: i32 = 1
stencil sides(x: [f32]n, g: [[f32]n]m, h: [[f32]n]m) -> (a, b, c, d) =
    (if k > 0i then map2(fun(e => 2.0f * e), g) else h,
     if k > 1i then g else (if k > 0i then h else map2(abs, g)),
     map(fun((p, q) => if p[0] > 0.0f then map(fun(e => 2.0f * e), p) else q), zip(g, h)),
     reduce(add, 0.0f, x))
END
cat >"$work/folds.lift" <<'END'
size n = 37, m = 5
stencil folds(x: [f32]n, q: [i32]n, g: [[f32]n]m) -> (a, b, c, d) =
    (reduce(fun(a, r => map(fun((p, e) => p + e), zip(a, r))), x, g),
     map(fun(w => reduce(fun((a, s), e => (s, a - e)), (0.0f, 0.5f), w).1), slide(5, 1, x)),
     map(fun(w => reduce(fun(a, e => array(3, fun(i => a[1] + e * f32(i)))),
                         array(3, fun(i => 0.5f)), w)), slide(5, 2, x)),
     map(fun(w => w[0].0 + f32(w[2].1)),
         slide(3, 1, pad(1, 1, constant (1.5f, 2i), zip(x, q)))))
END

"$lift" devices >"$work/devices"
for program in views sides folds; do
    for device in host $(sed -n 's/^\(opencl:[0-9]*\) .*/\1/p' "$work/devices" | head -n 1); do
        expect "$program on $device" 0 "2 correct at small sizes; 0 wrong or failed; 0 have no" \
            "$lift" explore "$work/$program.lift" --device "$device" --check-only 2
    done
    for target in cuda:sm_90 hip:gfx90a; do
        if ! "$lift" derive programs/heat.lift --family gmem --build-only --device $target \
            >/dev/null 2>"$work/why"; then
            skip "$program for $target" "$(tail -n 1 "$work/why")"
            continue
        fi
        expect "$program for $target" 0 "0 rejected by the compiler; 0 have no kernel" \
            "$lift" explore "$work/$program.lift" --device $target --build-only 1
    done
done
expect "threads share grids that are computed with a number" 0 "omp parallel" \
    "$lift" derive "$work/sides.lift" --decide parallel=omp_static --emit source
expect "work-items do, too" 0 "get_global_id" \
    "$lift" derive "$work/sides.lift" --device opencl --decide parallel=threads --emit source
expect "a kernel before any exploration" 0 "" \
    "$lift" best "$work/views.lift" --emit host -o "$work/views.c"
verdict "is a program" "$(grep -q '^int main(' "$work/views.c" || head -n 5 "$work/views.c")"
finish
