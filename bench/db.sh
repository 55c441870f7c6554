#!/bin/sh
# Times queries of a large database: sh bench/db.sh BUILD DATABASE [TRIALS]
# Makes the database by bench_db first if it is not there. Each command runs five times; the
# median counts. The first run of each is not counted, so that the file is in memory.
set -eu
build=$1
db=$2
trials=${3:-1000000}
[ -e "$db" ] || "$build/bench/bench_db" "$db" "$trials"

median_ms() { # runs a command six times
    "$@" >/dev/null
    for _ in 1 2 3 4 5; do
        from=$(date +%s%N)
        "$@" >/dev/null
        echo $((($(date +%s%N) - from) / 1000))
    done | sort -n | sed -n 3p | awk '{ printf "%.1f ms", $1 / 1000 }'
}

lift=$build/src/cli/lift
device=$(sqlite3 "$db" "SELECT device FROM best_kernel WHERE program = 'program3'
    AND sizes = '{\"nx\":1024,\"ny\":1024}' LIMIT 1")
"$lift" db stats --db "$db" | grep ' trials, '
echo "lift best program3:                      $(median_ms "$lift" best program3 --db "$db")"
echo "lift best program3, one size and device: $(median_ms "$lift" best program3 --db "$db" \
    --device "$device" --size nx=1024,ny=1024)"
echo "lift best of all:                        $(median_ms "$lift" best --db "$db")"
echo "lift report:                             $(median_ms "$lift" report --db "$db" -o -)"
echo "lift show:                               $(median_ms "$lift" show --db "$db")"
