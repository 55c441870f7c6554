#!/bin/sh
# The benchmarks of kernels from the outside: sh tests/cli/bench.sh ROOT LIFT GPU HOST
. "$(dirname "$0")/cli.sh"
gpu=$3
host=$4
explore() { # options and programs
    python3 "$PWD/bench/explore.py" --lift "$lift" "$@"
}

small=$work/small.lift
size=nx=40,ny=24
mkdir "$work/none" "$work/good" "$work/bad" "$work/odd" "$work/head"

# A kernel by hand, in C or OpenCL C; $1 stands in the place of the quarter.
by_hand() {
    cat <<END
/* Four neighbours, by hand.
 *
 * reference
 *   program other
 *   program small  QUARTER=$1
 *   variant one    STEP=1
 *   variant two    STEP=1
 *   multiple NX, ${2:-4}
 *   halo    1
 *   rows    8
 *   kernel  by_hand
 *   group   8, 4
 *   groups  ceil(NX / 8), ceil(NY / 4)
 *   args    g out
 */
END
}
body() {
    cat <<'END'
    bool border = x < 1 || x >= NX - 1 || y < 1 || y >= NY - 1;
    long at = ORIGIN + x + y * PITCH;

    out[at] = border ? g[at] : QUARTER * (g[at - 1] + g[at + STEP] + g[at - PITCH] + g[at + PITCH]);
END
}
in_c() {
    by_hand "$@"
    echo '#include <stdbool.h>'
    echo 'void by_hand_call(void *const *args) { float *g = args[0], *out = args[1];'
    echo 'for (int y = 0; y < NY; y++) for (int x = 0; x < NX; x++) {'
    body
    echo '} }'
}
in_opencl() {
    by_hand "$@"
    echo '__kernel void by_hand(__global const float *restrict g, __global float *restrict out) {'
    echo 'int x = get_global_id(0), y = get_global_id(1);'
    echo 'if (x >= NX || y >= NY) return;'
    body
    echo '}'
}
for folder in good bad odd; do
    quarter=0.25f
    multiple=4
    [ $folder = good ] || quarter=0.3f
    [ $folder != odd ] || multiple=7
    in_c $quarter $multiple >"$work/$folder/hand.c"
    in_opencl $quarter $multiple >"$work/$folder/hand.cl"
done
in_c 0.25f | sed 's/  args /  arsg /' >"$work/head/hand.c"

# The table and the figures have a row of one kernel.
column() { # file, name
    python3 -c 'import csv, sys; print(next(csv.DictReader(open(sys.argv[1])))[sys.argv[2]])' "$@"
}
measured() { # what, chosen, reference
    what=$1
    if [ "$(column "$work/f.csv" chosen)" != "$2" ] || [ "$(column "$work/f.csv" reference)" != "" ] &&
        [ -z "$3" ]; then
        not_ok "$what" "$(cat "$work/f.csv")"
    elif [ "$(column "$work/f.csv" points)" != 960 ] || [ "$(column "$work/f.csv" bytes)" != 7680 ] ||
        ! column "$work/f.csv" gpts | grep -q '[1-9]' || ! column "$work/f.csv" copy_kernel_gbs | grep -q '[1-9]'; then
        not_ok "$what" "$(cat "$work/f.csv")"
    elif [ -n "$3" ] && { ! column "$work/f.csv" reference | grep -q "^$3" || ! column "$work/f.csv" ratio | grep -q '[1-9]'; }; then
        not_ok "$what" "$(cat "$work/f.csv")"
    else
        ok "$what"
    fi
}

devices=host
"$lift" devices 2>/dev/null | grep -q '^opencl:0' && devices="host opencl:0"
for device in $devices; do
    file=hand.c
    [ "$device" = host ] || file=hand.cl
    expect "$device: a reference" 0 "$file" \
        "$gpu" -d "$device" -n 3 -r "$work/good" -c "$work/f.csv" "$small:$size"
    measured "$device: its figures" default "$file"
    rejected "$device: a wrong reference" 1 "$file one:" \
        "$gpu" -d "$device" -n 3 -r "$work/bad" -c "$work/f.csv" "$small:$size"
    measured "$device: ours all the same" default ""
done
# All references of the host together.
in_c 0.25f | sed 's/^ \*   halo / *   plain\n&/' >"$work/good/plain.c"
rows() { # kind: how many kernels of that kind have figures or ratios
    python3 -c 'import csv, sys
print(len({r["kernel"] for r in csv.DictReader(open(sys.argv[1])) if r["kind"] == sys.argv[2]}))' \
        "$work/h.csv" "$1"
}
expect "the host: all kernels" 0 "to the best plain" \
    "$host" -n 9 -r "$work/good" -c "$work/h.csv" "$small:$size"
verdict "ours, plain ones, tuned ones, ceilings" \
    "$([ "$(rows ours)" = 1 ] && [ "$(rows plain)" -ge 2 ] && [ "$(rows hand)" = 2 ] &&
        [ "$(rows ceiling)" -ge 2 ] || cat "$work/h.csv")"
rm "$work/good/plain.c"
rejected "the host: a wrong reference" 1 "hand.c one:" \
    "$host" -n 1 -r "$work/bad" "$small:$size"
sed 's/void by_hand_call.*/&\n__builtin_trap();/' "$work/good/hand.c" >"$work/crash.c"
mkdir "$work/crash" && mv "$work/crash.c" "$work/crash/hand.c"
rejected "the host: a reference that crashes" 1 "host: small: references" \
    "$host" -n 3 -r "$work/crash" -c "$work/h.csv" "$small:$size"
verdict "ours all the same" "$([ "$(rows ours)" = 1 ] || cat "$work/h.csv")"
expect "the host: no rounds" 2 "usage" "$host" -n 0 "$small"
expect "a reference for other sizes" 0 "multiple NX, 7" \
    "$gpu" -n 3 -r "$work/odd" "$small:$size"
expect "a malformed head" 2 "hand.c:14: unknown key 'arsg'" \
    "$gpu" -r "$work/head" "$small"
expect "an unknown folder" 2 "nowhere" "$gpu" -r "$work/nowhere" "$small"
expect "no program" 2 "usage" "$gpu"
expect "an unknown size" 2 "nz" "$gpu" -r "$work/none" "$small:nz=4"

# A list; a database that is exported, and imported into an empty database.
cat >"$work/list" <<END
# programs to explore
$small:$size  30 # seconds
END
expect "an exploration" 0 "in 1 of 1 explorations" \
    explore --trials 4 --db "$work/a.db" --csv "$work/e.csv" "@$work/list"
run "$lift" db export --csv "$work/tuned" --db "$work/a.db"
[ "$(column "$work/e.csv" trials)" = "$(query "$work/a.db" \
    "SELECT count(*) FROM trial WHERE phase <> 'final_benchmark'")" ] &&
    ok "its figures" || not_ok "its figures" "$(cat "$work/e.csv")"
expect "its kernel" 0 "exact" \
    "$gpu" -b "$work/a.db" -n 3 -r "$work/none" -c "$work/f.csv" "@$work/list"
measured "its kernel's figures" exact ""
expect "the same in double precision" 0 "double" \
    explore --trials 2 --db "$work/a.db" --csv "$work/e.csv" "$small:$size:double"
expect "is kept apart" 0 "40x24 f64" "$gpu" -b "$work/a.db" -n 3 -r "$work/good" \
    -c "$work/f.csv" "$small:$size" "$small:$size:double"
verdict "a reference for single precision" \
    "$(grep -q 'it is not for arrays of f64' "$work/err" || cat "$work/err")"
expect "no reference of that name, all kernels without that text" 0 "exact" \
    "$gpu" -b "$work/a.db" -n 3 -r "$work/good" -k other -w "no such text" "$small:$size"
expect "no kernel without that text" 1 "'map'" \
    "$gpu" -b "$work/a.db" -n 3 -r "$work/good" -w map "$small:$size"
expect "the times of all references" 0 "hand.c two: " \
    "$gpu" -a -b "$work/a.db" -n 3 -r "$work/good" "$small:$size"
expect "the best times of families" 0 "its fastest expression" \
    "$lift" show "$small" --families --db "$work/a.db"
expect "the best times of families, as CSV" 0 '"f64"' \
    "$lift" db export --view families --db "$work/a.db"
expect "the best in double precision" 0 'of f64 on' \
    "$lift" best "$small" --precision double --db "$work/a.db"
expect "one precision of a program in both" 0 "double" \
    "$lift" best small --precision double --db "$work/a.db" --emit source
expect "a program in both precisions" 2 "of f64 on" "$lift" best small --db "$work/a.db" --emit source
expect "an unknown precision" 2 "single or double" \
    "$gpu" -r "$work/none" "$small:$size:half"
expect "two seeds, each from nothing" 0 "2 of 2 explorations" \
    explore --trials 2 --runs 2 --commit c --csv "$work/q.csv" --keep "$work/kept" "$small:$size"
verdict "a row and a summary for each" \
    "$([ "$(sed 1d "$work/q.csv" | cut -d, -f8 | tr '\n' ' ')" = "1 2 " ] && [ -s "$work/kept/small-single--2.json" ] ||
        cat "$work/q.csv")"
expect "rows of the same commit are kept" 0 "3 of 3 explorations" \
    explore --trials 2 --runs 3 --commit c --csv "$work/q.csv" "$small:$size"
verdict "one exploration was missing" "$([ "$(sed 1d "$work/q.csv" | cut -d, -f8 | tr '\n' ' ')" = "1 2 3 " ] ||
    cat "$work/q.csv")"
expect "no time for an exploration" 0 "not started, 5 s are left" explore --within 5 --seconds 60 "$small:$size"
expect "an exploration that fails" 1 "0 of 1 explorations" explore --trials 1 --csv "$work/n.csv" "$small:nx=1,ny=24"
verdict "has a row with its status" "$([ "$(column "$work/n.csv" status)" = 2 ] || cat "$work/n.csv")"
expect "an unknown device" 2 "has no device 'nowhere'" explore --device nowhere "$small"
expect "no such program" 2 "nothing.lift: no such file" explore "$work/nothing.lift"
echo "$small 3 4" >"$work/list"
expect "a malformed list" 2 "list:1: expected FILE.lift" explore "@$work/list"
expect "a malformed list of kernels" 2 "list:1: expected FILE.lift" "$gpu" "@$work/list"

expect "the export is imported" 0 "new trials" \
    "$lift" db import "$work/tuned" --db "$work/new.db"
"$lift" best "$small" --size "$size" --device host --db "$work/a.db" --emit source >"$work/a.c"
"$lift" best "$small" --size "$size" --device host --db "$work/new.db" --emit source >"$work/new.c"
if [ -s "$work/a.c" ] && cmp -s "$work/a.c" "$work/new.c"; then
    ok "the best kernel is the same there"
else
    not_ok "the best kernel is the same there"
fi
expect "at the nearest size, too" 0 "nearest size: of the nearest sizes explored on this device" \
    "$lift" best "$small" --size nx=48,ny=24 --device host --db "$work/new.db"
# The number of cores is part of a processor's identity: with one core the processor is another device of the
# same architecture. Databases with an invented device cannot stand in, since imports compare the identity
# with its parts. 'taskset' is part of util-linux, which every Debian installs; a machine with one core skips.
name=$(query "$work/new.db" "SELECT name FROM device")
if [ "$(nproc)" -gt 1 ] && command -v taskset >/dev/null 2>&1; then
    expect "is a beginning on the same architecture" 0 "same architecture: explored on '$name'" \
        taskset -c "$(taskset -cp $$ | sed 's/.*: //; s/[-,].*//')" \
        "$lift" best "$small" --size "$size" --device host --db "$work/new.db"
else
    skip "is a beginning on the same architecture" "there is one core, or no taskset"
fi

# Explorations and runs of one kernel.
cat >"$work/loop.lift" <<'END'
size nx = 40, ny = 24
stencil loop(g: [[f32]nx]ny, h: [[f32]nx]ny) -> out =
    map2(fun(t => 0.5 * t.0 + 0.25 * t.1[0][1] + 0.25 * t.1[2][1]), zip2(h, slide2(3, 1, pad2(1, 1, clamp, g))))
time (h, g) <- (g, out)
END
expect "the speed of a run next to the exploration's" 0 "% median" \
    sh "$PWD/bench/run_beside.sh" --seconds 3 --final 1 --run 0.01 --rounds 1 --db "$work/speed.db" \
    "$lift" "$work/loop.lift:nx=48:double"
rejected "a program without a time loop" 1 "no time loop" \
    sh "$PWD/bench/run_beside.sh" --db "$work/speed.db" "$lift" "$small"
finish
