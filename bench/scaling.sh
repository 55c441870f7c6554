#!/bin/sh
# How a program scales from one device to several, of one kind: weak scaling, each device as many
# planes as one has alone, and strong scaling, the same grid shared. One row for each number of
# launches between two exchanges, path of the planes, and exchange after the computation or
# overlapped with it. A row has GPts/s, the efficiency, how long kernels waited for exchanges, and
# the summary of 'lift run'; with overlap, a timeline of one launch by the driver's events.
#   sh bench/scaling.sh [OPTIONS] LIFT DEVICES
# LIFT: the command. DEVICES: "cuda:0,cuda:1", or "host,host" for a test run. Options:
#   --program NAME    acoustic_iso (the default) or star3d1r
#   --points N        the grid of one device has N^3 points (1000)
#   --steps STEPS     that are timed (400)
#   --seconds SECONDS to explore kernels that the database does not have, for each size (15); 0: none
#   --one GPTS        of one device, which is measured else
#   --scaling LIST    weak,strong
#   --every LIST      1,2,4
#   --by LIST         peer,host,nccl by one process; mpi,rank-host,rank-nccl by one rank a device
#   --overlap LIST    no,yes
#   --db FILE         scaling.db
# Rows that cannot be say why. At 1000^3 the host needs 24 GB of memory.
set -eu
usage() {
    sed -n '2,/^set/p' "$0" | sed '$d; s/^# \{0,1\}//' >&2
    exit 2
}
program=acoustic_iso n=1000 steps=400 seconds=15 scaling=weak,strong every=1,2,4 by=peer,host,nccl overlaps=no,yes one=
db=${LIFT_SCALING_DB:-scaling.db}
while [ $# -gt 2 ]; do
    case $1 in
    --program) program=$2 ;;
    --points) n=$2 ;;
    --steps) steps=$2 ;;
    --seconds) seconds=$2 ;;
    --one) one=$2 ;;
    --scaling) scaling=$2 ;;
    --every) every=$2 ;;
    --by) by=$2 ;;
    --overlap) overlaps=$2 ;;
    --db) db=$2 ;;
    *) usage ;;
    esac
    shift 2
done
[ $# -eq 2 ] || usage
lift=$1 devices=$2
case $program in
acoustic_iso) inputs="--in u=0.5 --in v=0.5 --in vp=2" ;;
star3d1r) inputs="--in grid=0.5" ;;
*) usage ;;
esac
file=$(dirname "$0")/../programs/$program.lift
count=$(echo "$devices" | awk -F, '{ print NF }')
log=$(mktemp)
trap 'rm -f "$log"' EXIT
list() {
    echo "$1" | tr , ' '
}

# devices, planes, further arguments: sets gpts, share and way; with ranks, kernels are
# those that rows of one process have explored
measure() {
    where=$1 planes=$2
    shift 2
    launcher='' explore="--explore-seconds $seconds"
    case $way in
    mpi | rank-*) launcher="mpirun -n $count" explore='' ;;
    esac
    [ "$seconds" != 0 ] || explore=''
    # shellcheck disable=SC2086
    $launcher "$lift" run "$file" --devices "$where" "$@" --size "nx=$n,ny=$n,nz=$planes" $inputs \
        --steps "$steps" --db "$db" $explore >"$log" 2>&1 || return 1
    gpts=$(awk '$1 == "speed" { print $2 }' "$log")
    said=$(sed -n 's/.*exchanged after [^,]*, //p' "$log")
    share=$(sed -n 's/.*; kernels waited \(.*\) for exchanges/\1/p' "$log")
}
line='%-7s %7s %2s %-9s %-7s'
row() { # what, number of devices, launches between exchanges, way, whether exchanges overlap
    # shellcheck disable=SC2059
    printf "$line" "$1" "$2" "$3" "$4" "$5"
    awk -v n="$2" -v gpts="$gpts" -v one="$one" -v share="${share:--}" -v said="${said:--}" 'BEGIN {
        printf " %10.4g %9.1f %%  %-10s %s\n", gpts, 100 * gpts / one / n, share, said }'
    sed -n 's/^  a launch  */                 /p' "$log"
}
nothing() { # as for 'row'
    # shellcheck disable=SC2059
    printf "$line %s\n" "$1" "$2" "$3" "$4" "$5" "$(grep '^lift: ' "$log" | head -n 1)"
}
echo "$program, ${n}x${n} points a plane, $n planes a device (weak) or in all (strong), $steps steps"
# shellcheck disable=SC2059
printf "$line %10s %11s  %-10s %s\n" scaling devices m by overlap GPts/s efficiency exchanges said
way=one
if [ -z "$one" ]; then
    measure "${devices%%,*}" "$n" || {
        cat "$log" >&2
        exit 1
    }
    one=$gpts
    row one 1 - - -
fi
for what in $(list "$scaling"); do
    planes=$n
    [ "$what" = strong ] || planes=$((n * count))
    for m in $(list "$every"); do
        for overlap in $(list "$overlaps"); do
            for way in $(list "$by"); do
                if measure "$devices" "$planes" --exchange-every "$m" --exchange "${way#rank-}" --overlap "$overlap"; then
                    row "$what" "$count" "$m" "$way" "$overlap"
                else
                    nothing "$what" "$count" "$m" "$way" "$overlap"
                fi
            done
        done
    done
done
