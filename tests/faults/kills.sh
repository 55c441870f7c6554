#!/bin/sh
# kill -9 of the coordinator, its runner or a builder at random moments, over and over: the
# database stays sound, no row is half-written, nothing is left behind, and the explorations
# that follow end like an undisturbed exploration.
#
#     sh tests/faults/kills.sh ROOT LIFT [KILLS [SEED]]
#
# The number of moments is 12; a hundred take some minutes.
. "$(dirname "$0")/../cli/cli.sh"

kills=${3:-12}
random=${4:-1}
db=$work/killed.db
TMPDIR=$work/tmp
OMP_NUM_THREADS=2
export TMPDIR OMP_NUM_THREADS
mkdir "$TMPDIR"
cat >"$work/line.lift" <<'END_OF_PROGRAM'
exact
size n = 30
stencil line(x: [f32]n) -> y = map(w -> 0.5f * (w[0] + w[2]), slide(3, 1, pad(1, 1, clamp, x)))
END_OF_PROGRAM

explore() { # database, more
    file=$1
    shift
    $exec "$lift_explore" "$work/line.lift" --technique random --trials 400 --no-final-benchmark --no-seeds \
        --max-exprs 5 --tunable tile_x=5 \
        --db "$work/$file" --quiet "$@" >"$work/out" 2>"$work/err"
}

# A number below $1, in $random.
draw() {
    seed=$(((seed * 1103515245 + 12345) % 2147483648))
    random=$((seed / 65536 % $1))
}

# Whether there is one, or there will be none any more.
find_victim() {
    victim=$(pgrep -P "$pid" "lift-$role" | head -n 1)
    [ -n "$victim" ] || ! kill -0 "$pid"
}

# Waits for a process of that role and a while more, and kills it.
strike() {
    victim=$pid
    [ "$role" = coordinator ] || await find_victim
    draw 1200
    sleep "$(printf '%d.%03d' $((random / 1000)) $((random % 1000)))"
    [ -n "$victim" ] && kill -9 "$victim" 2>/dev/null && echo "$role" >>"$work/struck"
}

# One exploration and its end by force.
round() {
    exec=exec explore killed.db &
    pid=$!
    draw 3
    case $random in
    0) set -- coordinator ;;
    1) set -- runner coordinator ;;
    *) set -- builder runner coordinator ;;
    esac
    for role in "$@"; do
        kill -0 "$pid" 2>/dev/null || break
        strike
    done
    wait "$pid" 2>/dev/null
}

no_temporary_folder() {
    [ -z "$(ls -A "$TMPDIR")" ]
}

sound() {
    # it may have been killed before it made the tables
    [ "$(query "$db" "SELECT count(*) FROM sqlite_schema WHERE name = 'trial'")" = 1 ] || return 0
    query "$db" 'PRAGMA integrity_check; PRAGMA foreign_key_check' | grep -vx ok
    query "$db" "SELECT 'half-written', t.status, t.reason, t.phase, t.ended FROM trial t WHERE status IN ('ok', 'slow') AND
        (median_ns IS NULL OR ended IS NULL OR build IS NULL AND t.phase = 'search' OR
        NOT EXISTS (SELECT 1 FROM timing m WHERE m.trial = t.id) OR
        (SELECT count(*) FROM check_result k WHERE k.trial = t.id) < 3)
        OR status NOT IN ('started', 'lost') AND ended IS NULL"
}

candidates() { # database
    query "$work/$1" "SELECT DISTINCT candidate FROM trial WHERE status IN ('ok', 'slow')
        ORDER BY candidate"
}

if ! command -v sqlite3 >/dev/null 2>&1; then
    skip "kills" "sqlite3 is not installed"
    finish
    exit
fi
exec=
seed=$random
struck=0
: >"$work/struck"
explore whole.db
verdict "undisturbed" "$(grep -v '^$' "$work/err")"
complaints=$(
    while [ "$struck" -lt "$kills" ]; do
        round
        sound
        struck=$(wc -l <"$work/struck")
        # little work is left: start again
        if [ "$(candidates killed.db 2>/dev/null | wc -l)" -gt "$(($(candidates whole.db | wc -l) * 2 / 3))" ]; then
            explore killed.db || cat "$work/err"
            candidates whole.db >"$work/want"
            candidates killed.db | diff "$work/want" - | sed 's/^/candidates: /'
            query "$db" "SELECT id, 'left open' FROM trial WHERE status = 'started'"
            rm -f "$db" "$db"-*
        fi
    done
)
verdict "sound after each kill, and whole in the end" "$complaints"
note "$(sort "$work/struck" | uniq -c | tr '\n' ' ')"
# a start removes the folders of the killed that are at least five seconds old
sleep 6
explore killed.db
verdict "the last exploration ends well" "$(cat "$work/err")"
candidates whole.db >"$work/want"
verdict "the same candidates are verified" "$(candidates killed.db | diff "$work/want" - |
    head -n 5)"
verdict "there is a best one" "$([ "$(query "$db" 'SELECT count(*) FROM best_kernel')" -eq 1 ] ||
    echo "$(query "$db" 'SELECT count(*) FROM best_kernel')")"
verdict "nothing is half-written" "$(sound)"
verdict "no trial is left open" "$(query "$db" "SELECT id FROM trial WHERE status = 'started'")"
verdict "no process is left" "$(lingering kills.sh)"
await no_temporary_folder
verdict "no temporary folder is left" "$(ls -A "$TMPDIR")"
finish
