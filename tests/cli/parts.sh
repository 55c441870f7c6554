#!/bin/sh
# Random programs in parts, boundary first and without, by copies, by NCCL (a stand-in), by MPI, and
# some cut along two dimensions: the bits of one device. 'sh tests/cli/parts.sh ROOT LIFT FAKE RANDOM'; LIFT_PARTS_CASES of them (6),
# from the one numbered LIFT_PARTS_FIRST on.
. "$(dirname "$0")/cli.sh"

random=$4
cd "$work" || exit 99
export LC_ALL=C OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 LIFT_NCCL="$3"
# Leaks of MPI are ignored.
export ASAN_OPTIONS="$ASAN_OPTIONS:detect_leaks=0"
kind=
for try in openmpi mpich; do
    [ -n "$kind" ] || ! command -v mpirun.$try >/dev/null || ! mpirun.$try -n 2 true >/dev/null 2>&1 || kind=$try
done
more=$([ "$kind" != openmpi ] || echo --oversubscribe)

go() { # command that ends in 'lift run', or is that; the rest of its arguments
    attempt "$@" program.lift --quiet --in "u=$at => 0.5 + 0.25 * sin(0.7 * z$y)" --in "v=$at => cos(0.3 * z)" --in k=0.25 \
        --steps 5
}
# The output is the same; rejections of too thin parts are counted.
same() { # how
    if [ "$status" -eq 2 ] && grep -qE "part [0-9]+ (of [0-9]+, on 'host', )?has [0-9]+ (of [0-9]+ )?(planes|rows)" err; then
        thin=$((thin + 1))
        return
    fi
    done=$((done + 1))
    wrong=$([ "$status" -eq 0 ] || cat err; cmp whole.npy next.npy 2>&1)
    [ -z "$wrong" ] || said="$said
program $number, $devices, after $every, $1: $wrong
$(cat program.lift)"
}
parts() { # 'lift run', how
    rm -f next.npy
    how=$2
    # shellcheck disable=SC2086
    go $1 --exchange-every "$every" $how --out next=next.npy
    same "$how"
}

number=${LIFT_PARTS_FIRST:-1}
last=$((number + ${LIFT_PARTS_CASES:-6} - 1))
done=0 thin=0 said=
while [ "$number" -le $last ]; do
    rows=$([ $((number % 3)) -ne 0 ] || echo rows)
    # shellcheck disable=SC2086
    "$random" "$number" $rows >program.lift
    read -r _ dims _ count every weights cut <program.lift
    at='(z)' y=''
    [ "$dims" -eq 1 ] || { at='(z, y)' y=' + y'; }
    devices=host=$(echo "$weights" | sed 's/,/,host=/g')
    go "$lift" run --out next=whole.npy
    [ "$status" -eq 0 ] || said="$said
program $number: $(cat err program.lift)"
    if [ -n "$rows" ]; then
        parts "$lift run --devices $devices" "--cut $cut --exchange $([ $((number % 2)) -eq 0 ] && echo peer || echo host)"
        [ -z "$kind" ] || parts "mpirun.$kind $more -n $count $lift run --devices $devices" "--cut $cut"
        number=$((number + 1))
        continue
    fi
    case $((number % 4)) in
    0) parts "$lift run --devices $devices" "--overlap no --exchange peer" ;;
    1) parts "$lift run --devices $devices" "--overlap yes --exchange nccl" ;;
    *) parts "$lift run --devices $devices" "--overlap yes --exchange peer" ;;
    esac
    if [ -n "$kind" ] && [ $((number % 2)) -eq 0 ]; then
        parts "mpirun.$kind $more -n $count $lift run --devices $devices" "--overlap $([ $((number % 4)) -eq 0 ] && echo yes || echo no) --exchange mpi"
    elif [ -n "$kind" ] && [ $((number % 4)) -eq 3 ]; then
        parts "mpirun.$kind $more -n $count $lift run --devices $devices" "--overlap yes --exchange nccl"
    fi
    number=$((number + 1))
done
verdict "random programs in parts: the bits of one device" "$said"
verdict "most parts were not too thin" "$([ $done -gt $thin ] || echo "$done ran, $thin did not")"
echo "# $done runs in parts were compared, $thin were refused"
[ -n "$kind" ] || skip "between ranks" "no mpirun.openmpi and no mpirun.mpich, or it starts nothing"
finish
