#!/bin/sh
# Explorations that time kernels on slabs of the grid first: sh tests/cli/slab.sh ROOT LIFT
. "$(dirname "$0")/cli.sh"

cd "$1" || exit 1
db=$work/slab.db
explore() { # database, options
    to=$1
    shift
    run "$lift_explore" programs/heat.lift --size nx=24,ny=20,nz=256 --db "$to" --jobs 2 --seed 3 \
        --no-final-benchmark "$@"
}
LIFT_SLAB_BYTES=262144
export LIFT_SLAB_BYTES

explore "$db" --trials 16
verdict "it ends well" "$([ "$status" -eq 0 ] || cat "$work/err")"
verdict "most are tried on the slab only, and some on the whole grid" "$([ "$(query "$db" \
    "SELECT count(*) > 1 FROM trial WHERE status = 'slab'")$(query "$db" \
    "SELECT count(*) > 1 FROM trial WHERE status = 'ok'")" = 11 ] || query "$db" \
    "SELECT status, reason, count(*) FROM trial GROUP BY 1, 2")"
verdict "trials on the slab only are correct there, and have a time" "$(query "$db" \
    "SELECT id, median_ns FROM trial t WHERE status = 'slab' AND (median_ns IS NULL OR
        (SELECT group_concat(kind || bad) FROM check_result WHERE trial = t.id) <>
            'small0,second0,slab0')")"
verdict "trials marked correct are correct on the whole grid" "$(query "$db" \
    "SELECT id FROM trial t WHERE status = 'ok' AND NOT EXISTS
        (SELECT 1 FROM check_result WHERE trial = t.id AND kind = 'full' AND bad = 0)")"
verdict "the slab came before the whole grid" "$([ "$(query "$db" \
    "SELECT count(*) > 0 FROM trial t WHERE status = 'ok' AND
        (SELECT group_concat(kind) FROM check_result WHERE trial = t.id) LIKE
            'small,second,slab,second,full%'")" = 1 ] || query "$db" "SELECT * FROM check_result")"
verdict "the best kernel is none of the slab's" "$(query "$db" \
    "SELECT t.status FROM best_kernel b JOIN trial t ON t.id = b.trial WHERE t.status <> 'ok'")"
verdict "no failure" "$(query "$db" "SELECT * FROM failures WHERE status <> 'lost'")"

explore "$db" --trials 8
verdict "nothing is tried twice" "$(query "$db" "SELECT candidate, count(*) FROM trial
    WHERE status IN ('ok', 'slow', 'slab') AND phase <> 'recheck' GROUP BY 1 HAVING count(*) > 1")"
run "$lift" db doctor --db "$db"
verdict "the database is well" "$([ "$status" -eq 0 ] || cat "$work/out" "$work/err")"

# The grid is smaller than two slabs.
LIFT_SLAB_BYTES=2000000 explore "$work/none.db" --trials 4
verdict "a grid that is hardly larger has no slab" "$(query "$work/none.db" \
    "SELECT status FROM trial WHERE status = 'slab'
     UNION SELECT kind FROM check_result WHERE kind = 'slab'")"
finish
