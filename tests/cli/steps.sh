#!/bin/sh
# Programs with temporal blocking: explored, stored next to those of one step, and found again. 'sh
# tests/cli/steps.sh ROOT LIFT'.
. "$(dirname "$0")/cli.sh"

cd "$root" || exit 1
program=programs/jacobi2d5.lift
db=$work/steps.db

# ---- the program
expect "the term has the steps" 0 "let grid_1 =" "$lift" derive $program --steps 2 --emit term
expect "a time loop is needed" 2 "it has no time loop" sh -c \
    "printf 'size n = 8\nstencil s(x: [f32]n) = x\n' >$work/still.lift && $lift check $work/still.lift --steps 2"
expect "one step is the default" 0 "time loop" "$lift" check "$work/still.lift" --steps 1
rejected "17 are too many" 2 "1 16 --steps '17'" "$lift" check $program --steps 17
expect "a list has numbers" 2 "--steps 'x'" "$lift" explore $program --steps 1,x
for range in 1..17 3..1 1.. ..4 0..3 x..2; do
    expect "a range is from 1 to 16: $range" 2 "'$range' is not a range: expected A..B" \
        "$lift" explore $program --steps $range
done
expect "check counts points of the grid" 0 "2 steps a launch" "$lift" check $program --steps 2
verdict "with the flops of both steps" "$(grep -q '20 flop a point' "$work/out" || cat "$work/out")"
expect "JSON says how many" 0 '"steps": 3' "$lift" check programs/acoustic.lift --steps 3 --json
verdict "fmt keeps them" "$(printf 'size n = 8\nstencil s(x: [f32]n) -> y = x\ntime (x) <- (y)\nsteps   4\n' \
    >"$work/four.lift" && "$lift" fmt "$work/four.lift" | grep -qx 'steps 4' || echo no)"
expect "a program that sets its number of steps" 0 "4 steps a launch" "$lift" check "$work/four.lift"
expect "and not twice" 2 "it already states its number of steps" "$lift" check "$work/four.lift" --steps 2

# ---- kernels
small="--size nx=13,ny=11 --trials 3 --db $db --quiet --no-seeds --jobs 1 --max-exprs 3"
# shellcheck disable=SC2086
run "$lift" explore $program --no-temporal $small
# shellcheck disable=SC2086
expect "two steps are explored" 0 "2 steps a launch" "$lift" explore $program --steps 2 $small
if ! command -v sqlite3 >/dev/null 2>&1; then
    skip "steps of the database" "sqlite3 is not installed"
    finish
    exit
fi
query() {
    sqlite3 "$db" "$1"
}
same() { # name, wanted, SQL
    got=$(query "$3")
    verdict "$1" "$([ "$got" = "$2" ] || echo "$got instead of $2")"
}
same "points count every step" "1|143|1144
2|286|1144" "SELECT steps, points, bytes FROM problem ORDER BY steps"
# 13 operations a step, where divisions count four times, and 8 more.
same "the error allowed grows with the steps" "34" \
    "SELECT CAST(round(21 * max(bound) / min(bound)) AS INTEGER) FROM check_result WHERE kind = 'small'"
same "each has a best kernel" "1
2" "SELECT steps FROM best_kernel ORDER BY steps"
same "and a text" "1" "SELECT count(*) FROM program WHERE text LIKE '%steps 2%'"
ask() { # name, status, text, arguments of 'lift'
    name=$1 want=$2 text=$3
    shift 3
    expect "$name" "$want" "$text" "$lift" "$@" --db "$db"
}
ask "one of them" 0 "2 steps a launch" best jacobi2d5 --steps 2
verdict "and no other" "$(grep -c 'jacobi2d5 {' "$work/out" | grep -qx 1 || cat "$work/out")"
ask "the same by its file" 0 "2 steps a launch" best $program --steps 2 --size nx=13,ny=11
ask "the same as JSON" 0 '"steps": 2' best jacobi2d5 --steps 2 --emit json
ask "the other" 0 '"steps": 1' best jacobi2d5 --steps 1 --json
ask "other available numbers of steps" 1 "of --steps there are: 1, 2" best jacobi2d5 --steps 5
ask "headings of show" 0 "2 steps a launch" show jacobi2d5
ask "a name for other sizes" 0 '"chosen": "nearest size"' best jacobi2d5 --size nx=9,ny=9 --device host --json
ask "its kernel" 0 '"points": 162' best jacobi2d5 --steps 2 --size nx=9,ny=9 --device host --emit json
ask "kernels are made again, and right" 0 "2 steps a launch" db rebuild jacobi2d5 --verify
expect "the report has both" 0 "jacobi2d5, 2 steps" "$lift" report "$db" -o -

# ---- the kernel for a run
steps_of() { # name, wanted, arguments of 'lift best'
    name=$1 want=$2
    shift 2
    run "$lift" best "$@" --json --db "$db"
    verdict "$name" "$(grep -q "\"steps\": $want," "$work/out" && grep -c '"program"' "$work/out" | grep -qx 1 ||
        cat "$work/out" "$work/err")"
}
steps_of "one step is a run of one" 1 jacobi2d5 --run 1
# A trial that has ended is not changed, but here: how fast kernels of 143 points are is chance.
query "SELECT 'DROP TRIGGER ' || name || ';' FROM sqlite_master WHERE type = 'trigger'" >"$work/drop.sql"
query "$(cat "$work/drop.sql"); UPDATE trial SET median_ns = 1000 + 500 * (SELECT steps FROM problem WHERE problem.id = trial.problem)
    WHERE median_ns > 0; DELETE FROM finalist"
# 143 points in 1.5 us, and 286 in 2 us.
ask "the kernel with the least time a step answers" 0 "temporal blocking: 2 time steps a launch" best jacobi2d5
verdict "alone, with the single sweep in a line" "$(grep -c '^jacobi2d5 {' "$work/out" | grep -qx 1 && grep -q \
    '^  best single sweep: 0.09533 GPts/s, .*1.5 µs a launch, unconfirmed; temporal blocking is 1.50 times as fast' "$work/out" ||
    cat "$work/out")"
ask "the same of its file" 0 "best single sweep: 0.09533 GPts/s" best $program --size nx=13,ny=11
ask "with --steps 1, the single sweep" 0 "0.09533 GPts/s" best jacobi2d5 --steps 1
verdict "and no other" "$(! grep -q 'temporal blocking' "$work/out" || cat "$work/out")"
ask "as JSON" 0 '"single_sweep": {' best jacobi2d5 --json
verdict "with its gain" "$(grep -q '"times": 1.5$' "$work/out" || cat "$work/out")"
ask "in the table" 0 "single sweep, GPts/s" best
verdict "in one line" "$(grep -qE '^jacobi2d5 .* 0.143 .* 2 +0.095 ' "$work/out" && grep -c '^jacobi2d5' "$work/out" | grep -qx 1 ||
    cat "$work/out")"
ask "its header" 0 "static inline void jacobi2d5_single_step(" best jacobi2d5 --emit header
ask "and of its file" 0 "static inline void jacobi2d5_single_step(" best $program --size nx=13,ny=11 --emit header
ask "at other sizes, the nearest kernels" 0 "temporal blocking: 2 time steps a launch" best $program --size nx=12,ny=11 \
    --device host
ask "of a name as well" 0 "static inline void jacobi2d5_single_step(" best jacobi2d5 --size nx=12,ny=11 --device host \
    --emit header
ask "or the nearest single sweep" 0 "nearest size" best jacobi2d5 --size nx=12,ny=11 --device host --run 1
verdict "for a run of one step" "$(! grep -q 'temporal blocking' "$work/out" || cat "$work/out")"
steps_of "of 1.5 and 2 us the kernel of two steps" 2 jacobi2d5 --run 100
steps_of "and for odd ones" 2 $program --run 101
steps_of "a run of one has no two" 1 $program --run 1
ask "one of both options" 2 "omit --steps" best jacobi2d5 --run 4 --steps 2
ask "the whole program" 0 "" best $program --run 101 --emit host -o "$work/k.c"
verdict "with single steps for the rest" "$(grep -q jacobi2d5_single_step "$work/k.c" || echo none)"

run "$lift" report "$db" --json
single=$(sqlite3 "$db" "SELECT lower(iif(typeof(id) = 'blob', hex(id), id)) FROM problem WHERE steps = 1")
verdict "the report joins both" "$(grep -oE '"single":"[0-9a-f]+"' "$work/out" | grep -qxF "\"single\":\"$single\"" ||
    head -c 3000 "$work/out")"
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome)
if [ -n "$browser" ]; then
    run "$lift" report "$db" -o "$work/steps.html"
    HOME=$work timeout "$(patient 60)" "$browser" --headless --no-sandbox --disable-gpu --dump-dom \
        "file://$work/steps.html" >"$work/dom" 2>"$work/browser"
    verdict "and compares them" "$(sed -i '/<script/,/<[/]script>/d' "$work/dom"
        for text in "Time steps a launch" "temporal blocking of 2 time steps a launch" "1.50× the best single sweep"; do
            grep -qF -- "$text" "$work/dom" || { echo "no '$text' in:"; head -c 3000 "$work/dom"; }
        done)"
else
    skip "and compares them" "no browser is installed"
fi

# A database may lie: kernels of two steps that are called kernels of five are not of this program.
cp "$db" "$work/lie.db"
sqlite3 "$work/lie.db" "UPDATE problem SET steps = 5 WHERE steps = 2"
expect "a false number of steps" 0 "0.09533 GPts/s" "$lift" best $program --size nx=13,ny=11 --db "$work/lie.db"
verdict "does not answer for a file" "$(! grep -q 'temporal blocking' "$work/out" || cat "$work/out")"
expect "nor for a name" 0 "jacobi2d5 {" "$lift" best jacobi2d5 --db "$work/lie.db"
verdict "where it stays apart" "$(grep -c '^jacobi2d5 {' "$work/out" | grep -qx 2 && ! grep -q 'single sweep' "$work/out" ||
    cat "$work/out")"
# Where single sweeps are faster, a line says how fast temporal blocking is.
cp "$db" "$work/slow.db"
sqlite3 "$work/slow.db" "UPDATE trial SET median_ns = 6000 WHERE median_ns = 2000"
expect "slow temporal blocking" 0 "best temporal blocking: 2 time steps a launch, 0.04767 GPts/s" \
    "$lift" best jacobi2d5 --db "$work/slow.db"
verdict "is compared" "$(grep -q 'the single sweep is 2.00 times as fast' "$work/out" || cat "$work/out")"

# ---- several depths in one run
many="--size nx=13,ny=11 --no-seeds --no-final-benchmark --jobs 1 --max-exprs 3 --db $work/many.db"
# shellcheck disable=SC2086
expect "a range is explored in one run" 0 "best of jacobi2d5" "$lift" explore $program --steps 1..3 --trials 12 \
    --verbose $many
verdict "with a line for each depth" "$([ "$(grep -cE '^ +[123] time steps? +a launch: .* trials, [0-9]+ verified' \
    "$work/out")" = 3 ] || cat "$work/out")"
verdict "and no more trials than were given" "$(awk '/time steps? +a launch: .* trials/ {
    for (i = 1; i <= NF; i++) if ($i == "trials,") sum += $(i - 1) } END { if (sum > 12 || sum == 0) print sum }' "$work/out")"
: >"$work/err" # of the command before
# shellcheck disable=SC2086
"$lift" explore $program --steps 1,2..3 --seconds 3600 $many >"$work/out" 2>"$work/err" &
pid=$!
await has_begun $pid
kill -INT $pid
status=0
wait $pid || status=$?
verdict "interrupted: status 0" "$([ $status -eq 0 ] || echo "status $status")"
verdict "and the results so far" "$(grep -q '^interrupted' "$work/out" || cat "$work/out" "$work/err")"
# shellcheck disable=SC2086
expect "the exploration resumes" 0 '"depths": [' "$lift" explore $program --steps 2,3 --trials 4 --quiet --json $many
verdict "as JSON" "$(sqlite3 :memory: "SELECT 'not JSON' WHERE NOT json_valid(readfile('$work/out'))")"

# ---- an ordinary exploration, without --steps, reaches temporal blocking

has_deep() { # database
    [ "$(sqlite3 "$1" "SELECT count(*) > 0 FROM trial JOIN problem ON problem.id = trial.problem
        WHERE steps > 1 AND status = 'ok' AND median_ns > 0" 2>/dev/null)" = 1 ]
}
deep_or_gone() { # database, process
    has_deep "$1" || ! kill -0 "$2"
}
# Times are chance here: temporal blocking gets the least time a step.
favour_deep() { # database
    sqlite3 "$1" "SELECT 'DROP TRIGGER ' || name || ';' FROM sqlite_master WHERE type = 'trigger'" >"$work/drop.sql"
    sqlite3 "$1" "$(cat "$work/drop.sql") UPDATE trial SET median_ns = CASE (SELECT steps FROM problem WHERE
        problem.id = trial.problem) WHEN 1 THEN 1e7 ELSE 1e6 END WHERE median_ns > 0; DELETE FROM finalist"
}
answers_deep() { # what, database, program, device
    expect "$1" 0 "time steps a launch" "$lift" best "$3" --size "$size" --device "$4" --db "$2"
    verdict "with the best single sweep below" "$(grep -q '^  temporal blocking: [2-8] time steps a launch' "$work/out" &&
        grep -q '^  best single sweep: .*; temporal blocking is [0-9.]* times as fast' "$work/out" || cat "$work/out")"
}
size=nx=2048,ny=1024
"$lift" explore $program --size $size --seconds 3600 --no-seeds --no-final-benchmark --quiet --db "$work/ordinary.db" \
    >"$work/out" 2>"$work/err" &
pid=$!
await deep_or_gone "$work/ordinary.db" $pid
kill -INT $pid
status=0
wait $pid || status=$?
verdict "an ordinary exploration verifies and times temporal blocking" "$([ $status -eq 0 ] && has_deep "$work/ordinary.db" ||
    echo "status $status: $(cat "$work/out" "$work/err")")"
favour_deep "$work/ordinary.db"
answers_deep "it answers for a long run" "$work/ordinary.db" $program host

# ---- other files
run "$lift" db export --csv "$work/csv" --db "$db"
run "$lift" db import "$work/csv" --db "$work/again.db"
verdict "steps are exported" "$([ "$(sqlite3 "$work/again.db" 'SELECT sum(steps) FROM problem')" = 3 ] || echo no)"
sed 's/,"steps"$//; s/,[12]$//' "$work/csv/problem.csv" >"$work/problem.csv"
cp "$work/problem.csv" "$work/csv/problem.csv"
sed -i 's/^"schema",.*/"schema",6/' "$work/csv/lift.csv"
sed -i '1s/,"cache_bytes".*$//; 2,$s/,[^,]*,[^,]*$//' "$work/csv/device.csv"
sed -i '1s/"trial"/"try"/' "$work/csv/check_result.csv" "$work/csv/timing.csv" "$work/csv/finalist.csv"
mv "$work/csv/trial.csv" "$work/csv/try.csv"
mv "$work/csv/configuration.csv" "$work/csv/point.csv"
run "$lift" db import "$work/csv" --db "$work/older.db"
verdict "folders of version 6 have one step" \
    "$([ "$(sqlite3 "$work/older.db" 'SELECT sum(steps) FROM problem')" = 2 ] || cat "$work/err")"
finish
