#!/bin/sh
# Programs with names that are reserved in the languages of kernels, from the outside:
#   sh tests/cli/names.sh ROOT LIFT
# tests/unit/test_names.c has all such names, compiled for all devices.
. "$(dirname "$0")/cli.sh"

cd "$work" || exit 1
"$lift" devices >"$work/devices"
devices=--device=host
grep -q '^opencl:0 ' "$work/devices" && devices="$devices --device=opencl:0"

# One that has nothing of these programs.
printf 'size n = 9\nstencil any(x: [f32]n) -> y = map(fun(e => e), x)\n' >any.lift
"$lift" explore any.lift --device host --trials 1 --no-final-benchmark --db any.db >"$work/out" 2>&1

# stencil, size, parameter, first grid, second grid, output
write() { # file
    cat >"$1" <<END
size $3 = 40 in 3..
param $4: f32 = 0.5
stencil $2($5: [f32]$3, $6: [f32]$3) -> $7 =
    @map(fun((w, e) => (w[0] + w[2]) * $4 + @sqrt(@abs(e))), @zip(@slide(3, 1, @pad(1, 1, clamp, $5)), $6))
END
}

# One of each kind, next to a similar name.
names() { # what, the names as for 'write'
    what=$1
    shift
    write program.lift "$@"
    # options are words
    # shellcheck disable=SC2086
    run "$lift" explore program.lift $devices --check-only 1 --max-exprs 4
    verdict "$what: kernels are right" "$([ "$status" -eq 0 ] &&
        ! grep -v ' 1 correct at small sizes; 0 wrong or failed; 0 have' "$work/out" |
        grep 'correct at small sizes' || cat "$work/out" "$work/err")"
    for emitted in host $(echo "$devices" | grep -o 'opencl:0'); do
        "$lift" best program.lift --db any.db --device "$emitted" --size "$2=40" --emit host \
            >"$emitted.c" 2>"$work/err"
        case $emitted in host) flags=-fopenmp ;; *) flags=-lOpenCL ;; esac
        for cc in gcc clang; do
            command -v $cc >/dev/null || continue
            run $cc -O0 -Wall -Werror -o emitted "$emitted.c" $flags -lm
            [ "$status" -ne 0 ] || run ./emitted --runs 1
            verdict "$what: the program of $emitted, by $cc" "$([ "$status" -eq 0 ] &&
                grep -q PASSED "$work/out" || head -n 30 "$work/out" "$work/err")"
        done
    done
}
names "macros, functions" NAN width INFINITY linux sqrtf stdin
names "keywords" kernel signed long half short float4
names "one after the other" g0 flags g1 g0_ g0 g2
names "ours, the API's" lift index lift_div cl_mem _x get_global_id

# The name in the program, and the name in the generated source.
write program.lift f n int restrict u int_
run "$lift" best program.lift --db any.db --device host --emit json
verdict "JSON has both names" "$(tr -d ' \n' <"$work/out" | grep -q \
    '"name":"restrict","identifier":"restrict_"' &&
    tr -d ' \n' <"$work/out" | grep -q '"name":"u","identifier":"u"' &&
    tr -d ' \n' <"$work/out" | grep -q '"name":"int","identifier":"int__"' || cat "$work/out" "$work/err")"

# A program without a name has that of its file.
printf 'size n = 40\nval stencil = fun(x: [f32]n => map(fun(e => e * e), x))\n' >'3 "of"-*my.lift'
expect "the name of a file" 0 "PASSED" sh -c '"$1" best "3 \"of\"-*my.lift" --db any.db \
    --device host --emit host >file.c && ${CC:-cc} -fopenmp -o file file.c -lm && ./file --runs 1' \
    - "$lift"

# Long ones
long=$(awk 'BEGIN { for (i = 0; i < 400; i++) printf "x" }')
write program.lift "s$long" "n$long" "p$long" "g$long" "h$long" "y$long"
expect "names of 400 letters" 0 "1 correct at small sizes" "$lift" explore program.lift --check-only 1 \
    --max-exprs 4

# Primitives that the program hides are meant by '@'.
cat >hides.lift <<'END'
size map = 40 in 3..
param inf: f32 = 2.0
fun add(a, b) = a * b + inf
fun min(a, b) = @min(a, b) - @pi
val mod = fun(x => add(x, 1.0))
stencil slide(pad: [f32]map, zip: [f32]map) -> (join, nan) =
    unzip(@map(fun((eq, div) => { val le = add(eq[0], eq[2]); return (mod(le) * div, min(le, div)) }),
        @zip(@slide(3, 1, @pad(1, 1, constant 2.0, pad)), zip)))
END
# shellcheck disable=SC2086
expect "names of primitives" 0 "1 correct at small sizes; 0 wrong" "$lift" explore hides.lift \
    $devices --check-only 1 --max-exprs 4
"$lift" explore hides.lift --device host --trials 1 --no-final-benchmark --db hides.db >"$work/out" 2>&1
expect "stored and read back" 0 "exact" "$lift" best hides.lift --db hides.db --device host --emit json
expect "formatting is the same again" 0 "" sh -c '"$1" fmt hides.lift >once.lift &&
    "$1" fmt once.lift | cmp - once.lift' - "$lift"
finish
