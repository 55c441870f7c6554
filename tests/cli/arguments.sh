#!/bin/sh
# Wrong arguments: nothing is made and nothing is changed.
#   sh tests/cli/arguments.sh ROOT LIFT
. "$(dirname "$0")/cli.sh"

mkdir "$work/run"
cp programs/heat.lift "$work/run/"
cp tests/rules/tutorial.rules "$work/run/my.rules"
printf 'size n = \n' >"$work/run/broken.lift"
run "$lift_explore" programs/heat.lift --size nx=12,ny=10,nz=8 --tries 2 --no-final --max-exprs 4 \
    --jobs 1 --quiet --db "$work/run/lift.db"
verdict "a database" "$([ "$status" -eq 0 ] || cat "$work/err")"
sum() { (cd "$work/run" && find . -type f ! -name '*-shm' ! -name '*-wal' -exec cksum {} + | sort -k 3; find . -type d); }
sum >"$work/before"

few="--max-exprs 4"
while read -r wanted arguments; do
    # words
    # shellcheck disable=SC2086
    attempt env -C "$work/run" "$lift" $arguments
    verdict "lift $arguments" "$([ "$status" -eq "$wanted" ] || echo "status $status instead of $wanted"
        sum | diff "$work/before" - || cat "$work/err")"
done <<END
1 explore heat.lift $few --expr 123456789abc --db new.db
1 explore heat.lift $few --tunable nosuch=3 --db new.db
1 explore heat.lift $few --expr 123456789abc
1 explore heat.lift $few --tunable nosuch=3
1 explore heat.lift --table t.txt --db new.db
1 explore heat.lift $few --device host --device nosuch --db new.db
2 explore heat.lift $few --size nw=3 --db new.db
2 explore heat.lift $few --precision half --db new.db
2 explore heat.lift $few --rules nosuch.rules --db new.db
2 explore heat.lift $few --technique nosuch --db new.db
2 explore broken.lift --db new.db
1 explore heat.lift $few --build-only 1 --programs out --device nosuch
1 explore heat.lift $few --build-only 1 --programs out --expr 123456789abc
1 explore heat.lift $few --build-only 1 --programs out --tunable nosuch=3
1 explore heat.lift $few --build-only 1 --programs nosuch/out
1 explore heat.lift $few --build-only 1 --programs heat.lift
1 explore heat.lift $few --print-space --expr 123456789abc --db new.db
2 best heat.lift --emit source -o out.c --size nw=3
1 best heat.lift --emit source -o out.c --device nosuch
1 best nosuch --emit source -o out.c
2 best heat --emit host -o out.c --rules nosuch.rules
2 best heat --emit nothing -o out.c
2 report lift.db -o out.html --size nx
2 report lift.db -o out.html --precision half
1 report nosuch.db -o out.html
2 report lift.db -o out.html -p nosuch.lift
1 db export --csv out --db nosuch.db
2 db export --csv out --best x
1 db export --t4 out.json nosuch
1 db export --t4 out.json heat --device nosuch
2 db export heat --t4 out.json --size nx
1 db import nosuch --db new.db
1 db merge new.db nosuch.db
1 db merge new.db lift.db nosuch.db
2 db prune --keep-top x
1 db prune --keep-top 5 --db nosuch.db
1 db rebuild nosuch
2 db rebuild heat --rules nosuch.rules
1 db rebuild heat --device nosuch
1 db doctor --db nosuch.db --repair
2 fmt -i broken.lift
2 fmt -i nosuch.lift
END
finish
