#!/bin/sh
# Wrong arguments: nothing is made and nothing is changed.
#   sh tests/cli/arguments.sh ROOT LIFT
. "$(dirname "$0")/cli.sh"

mkdir "$work/run"
cp programs/heat.lift "$work/run/"
cp tests/rules/tutorial.rules "$work/run/my.rules"
printf 'size n = \n' >"$work/run/broken.lift"
run "$lift_explore" programs/heat.lift --size nx=12,ny=10,nz=8 --trials 2 --no-final-benchmark --max-exprs 4 \
    --jobs 1 --quiet --db "$work/run/lift.db"
verdict "a database" "$([ "$status" -eq 0 ] || cat "$work/err")"
sum() { (cd "$work/run" && find . -type f ! -name '*-shm' ! -name '*-wal' -exec cksum {} + | sort -k 3; find . -type d); }
sum >"$work/before"

few="--max-exprs 4"
while read -r wanted subject arguments; do
    # words
    # shellcheck disable=SC2086
    attempt env -C "$work/run" "$lift" $arguments
    verdict "lift $arguments" "$([ "$status" -eq "$wanted" ] || echo "status $status instead of $wanted"
        grep -qF -- "$subject" "$work/err" || echo "nothing of $subject: $(cat "$work/err")"
        sum | diff "$work/before" - || cat "$work/err")"
done <<END
1 '123456789abc' explore heat.lift $few --expr 123456789abc --db new.db
1 'nosuch' explore heat.lift $few --tunable nosuch=3 --db new.db
1 '123456789abc' explore heat.lift $few --expr 123456789abc
1 'nosuch' explore heat.lift $few --tunable nosuch=3
1 table explore heat.lift --table t.txt --db new.db
1 'nosuch' explore heat.lift $few --device host --device nosuch --db new.db
2 'nw' explore heat.lift $few --size nw=3 --db new.db
2 'half' explore heat.lift $few --precision half --db new.db
2 'nosuch.rules' explore heat.lift $few --rules nosuch.rules --db new.db
2 'nosuch' explore heat.lift $few --technique nosuch --db new.db
2 broken.lift: explore broken.lift --db new.db
1 'nosuch' explore heat.lift $few --build-only 1 --programs out --device nosuch
1 '123456789abc' explore heat.lift $few --build-only 1 --programs out --expr 123456789abc
1 'nosuch' explore heat.lift $few --build-only 1 --programs out --tunable nosuch=3
1 'nosuch/out' explore heat.lift $few --build-only 1 --programs nosuch/out
1 'heat.lift' explore heat.lift $few --build-only 1 --programs heat.lift
1 '123456789abc' explore heat.lift $few --print-space --expr 123456789abc --db new.db
2 'nw' best heat.lift --emit source -o out.c --size nw=3
1 'nosuch' best heat.lift --emit source -o out.c --device nosuch
1 'nosuch' best nosuch --emit source -o out.c
2 'nosuch.rules' best heat --emit host -o out.c --rules nosuch.rules
2 'nothing' best heat --emit nothing -o out.c
2 'nx' report lift.db -o out.html --size nx
2 'half' report lift.db -o out.html --precision half
1 'nosuch.db' report nosuch.db -o out.html
2 'nosuch.lift' report lift.db -o out.html -p nosuch.lift
1 'nosuch.db' db export --csv out --db nosuch.db
2 'x' db export --csv out --best x
1 'nosuch/lift.csv' db import nosuch --db new.db
1 'nosuch.db' db merge new.db nosuch.db
1 'nosuch.db' db merge new.db lift.db nosuch.db
2 'x' db prune --keep-top x
1 'nosuch.db' db prune --keep-top 5 --db nosuch.db
1 'nosuch' db rebuild nosuch
2 'nosuch.rules' db rebuild heat --rules nosuch.rules
1 'nosuch' db rebuild heat --device nosuch
1 'nosuch.db' db doctor --db nosuch.db --repair
2 broken.lift: fmt -i broken.lift
2 'nosuch.lift' fmt -i nosuch.lift
END
finish
