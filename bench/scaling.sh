#!/bin/sh
# How a program scales from one device to several, of one kind: weak scaling, each device as many
# planes as one has alone, and strong scaling, the same grid shared; each with the exchange after
# the computation and beside it. Prints GPts/s, the efficiency, the time in exchanges that kernels
# waited for, and how planes go from device to device.
#   sh bench/scaling.sh LIFT DEVICES [N [STEPS [SECONDS]]]
# LIFT: the command. DEVICES: "cuda:0,cuda:1", or "host,host" to try it. The grid of one device is
# N^3 points (1000). STEPS (400) are timed; kernels of sizes that
# the database (scaling.db, or $LIFT_SCALING_DB) does not have are explored for SECONDS (15) each.
# Rows with overlap have databases of their own, so that all kernels of a part are made from one.
# At 1000^3 the host needs 24 GB of memory; 800^3 with 10 seconds each is half the work.
set -eu
[ $# -ge 2 ] || {
    sed -n '2,/^set/p' "$0" | sed '$d; s/^# \{0,1\}//' >&2
    exit 2
}
lift=$1 devices=$2 n=${3:-1000} steps=${4:-400} seconds=${5:-15}
program=$(dirname "$0")/../programs/acoustic_iso.lift
db=${LIFT_SCALING_DB:-scaling.db}
count=$(echo "$devices" | awk -F, '{ print NF }')
log=$(mktemp)
trap 'rm -f "$log"' EXIT

measure() { # devices, planes, database, whether exchanges overlap: sets gpts, share and way
    "$lift" run "$program" --devices "$1" ${4:+--overlap "$4"} --size "nx=$n,ny=$n,nz=$2" --in u=0.5 --in v=0.5 --in vp=2 \
        --steps "$steps" --db "$3" --plan-seconds "$seconds" >"$log" || {
        cat "$log" >&2
        exit 1
    }
    gpts=$(awk '$1 == "speed" { print $2 }' "$log")
    way=$(sed -n 's/.*exchanged after each launch, //p' "$log")
    share=$(sed -n 's/.*; \(.*\) of the kernels. in exchanges/\1/p' "$log")
}
row() { # what, number of devices, whether exchanges overlap
    awk -v what="$1" -v n="$2" -v overlap="${3:--}" -v gpts="$gpts" -v one="$one" -v share="${share:--}" -v way="${way:--}" 'BEGIN {
        printf "%-8s %7d  %-7s %12.4g %10.1f %%  %-12s %s\n", what, n, overlap, gpts, 100 * gpts / one / n, share, way }'
}
echo "acoustic_iso, ${n}x${n} points a plane, $n planes a device (weak) or in all (strong), $steps steps"
printf '%-8s %7s  %-7s %12s %12s  %-12s %s\n' scaling devices overlap GPts/s efficiency exchanges by
measure "${devices%%,*}" "$n" "$db"
one=$gpts
row one 1
measure "$devices" $((n * count)) "$db" no
row weak "$count" no
measure "$devices" "$n" "$db" no
row strong "$count" no
measure "$devices" $((n * count)) "${db%.db}-weak-beside.db" yes
row weak "$count" yes
measure "$devices" "$n" "${db%.db}-strong-beside.db" yes
row strong "$count" yes
