#!/bin/sh
# The speed that an exploration reports for its best kernel, and the speed of 'lift run' with this
# kernel. Explores each program, then times its best kernel in ROUNDS pairs of a final benchmark
# and a run. Prints for each pair both speeds in GPts/s and their difference in percent of the
# exploration's, and for each program the median of the differences. On a busy machine runs are
# slower, since a run's speed is a mean and an exploration's a median: repeat on a quiet one.
#   sh bench/run_beside.sh [OPTIONS] LIFT FILE.lift[:SIZES[:PRECISION]] ...
# LIFT: the command. SIZES: nx=512,ny=512. PRECISION: single or double. Options:
#   --device NAME     as 'lift devices' lists it (host)
#   --seconds N       to explore each program (20); 0: only kernels of the database
#   --final SECONDS   of each final benchmark (8)
#   --run SECONDS     that a run takes about, without its set-up (3)
#   --rounds N        pairs of each program (3)
#   --db FILE         the database (run_beside.db)
# Programs have a time loop. Exit status 1: a command failed.
set -eu
usage() {
    sed -n '2,/^set/p' "$0" | sed '$d; s/^# \{0,1\}//' >&2
    exit 2
}
device=host seconds=20 final=8 length=3 rounds=3 db=run_beside.db
while [ $# -gt 1 ]; do
    case $1 in
    --device) device=$2 ;;
    --seconds) seconds=$2 ;;
    --final) final=$2 ;;
    --run) length=$2 ;;
    --rounds) rounds=$2 ;;
    --db) db=$2 ;;
    -*) usage ;;
    *) break ;;
    esac
    shift 2
done
[ $# -ge 2 ] || usage
lift=$1
shift
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# A command with its output in a file. On failure prints the output.
attempt() {
    "$@" >"$folder/out" 2>&1 </dev/null && return
    echo "run_beside.sh: status $? of: $*" >&2
    tail -5 "$folder/out" >&2
    return 1
}

# The options --in of a run, one argument a line: normal numbers that differ from point to point.
inputs() {
    sed -n 's/^  inputs\{0,1\} /         /; /^         /p; /^  outputs\{0,1\} /q' "$folder/check" |
        sed -n 's/^ *\([A-Za-z_0-9]*\)  *\(\[[^ ,(]*\), .*/\1 \2/p' |
        awk '{
            n = gsub(/\[/, "", $2)
            list = sum = ""
            for (i = 0; i < n; i++) {
                list = list (i ? ", " : "") "i" i
                sum = sum sprintf(" + %g * i%d", 1e-4 / (i + 1), i)
            }
            if ($2 ~ /^i32|^bool/)
                printf "--in\n%s=1\n", $1
            else
                printf "--in\n%s=(%s) => 0.5%s\n", $1, list, sum
        }'
}

# file, sizes, precision: the pairs of a program
program() {
    file=$1
    set -- ${2:+--size "$2"} ${3:+--precision "$3"}
    "$lift" check ${2:+"$1" "$2"} "$file" >"$folder/check" 2>"$folder/out" ||
        { cat "$folder/out" >&2; return 1; }
    grep -q '^  time loop .* <- ' "$folder/check" ||
        { echo "run_beside.sh: $file: the program has no time loop" >&2; return 1; }
    points=$(sed -n 's/^  sizes .*; \([0-9,]*\) points.*/\1/p' "$folder/check" | tr -d ,)
    if [ "$seconds" -gt 0 ]; then
        attempt "$lift" explore "$file" "$@" --device "$device" --db "$db" --seconds "$seconds" ||
            return 1
    fi
    : >"$folder/differences"
    round=0
    while [ "$round" -lt "$rounds" ]; do
        round=$((round + 1))
        attempt "$lift" explore "$file" "$@" --device "$device" --db "$db" --only-final-benchmark \
            --seconds "$final" || return 1
        "$lift" best "$file" "$@" --device "$device" --db "$db" --json >"$folder/best"
        found=$(sed -n 's/^ *"gpts": \([0-9.e+-]*\),/\1/p' "$folder/best" | head -1)
        each=$(sed -n 's/^ *"steps": \([0-9]*\),/\1/p' "$folder/best" | head -1)
        steps=$(awk "BEGIN { n = int($length * 1e9 * $found / $points / $each) + 1
            print (n > 16 ? n : 16) * $each }")
        inputs >"$folder/inputs"
        attempt run "$file" "$steps" "$@" || return 1
        ran=$(sed -n 's/^  speed  *\([0-9.]*\) GPts.*/\1/p' "$folder/out")
        echo "$found $ran" | awk -v name="$(basename "$file" .lift)" '{
            printf "%-16s %8s  %8s  %+6.1f %%\n", name, sprintf("%.4g", $1), $2, 100 * ($2 / $1 - 1) }'
        echo "$found $ran" | awk '{ print 100 * ($2 / $1 - 1) }' >>"$folder/differences"
    done
    sort -g "$folder/differences" | awk -v name="$(basename "$file" .lift)" '
        { a[NR] = $1 }
        END { printf "%-16s %28s%+6.1f %% median\n", name, "", (a[int((NR + 1) / 2)] + a[int(NR / 2) + 1]) / 2 }'
}

# file, steps, options
run() {
    name=$1 count=$2
    shift 2
    while IFS= read -r word; do
        set -- "$@" "$word"
    done <"$folder/inputs"
    "$lift" run "$name" "$@" --device "$device" --db "$db" --steps "$count" --check-finite no
}

status=0
printf '%-16s %8s  %8s  difference\n' program explore run
for item; do
    file=${item%%:*} rest=${item#"${item%%:*}"}
    rest=${rest#:}
    sizes=${rest%%:*} precision=${rest#"${rest%%:*}"}
    program "$file" "$sizes" "${precision#:}" || status=1
done
exit $status
