#!/bin/sh
# A long run from files: examples/seismic/acoustic_pml_shot.lift by 'lift run', with a source and
# 200 receivers between grid points and a layer of 16, compared with plain C (bench/shot.c). Then
# the script repeats the run, kills it after its first checkpoint and resumes it.
#   sh bench/shot.sh [OPTIONS] LIFT
# LIFT: the command. Options:
#   --points N        the grid has N^3 points (400)
#   --steps STEPS     (1000)
#   --seconds SECONDS to explore, unless the database has a kernel for these sizes (60); 0: not
#   --device DEVICE   host
#   --db FILE         shot.db
#   --folder FOLDER   for the files; kept (shot.files)
# Prints GPts/s of both, the share that kernels have of the time between the first and the last
# step, the largest differences of both from plain C in double precision, and whether the continued
# run has the same bits. Status 1 if lift's are more than twice those of plain C, or it has not. At
# 400^3 files and grids take 5 GB, and two cores some minutes.
set -eu
usage() {
    sed -n '2,/^set/p' "$0" | sed '$d; s/^# \{0,1\}//' >&2
    exit 2
}
n=400 steps=1000 seconds=60 device=host db=shot.db folder=shot.files
while [ $# -gt 1 ]; do
    case $1 in
    --points) n=$2 ;;
    --steps) steps=$2 ;;
    --seconds) seconds=$2 ;;
    --device) device=$2 ;;
    --db) db=$2 ;;
    --folder) folder=$2 ;;
    *) usage ;;
    esac
    shift 2
done
case ${1:-} in '' | -*) usage ;; esac
lift=$1
here=$(dirname "$0")
mkdir -p "$folder"
for real in float double; do
    ${CC:-cc} -O3 -march=native -fopenmp -DREAL=$real -o "$folder/shot.$real" "$here/shot.c" -lm
done
"$folder/shot.float" make "$folder" "$n" "$steps"

# steps of 'lift run', and more arguments; with=exec: in place of this shell
with=
go() {
    last=$1
    shift
    # A database that is not there is made by exploring only.
    [ ! -e "$db" ] && [ "$seconds" = 0 ] || set -- --db "$db" "$@"
    $with "$lift" run "$here/../examples/seismic/acoustic_pml_shot.lift" --steps "$last" \
        --device "$device" --size "nx=$n,ny=$n,nz=$n,nt=$steps" --in u=0 --in v=0 --in now=0 \
        --in "vp=$folder/vp.npy" --in "series=$folder/series.raw" --in "eta_z=$folder/eta_z.npy" \
        --in "eta_y=$folder/eta_y.npy" --in "eta_x=$folder/eta_x.npy" --in phi_z=0 --in phi_y=0 \
        --in phi_x=0 --points "sat,sw=$folder/source.csv" --points "rat,rw=$folder/receivers.csv" \
        "$@"
}

[ "$seconds" = 0 ] || set -- --explore-seconds "$seconds"
[ "$seconds" != 0 ] || set --
go "$steps" "$@" --record "trace=$folder/trace.raw" --out "next=$folder/next.raw" \
    2>&1 | tee "$folder/sum"
[ -s "$folder/next.raw" ] || exit 1
share=$(sed -n 's/.* to the last, \([0-9.]*\).*/\1/p' "$folder/sum")
begin=$(date +%s.%N)
"$folder/shot.float" run "$folder" "$n" "$steps"
plain=$(date +%s.%N | awk -v b="$begin" -v p="$n" -v s="$steps" '{ printf "%.3g", p^3 * s / ($1 - b) / 1e9 }')
echo "  plain C     $plain GPts/s, with set-up and writing"
echo "  share       kernels $share % of the time between the first and the last step"
status=0
"$folder/shot.double" run "$folder" "$n" "$steps"
"$folder/shot.float" compare "$folder" "$n" "$steps" || status=1

# Stopped hard as soon as there is a checkpoint, unless it ends before.
rm -f "$folder/state" "$folder/stopped.raw"
with="exec"
go "$steps" --quiet --checkpoint "$folder/state" --checkpoint-every $(((steps + 3) / 4)) \
    --out "next=$folder/stopped.raw" &
run=$!
with=
while [ ! -s "$folder/state" ] && kill -0 $run 2>/dev/null; do
    sleep 0.1
done
kill -KILL $run 2>/dev/null || true
wait $run 2>/dev/null || true
[ ! -e "$folder/stopped.raw" ] || echo "  stopped     too late: the run had ended"
go "$steps" --quiet --resume "$folder/state" --out "next=$folder/continued.raw"
if cmp -s "$folder/next.raw" "$folder/continued.raw"; then
    echo "  continued   the same bits"
else
    echo "  continued   other results"
    status=1
fi
exit $status
