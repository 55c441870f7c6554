#!/bin/sh
# Programs with scalar code in C, from the outside:
#   sh tests/cli/functions.sh ROOT LIFT
# shellcheck disable=SC2086 # options are words
. "$(dirname "$0")/cli.sh"

cd "$1" || exit 1

cat >"$work/mean.lift" <<'END'
size n = 1000
stencil mean(x: [f32]n) -> y = map(fun(w => userFun("f32 h(f32 a, f32 b) { return (a + b) * 0.5f; }", w[0], w[1])), slide(2, 1, pad(1, 0, clamp, x)))
END
# Reserved names, one name for two functions, helpers, a comment at the end.
cat >"$work/names.lift" <<'END'
size nx = 43, ny = 31
param c: f32 = 0.25
cfun f32 sqrtf(f32 a, f32 b) "return sqrtf(fabsf(a)) + fminf(a, b); // near"
cfun f32 half(f32 a) "float b = a; return b * 0.5f;"
cfun i32 kernel(f32 a) "return a > 0.0f ? 1 : 2;"
cfun f32 main(f32 a, i32 n) "f32 s = 0; for (int i = 0; i < n; i++) s += a; return s;"
fun twice(a) = userFun("f32 half(f32 x) { return 2.0f * x; }", a)
stencil names(x: [[f32]nx]ny) -> y = map2(fun(w => sqrtf(w[0][1], c) + half(w[1][1]) +
    main(w[1][2], kernel(w[1][0])) + twice(w[2][1])), slide2(3, 1, pad2(1, 1, clamp, x)))
END
cat >"$work/types.lift" <<'END'
size n = 1003
cfun f64 mix(f64 a, f32 b, i32 k) "return a + 0.5 * b + k;"
stencil types(x: [f32]n, z: [f64]n, k: [i32]n) -> (y, j) = map(fun(t => (mix(t.1, t.0, t.2),
    userFun("i32 half(i32 a, f64 b) { return b > 0.0 ? 2 * a : a; }", t.2, t.1))), zip(x, z, k))
END
# Arithmetic of f32 on the way to f64 and i32.
cat >"$work/chains.lift" <<'END'
size n = 1003
param a: f32 = 0.3
stencil chains(x: [f32]n, k: [i32]n) -> (y, z, i) = map(fun(m => (f64(m.0 * m.0 + a * m.0),
    f64(f32(m.1) * 0.1f), i32(m.0 * 3.7f))), zip(x, k))
END
# Integers without a sign would make -5 a large number, and 1 less than -1.
cat >"$work/signs.lift" <<'END'
size n = 1003
param a: i32 = 3
exact
stencil signs(k: [i32]n) -> (y, j, m) = map(fun(p => (f32(abs(p.0) - abs(2 * a + p.0)), max(-1, abs(p.0)),
    f32(abs(p.1 - 7) - abs(p.0)))), zip(k, array(n, i => i)))
END
cat >"$work/bad.lift" <<'END'
size n = 1000
cfun f32 g(f32 a) "f32 b = a; return b + c;"
stencil bad(x: [f32]n) -> y = map(fun(a => g(a)), x)
END
"$lift" devices >"$work/devices"
has() { grep -q "^$1" "$work/devices"; }
devices="host"
! has opencl:0 || devices="host opencl:0"
targets=
! grep -q '^ *sm_.*sm_90' "$work/devices" || targets="cuda:sm_90"
! grep -q '^ *gfx.*gfx90a' "$work/devices" || targets="$targets hip:gfx90a"

# ---- explored

for device in $devices; do
    for program in mean names types chains signs; do
        run "$lift" explore "$work/$program.lift" --device $device --check-only 4
        verdict "$program on $device" "$(grep -v ' 0 wrong or failed' "$work/out" |
            grep ' correct at small sizes' || grep -c ' correct at small sizes' "$work/out" | grep -vx 1
            [ "$status" -eq 0 ] || cat "$work/err")"
    done
done
for target in $targets; do
    for program in names types; do
        windows= # of which one program has none
        [ $program = types ] || windows="--decide smem --decide shift"
        # options are words
        # shellcheck disable=SC2086
        expect "$program for $target" 0 "4 built" "$lift" explore "$work/$program.lift" \
            --decide gmem --decide tiled $windows --device $target --build-only 4
    done
done

# ---- by hand: vectors, straight-line code, tiles in private memory, at odd sizes

each() { # device, families
    device=$1 options=
    shift
    for family; do options="$options --family $family"; done
    run "$lift" derive tests/cli/hotspot2d_c.lift $options --each --verify --device "$device" \
        --size nx=83,ny=61
    [ "$status" -eq 0 ] || { cat "$work/err"; grep -v ': ok' "$work/out"; }
}
for cc in gcc clang; do
    if command -v $cc >/dev/null 2>&1; then
        verdict "vectors of $cc" "$(LIFT_CC=$cc each host omp_shuffle_blocks omp_vector4)"
    else
        skip "vectors of $cc" "it is not installed"
    fi
done
if has opencl:0; then
    verdict "vectors of OpenCL" "$(each opencl:0 vector4 smem_block_x)"
else
    skip "vectors of OpenCL" "no device"
fi

# ---- stored and taken away

db=$work/lift.db
expect "an exploration" 0 "" "$lift_explore" "$work/names.lift" --trials 2 --max-exprs 2 \
    --no-final-benchmark --db "$db" --quiet
expect "a program of one's own" 0 "" "$lift" best "$work/names.lift" --db "$db" --emit host -o "$work/names.c"
expect "compiles" 0 "" ${CC:-cc} -O2 -Wall -Wextra -Werror -fopenmp -o "$work/names" "$work/names.c" -lm
expect "and is right" 0 "PASSED" "$work/names"
for what in source json; do
    expect "the function in $what" 0 "_sqrtf(f32 a, f32 b)" "$lift" best "$work/names.lift" --db "$db" --emit $what
done
expect "made again and verified" 0 "1 verified; 0 wrong" "$lift" db rebuild "$work/names.lift" \
    --verify --best 1 --db "$db"

# ---- mistakes

place="bad.lift:2:42: error: the C function 'g' does not compile: "
expect "a function that does not compile" 2 "$place" "$lift_explore" "$work/bad.lift" --trials 1 \
    --db "$work/bad.db" --quiet
# By default the compiler's messages are translated here.
cat >"$work/translated" <<END
#!/bin/sh
[ "\$LC_ALL" != C ] || exec ${CC:-cc} "\$@"
${CC:-cc} "\$@" 2>&1 | sed 's/ error: / Fehler: /' >&2
exit 1
END
chmod +x "$work/translated"
expect "is shown at its place in every locale" 2 "$place" env LC_ALL=de_DE.UTF-8 \
    LIFT_CC="$work/translated" "$lift" derive "$work/bad.lift" --apply mapPar --verify
expect "is shown to who verifies" 2 "$place" "$lift" derive "$work/bad.lift" --apply mapPar --verify
for how in "explore $work/bad.lift --build-only 1" "derive $work/bad.lift --apply mapPar --build-only" \
    "explore $work/bad.lift --build-only 1 --programs $work/programs" "explore $work/bad.lift --check-only 1" \
    "best $work/bad.lift --emit host" "best $work/bad.lift --emit host --output $work/bad.c"; do
    expect "to who builds: ${how%% *} ${how##*lift }" 2 "$place" "$lift" $how
    verdict "with a caret, and nothing else" "$([ "$(wc -l <"$work/err")" -eq 3 ] && grep -q '^ *^$' "$work/err" &&
        [ ! -s "$work/out" ] || cat "$work/out" "$work/err")"
done
for target in $targets; do
    expect "and to who builds for $target" 2 "$place" "$lift" explore "$work/bad.lift" --device $target --build-only 1
    expect "without a compiler of the host that of the device says it" 1 "compile_error" \
        env LIFT_CC=/nonexistent/cc "$lift" explore "$work/bad.lift" --device $target --build-only 1
done
verdict "nothing is made for it" "$(ls -d "$work/programs" "$work/bad.db" "$work/bad.c" 2>/dev/null)"
expect "is not looked at before" 0 "userFun" env LIFT_CC=/nonexistent/cc "$lift" derive "$work/bad.lift"
expect "nor by the formatter" 0 "cfun" env LIFT_CC=/nonexistent/cc "$lift" fmt "$work/bad.lift"

# ---- rules

rule() { # its right side
    printf 'rule half exact\n  0.5 * b ~> userFun("%s", b)\n' "$1" >"$work/c.rules"
}
rule 'f32 half(f32 x) { return x * 0.5f; }'
expect "a sound rule" 0 "1 rules passed" "$lift" rules check "$work/c.rules" -n 100
rule 'f32 half(f32 x) { return x * 0.51f; }'
expect "an unsound rule" 1 "refuted" "$lift" rules check "$work/c.rules" -n 100
rule 'f32 half(f32 x) { return x *; }'
expect "a rule with invalid C" 2 "rule 'half': the C function 'half' does not compile: " \
    "$lift" rules check "$work/c.rules"
rule 'f32 half(f32 x) { void abort(void); abort(); return x; }'
expect "a rule that crashes" 1 "the C function 'half' crashed (signal 6" "$lift" rules check "$work/c.rules"
rule 'f32 half(f32 x) { volatile int on = 1; while (on) ; return x; }'
expect "a rule that never ends" 1 "the C function 'half' did not return within 0.5 s" \
    env LIFT_RUN_SECONDS=0.5 "$lift" rules check "$work/c.rules"

verdict "no process is left" "$(lingering functions.sh)"
finish
