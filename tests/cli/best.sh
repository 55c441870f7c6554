#!/bin/sh
# The best kernel for a program: which one it is, and the whole programs around it.
. "$(dirname "$0")/cli.sh"

# Several outputs, double precision and integers; in three dimensions; with a parameter.
cat >"$work/pairs.lift" <<'END'
size n = 1000

stencil pairs(x: [f64]n, k: [i32]n) -> (sum, twice) =
    (map(w -> w[0] + w[1] + w[2], slide(3, 1, pad(1, 1, clamp, x))),
     map(i -> 2 * i + 1, k))
END
cat >"$work/mixed.lift" <<'END'
size n = 500

stencil mixed(u: [f32]n, v: [f32]n) -> (a, b) =
    map(t -> (0.5f * t.0 + t.1, sqrt(abs(t.0))), zip(u, v))
END

# A parameter, a C function, and a time loop whose inputs are exchanged.
cat >"$work/wave.lift" <<'END'
size n = 100
param k: f32 = 0.2
cfun f32 twice(f32 a) "return 2.0f * a;"
stencil wave(u: [f32]n, before: [f32]n) -> next =
    map(fun((w, b) => twice(w[1]) - b + k * (w[0] - twice(w[1]) + w[2])), zip(slide(3, 1, pad(1, 1, clamp, u)), before))
time (u, before) <- (next, u)
END

# file, sizes, device: compiles without a warning, passes its check, says how fast it is.
whole() {
    what="$(basename "$1" .lift) on $3"
    run "$lift" best --db "$work/best.db" "$1" --size "$2" --device "$3" --emit host \
        -o "$work/k.c"
    libraries="-fopenmp -lm"
    [ "$3" = host ] || libraries="-lOpenCL -lm"
    if [ "$status" -ne 0 ]; then
        not_ok "$what" "$(cat "$work/err")"
    elif ! ${CC:-cc} -O1 -Wall -Wextra -Werror "$work/k.c" -o "$work/k" $libraries 2>"$work/err"; then
        not_ok "$what: compiles without a warning" "$(head -c 2000 "$work/err")"
    elif ! "$work/k" --runs 3 --warmup 1 --seed 5 >"$work/out"; then
        not_ok "$what: passes" "$(cat "$work/out")"
    elif ! grep -q '^PASSED' "$work/out" || ! grep -q 'GPts/s' "$work/out"; then
        not_ok "$what: says so" "$(cat "$work/out")"
    else
        ok "$what"
    fi
}

run "$lift_explore" "$work/small.lift" --trials 4 --seed 1 --quiet --db "$work/best.db"
[ "$status" -eq 0 ] && ok "a database" || not_ok "a database" "$(cat "$work/err")"

devices=host
"$lift" devices 2>/dev/null | grep -q '^opencl:0' && devices="host opencl:0"
for device in $devices; do
    whole "$root/programs/acoustic.lift" nx=19,ny=13,nz=11 "$device"
    whole "$root/programs/jacobi2d5.lift" nx=67,ny=41 "$device"
    whole "$root/programs/srad1.lift" nx=33,ny=47 "$device"
    whole "$work/small.lift" nx=30,ny=30 "$device"
    whole "$work/pairs.lift" n=1000 "$device"
    whole "$work/mixed.lift" n=500 "$device"
done

if "$lift" devices | grep -q '; .*clang version'; then
    run "$lift_explore" "$work/small.lift" --trials 1 --tunable compiler=clang --quiet --no-final-benchmark --no-naive \
        --db "$work/clang.db"
    expect "a kernel compiled best by clang names clang" 0 "clang -O3 -march=native" \
        "$lift" best small --db "$work/clang.db" --emit host
else
    skip "a kernel that clang is best at says so" "there are no two compilers"
fi
expect "exact" 0 '"chosen": "exact"' \
    "$lift" best small --db "$work/best.db" --json
expect "exact, its derivation" 0 '"derivation": [' \
    "$lift" best "$work/best.db" small --emit json
expect "the nearest size" 0 "nearest size: of the nearest sizes explored on this device" \
    "$lift" best small --db "$work/best.db" --device host --size nx=64,ny=64
expect "with --emit, the nearest size is reported on stderr" 0 "lift: nearest size" \
    "$lift" best small --db "$work/best.db" --device host --size nx=64,ny=64 --emit source
expect "default" 0 "default: a default kernel" \
    "$lift" best "$work/pairs.lift" --db "$work/best.db"
expect "default, as JSON" 0 '"chosen": "default"' \
    "$lift" best "$work/pairs.lift" --db "$work/best.db" --json
expect "an expression" 0 "input g: [[f32]nx]ny" \
    "$lift" best small --db "$work/best.db" --emit expr
expect "all of them, a line each" 0 "% of copy bandwidth" "$lift" best --db "$work/best.db"
verdict "with sizes, speed and decisions" "$(grep -qE '^small +nx=40,ny=24 +f32 +.*\((host|opencl)\) +[0-9.]+ +.* ms +[a-zA-Z0-9]' \
    "$work/out" || cat "$work/out")"
rejected "an unknown program" 1 "'nothing'" \
    "$lift" best nothing --db "$work/best.db"
expect "an unknmixed emission" 2 "'source', 'host', 'header', 'expr' or 'json', not 'core'" \
    "$lift" best small --db "$work/best.db" --emit core
rejected "a file that cannot be written" 1 "/nowhere/k.c" \
    "$lift" best small --db "$work/best.db" --emit source -o /nowhere/k.c
expect "an output without a kernel" 2 "--output needs --emit" \
    "$lift" best small --db "$work/best.db" -o "$work/k.c"
expect "an unknown size" 2 "nz" \
    "$lift" best "$work/pairs.lift" --db "$work/best.db" --size nz=4

# ---- temporal blocking: any number of steps, the remainder one by one
launched() { # steps, steps a launch: whether the program says which launches these are
    case $(grep "^$1 steps: " "$work/out") in
    *"$(($1 / $2)) launch"*" of $2 time steps"*"$(($1 % $2)) single step"*) ;;
    *"$(($1 / $2)) launch"*" of $2 time steps; "*) [ $(($1 % $2)) -eq 0 ] ;;
    *": $1 single step"*) [ "$1" -lt "$2" ] ;;
    *) false ;;
    esac
}
loop() { # file, sizes, device, steps
    what="$4 steps of $(basename "$1" .lift) per kernel on $3"
    libraries="-fopenmp -lm"
    [ "$3" = host ] || libraries="-lOpenCL -lm"
    run "$lift" best "$1" --db "$work/best.db" --size "$2" --device "$3" --steps "$4" --emit host -o "$work/k.c"
    if [ "$status" -ne 0 ] || ! ${CC:-cc} -O1 -Wall -Wextra -Werror "$work/k.c" -o "$work/k" $libraries 2>"$work/err"; then
        not_ok "$what" "$(head -c 2000 "$work/err")"
        return
    fi
    for steps in 1 "$4" $((2 * $4 + 1)) 12; do
        run "$work/k" --runs 1 --warmup 0 --steps "$steps"
        [ "$status" -eq 0 ] && launched "$steps" "$4" || not_ok "$what: $steps steps" "$(cat "$work/out" "$work/err")"
    done
    # A loop that hands the wrong buffers round is found out.
    sed '/^    rotation_next(/d' "$work/k.c" >"$work/wrong.c"
    if ${CC:-cc} -O0 "$work/wrong.c" -o "$work/k" $libraries 2>"$work/err"; then
        attempt "$work/k" --runs 1 --warmup 0 --steps $((2 * $4 + 1))
        verdict "$what, and a wrong loop is found out" "$([ "$status" -eq 1 ] || cat "$work/out")"
    else
        not_ok "$what: compiles without its rotation" "$(head -c 2000 "$work/err")"
    fi
}
for device in $devices; do
    loop "$root/programs/acoustic.lift" nx=19,ny=13,nz=11 "$device" 3
    # PoCL takes half a minute for two steps of elastic2d.
    case $device in host) several=elastic2d ;; *) several=shallow_water ;; esac
    loop "$root/programs/$several.lift" nx=19,ny=13 "$device" 2
    loop "$work/wave.lift" n=100 "$device" 4
done
cp "$root/tests/cli/wave2d.lift" "$work/wave2d.lift"
run "$lift_explore" "$work/wave2d.lift" --steps 2 --trials 1 --max-exprs 2 --quiet --no-final-benchmark --jobs 1 --db "$work/two.db"
expect "the program of the single step is not there" 0 "a time loop also needs a kernel of single steps, and there is none: the program of its single step is not in the database" \
    "$lift" best wave2d --steps 2 --db "$work/two.db" --emit host -o "$work/k.c"
run ${CC:-cc} -O1 -Wall -Wextra -Werror "$work/k.c" -o "$work/k" -fopenmp -lm
expect "and so is no time loop" 2 "unknown option '--steps'" "$work/k" --steps 3
run "$lift_explore" "$work/wave2d.lift" --trials 1 --max-exprs 2 --quiet --no-final-benchmark --jobs 1 --db "$work/two.db"
expect "then it is" 0 "" "$lift" best wave2d --steps 2 --db "$work/two.db" --emit host -o "$work/k.c"
verdict "with its own function" "$(grep -q '^static inline void wave2d_single_step(' "$work/k.c" || echo none)"
printf 'steps 2\n' >>"$work/wave2d.lift"
expect "of a file that says how many steps" 0 "is not in the file" "$lift" best "$work/wave2d.lift" --db "$work/best.db" \
    --emit host -o "$work/k.c"

# A program that has a type with numbers only: other commands take it as explorations do.
cat >"$work/fixed.lift" <<'END'
size n = 64
stencil fixed(x: [f32]64) -> y = map(t -> t.0 + t.1, zip(x, take(n, pad(0, 1, clamp, x))))
END
fixed="$work/fixed.lift"
expect "sizes as numbers: a kernel without a database" 0 "x: [f32]64" \
    "$lift" best "$fixed" --emit expr --db "$work/best.db"
expect "an exploration" 0 "best of fixed" "$lift_explore" "$fixed" --trials 1 --max-exprs 2 --quiet \
    --no-final-benchmark --db "$work/best.db"
expect "its kernel" 0 'fixed {"n":64} of f32 on' "$lift" best "$fixed" --db "$work/best.db"
expect "as text" 0 '"chosen": "exact"' "$lift" best "$fixed" --db "$work/best.db" --json
expect "show of the file" 0 'fixed {"n":64} of f32 on' "$lift" show "$fixed" --db "$work/best.db"
expect "rules that apply to the program" 0 "'mapPar' applies at 1 position of 'fixed'" \
    "$lift" rules show mapPar "$fixed"
expect "a derivation" 0 "at n=64" "$lift" derive "$fixed" --apply mapPar --verify
expect "other numbers are a mistake" 2 "an array of length '64' as argument 2, but got '[f32]32'" \
    "$lift" best "$fixed" --db "$work/best.db" --size n=32
# ---- one number for one kernel, wherever it is printed
if command -v python3 >/dev/null 2>&1; then
    run "$lift_explore" "$work/small.lift" --trials 5 --json --quiet --db "$work/one.db"
    cp "$work/out" "$work/explored.json"
    run "$lift" best small --db "$work/one.db" --json
    cp "$work/out" "$work/best.json"
    run "$lift" report "$work/one.db" --json -o "$work/report.json"
    run "$lift" db export --view best --db "$work/one.db"
    cp "$work/out" "$work/best.csv"
    run "$lift" best small --db "$work/one.db"
    verdict "speed, share of copy bandwidth and speedup are the same on each page" "$(cd "$work" && python3 - "$work/out" <<'END' 2>&1
import csv, json, re, sys
def near(name, *values):
    if any(v is None or abs(v - values[0]) > 1e-6 * abs(values[0]) for v in values):
        print(name, *values)
device = json.load(open("explored.json"))["devices"][0]
top, best, page = device["top"][0], json.load(open("best.json"))[0], json.load(open("report.json"))["best"][0]
row = next(csv.DictReader(open("best.csv")))
near("share", top["copy_share"], best["copy_share"], page["copy_share"], float(row["copy_percent"]) / 100)
near("speed", top["gpts"], best["gpts"], page["gpts"], float(row["gpts"]))
near("time", top["seconds"], best["seconds"], page["seconds"], float(row["median_ms"]) / 1000)
assert top["confirmed"] and best["confirmed"] and page["confirmed"], (top, best, page)
assert top["interval"][0] <= top["seconds"] <= top["interval"][1], top
near("interval", *[k["interval"][1] for k in (top, best)])
naive = device["naive"]
if naive["confirmed"] and naive["seconds"] != top["seconds"]:
    near("naive", naive["seconds"], best["naive"]["seconds"], page["naive"]["seconds"])
    near("speedup", naive["times"], best["naive"]["times"], naive["seconds"] / top["seconds"])
    near("its interval", naive["times_interval"][0], best["naive"]["times_interval"][0],
         naive["interval"][0] / top["interval"][1])
assert top["schedule"] and top["schedule"] == best["schedule"], (top["schedule"], best["schedule"])
text = open(sys.argv[1]).read()
share = re.search(r", ([0-9.]+) % of copy bandwidth", text).group(1)
assert share == "%.1f" % (100 * best["copy_share"]), (share, best)
END
)"
    # 512 threads of 96 registers: one block, 16 of 64 warps.
    python3 - "$work/one.db" <<'END'
import sqlite3, sys
with sqlite3.connect(sys.argv[1]) as db:
    db.execute("UPDATE device SET arch = 'sm_90'")
    db.execute("UPDATE build SET registers = 96, local_bytes = 3840")
    db.execute("UPDATE candidate SET tunables = json_set(tunables, '$.block_x', 32, '$.block_y', 16)")
END
    expect "registers, shared memory and occupancy" 0 "occupancy 25 % (blocks resident: 1, limited by registers)" \
        "$lift" best small --db "$work/one.db" --verbose
    expect "occupancy in a report" 0 '"limit":"registers"' "$lift" report "$work/one.db" --json
else
    skip "speed, share of copy bandwidth and speedup are the same on each page" "python3 is not installed"
fi
finish
