#!/bin/sh
# One problem explored by the ranks of a job. The variables of a launcher define the ranks, so
# no mpirun is needed but for one case. 'sh tests/cli/jobs.sh ROOT LIFT'.
. "$(dirname "$0")/cli.sh"

root=$1
cd "$work" || exit 99
export LC_ALL=C LIFT_CC_SECONDS="${LIFT_CC_SECONDS:-60}"
if ! command -v sqlite3 >/dev/null 2>&1; then
    skip "jobs" "sqlite3 is not installed"
    finish
    exit
fi

rank() { # which of two, arguments: in the background; its output is in out.RANK and err.RANK
    rank=$1
    shift
    env SLURM_STEP_NUM_TASKS=2 SLURM_PROCID="$rank" SLURM_LOCALID="$rank" \
        "$lift_explore" "${program:-small.lift}" --jobs 1 "$@" >"out.$rank" 2>"err.$rank" &
    eval "process$rank=$!"
}
ended() { # rank: its status is in $status
    status=0
    eval "wait \$process$1" 2>/dev/null || status=$?
}
equal() { # what, value, wanted
    verdict "$1" "$([ "$2" = "$3" ] || echo "'$2' instead of '$3': $(cat err.0 err.1)")"
}
said() { # what, file, text
    verdict "$1" "$(grep -qF -- "$3" "$2" || cat "$2")"
}
searched="phase IN ('search', 'seed')"

# ---- both to their end
rank 0 --trials 10 --no-final-benchmark --keep-ranks --db a.db
rank 1 --trials 10 --no-final-benchmark --keep-ranks --db a.db
ended 1
equal "rank 1 ends well" "$status" 0
ended 0
equal "rank 0 ends well" "$status" 0
said "and says how many they were" out.0 "ranks         2, "
equal "rank 1 says nothing" "$(cat out.1)" ""
parts="ATTACH 'a.db.rank0.db' AS one; ATTACH 'a.db.rank1.db' AS two;"
equal "all trials were merged" "$(query a.db "$parts
    SELECT count(*) FROM (SELECT id FROM one.trial UNION SELECT id FROM two.trial EXCEPT SELECT id FROM main.trial)")" 0
equal "and no others" "$(query a.db "$parts
    SELECT (SELECT count(*) FROM main.trial) - (SELECT count(*) FROM one.trial) - (SELECT count(*) FROM two.trial)")" 0
equal "each rank tried" "$(query a.db "SELECT group_concat(n) FROM (SELECT count(*) >= 10 AS n FROM trial
    WHERE $searched GROUP BY session)")" 1,1
twice="SELECT count(*) FROM (SELECT 1 FROM trial WHERE $searched GROUP BY candidate, problem, device HAVING count(*) > 1)"
equal "nothing was tried twice" "$(query a.db "$twice")" 0
equal "one rank timed the naive kernel" "$(query a.db "SELECT count(*) <= 1 FROM trial WHERE phase = 'recheck'")" 1
equal "one rank measured the copy bandwidth" "$(query a.db "$parts
    SELECT (SELECT copy_gbs FROM one.device) IS (SELECT copy_gbs FROM two.device)")" 1
equal "sessions say their ranks" "$(query a.db "SELECT group_concat(substr(budget, instr(budget, 'rank')), ', ')
    FROM (SELECT budget FROM session ORDER BY budget)")" "rank 0 of 2, rank 1 of 2"

# ---- the next job knows all of it, and leaves one database
rm a.db.rank0.db
expect "a job of one rank is no job" 0 "" env SLURM_STEP_NUM_TASKS=1 SLURM_PROCID=0 \
    "$lift" explore small.lift --trials 1 --no-final-benchmark --quiet --no-naive --db a.db
equal "its session has no rank" "$(query a.db "SELECT budget LIKE '%rank%' FROM session ORDER BY started DESC LIMIT 1")" 0
rank 0 --trials 5 --db a.db --json
rank 1 --trials 5 --db a.db --json
ended 1
ended 0
equal "a second job" "$status" 0
equal "again nothing was tried twice" "$(query a.db "$twice")" 0
equal "a final benchmark was held by rank 0" "$(query a.db "SELECT count(DISTINCT session) FROM finalist")" 1
said "JSON has the state of ranks" out.0 '"end": "done"'
equal "one database is left" "$(echo a.db*)" a.db

# ---- several time steps a launch
program=$root/programs/jacobi2d5.lift
several="--steps 1,2 --size nx=13,ny=11 --trials 4 --max-exprs 2 --no-seeds --no-naive --no-final-benchmark --db e.db"
# shellcheck disable=SC2086
rank 0 $several --json
# shellcheck disable=SC2086
rank 1 $several
ended 1
ended 0
program=
equal "a job of one and two time steps" "$status" 0
equal "both were tried" "$(query e.db "SELECT group_concat(steps) FROM (SELECT DISTINCT steps FROM problem
    JOIN trial ON trial.problem = problem.id ORDER BY 1)")" 1,2
equal "the summary counts the trials of both ranks and numbers" "$(query e.db "SELECT json_extract(readfile('out.0'),
    '$.trials') = (SELECT count(*) FROM trial WHERE $searched)")" 1

# ---- winners: rank 0 checks the results that rank 1 wrote meanwhile
rank 1 --trials 6 --no-final-benchmark --db b.db
ended 1
mv b.db.rank1.db kept.db
rank 0 --seconds 600 --sync-every 0.2 --no-final-benchmark --db b.db
trials() { [ "$(query b.db.rank0.db "SELECT count(*) FROM trial WHERE status = 'ok'")" -gt 0 ]; }
knows() { query b.db.rank0.db "SELECT text FROM device_event WHERE kind = 'rank'" | grep -q "were received from rank 1"; }
await trials
mv kept.db b.db.rank1.db
await knows
equal "the winners of others become known" "$(knows && echo yes)" yes
kill -INT "$process0"
ended 0
equal "Ctrl-C ends a rank, which merges" "$status" 0
equal "both sessions are there" "$(query b.db "SELECT count(DISTINCT session) FROM trial")" 2

# ---- a rank that is killed
rank 1 --seconds 600 --no-final-benchmark --db c.db
begun() { [ "$(query c.db.rank1.db "SELECT count(*) FROM trial WHERE ended IS NOT NULL")" -gt 0 ]; }
await begun
expect "two jobs on one database" 1 "runs as rank 1" env SLURM_STEP_NUM_TASKS=2 SLURM_PROCID=1 \
    "$lift_explore" small.lift --trials 1 --db c.db
rank 0 --trials 4 --no-final-benchmark --rank-timeout 30 --db c.db
kill -9 "$process1"
ended 1
ended 0
equal "a dead rank fails the job" "$status" 1
said "a message names the rank" err.0 "lift: rank 1 is dead"
said "and its trials are merged" err.0 "trials that it left in 'c.db.rank1.db' were merged"
equal "with those of the other" "$(query c.db "SELECT count(DISTINCT session) FROM trial")" 2
equal "its session is closed" "$(query c.db "SELECT count(*) FROM session WHERE ended IS NULL")" 0

# ---- rejected commands, with one message
refused() { # name, text, arguments
    what=$1 text=$2
    shift 2
    expect "$what" 2 "$text" env PMI_SIZE=2 PMI_RANK=0 "$lift_explore" small.lift --db d.db "$@"
    ends_with 2 env PMI_SIZE=2 PMI_RANK=1 "$lift_explore" small.lift --db d.db "$@"
    equal "$what: the other rank is silent" "$status$(cat err out)" 2
}
refused "a table" "--table is for one process" --table t.json
expect "rank 1 does not print the space" 0 "" env PMI_SIZE=2 PMI_RANK=1 "$lift_explore" small.lift --print-space
equal "at all" "$(cat out)" ""
expect "no time for winners" 2 "--sync-every" "$lift_explore" small.lift --sync-every 0
expect "an unknown device" 1 "tpu" env PMI_SIZE=2 PMI_RANK=1 "$lift_explore" small.lift --device tpu --db d.db
equal "is reported to rank 0" "$(cat d.db.rank1.state)" "ended 1"

# ---- the Slurm script, with another srun
mkdir bin
cat >bin/srun <<'END'
#!/bin/sh
while case $1 in -*) true ;; *) false ;; esac do shift; done
SLURM_STEP_NUM_TASKS=2 SLURM_PROCID=1 "$@" &
SLURM_STEP_NUM_TASKS=2 SLURM_PROCID=0 "$@" || exit
wait
END
chmod +x bin/srun
ln -s "$lift_explore" bin/lift-explore
sed 's/--device cuda:0.*cuda:3/--device host/' "$root/examples/slurm/explore.sbatch" >explore.sbatch
expect "the Slurm script prints its usage" 2 "usage: sbatch explore.sbatch" sh explore.sbatch
expect "the Slurm script" 0 "ranks         2, " \
    env PATH="$work/bin:$PATH" sh explore.sbatch small.lift 5 s.db --trials 2 --no-final-benchmark
equal "times no candidate twice" "$(query s.db "$twice")" 0

# ---- by mpirun
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
if ! command -v mpirun >/dev/null || ! mpirun -n 2 true >/dev/null 2>&1; then
    skip "mpirun" "it is not installed, or starts nothing"
    finish
    exit
fi
expect "mpirun" 0 "ranks         2, " mpirun -n 2 "$lift_explore" small.lift --trials 4 --no-final-benchmark --db e.db
equal "times no candidate twice" "$(query e.db "$twice")" 0
finish
