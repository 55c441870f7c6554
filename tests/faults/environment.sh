#!/bin/sh
# Failures of the environment: compilers, temporary folders, OpenCL. Each time lift prints a message
# with a remedy, exits with status 1, and keeps its results.
. "$(dirname "$0")/../cli/cli.sh"

shim=$3
db=$work/lift.db
small=$work/small.lift
sh=$(command -v sh)
unset CC LIFT_CC
explore() {
    "$lift_explore" "$small" --trials 3 --max-exprs 3 --no-final-benchmark --db "$db" --quiet "$@"
}
trials() {
    query "$db" "SELECT count(*) FROM trial WHERE status IN ('ok', 'slow')"
}
compiler() { # script
    printf '#!%s\n%s\n' "$sh" "$1" >"$work/cc"
    chmod +x "$work/cc"
}

if ! command -v sqlite3 >/dev/null 2>&1; then
    skip "environments" "sqlite3 is not installed"
    finish
    exit
fi
expect "first, all is well" 0 "" explore
before=$(trials)
mkdir "$work/empty"
expect "no compiler" 1 "no C compiler" env PATH="$work/empty" "$lift_explore" "$small" \
    --trials 1 --db "$db" --quiet
expect "a missing compiler" 1 "cannot find '/nonexistent/cc'" env \
    LIFT_CC=/nonexistent/cc "$lift_explore" "$small" --trials 1 --db "$db" --quiet
compiler 'kill -SEGV $$'
expect "a compiler that crashes" 1 "was ended by signal 11" env LIFT_CC="$work/cc" \
    "$lift_explore" "$small" --trials 1 --db "$db" --quiet
compiler 'case $* in *--version*) echo "cc 1.0" ;; *) kill -SEGV $$ ;; esac'
expect "a compiler that crashes over every source" 1 "was ended by signal 11" env \
    LIFT_CC="$work/cc" "$lift_explore" "$small" --trials 1 --db "$db" --quiet
compiler 'for source; do
    case $source in *.c) grep -q "tunables {" "$source" && kill -ABRT $$ ;; esac
done
exec cc "$@"'
expect "one that crashes over every candidate" 1 "no kernel of 'small' was verified" env \
    LIFT_CC="$work/cc" "$lift_explore" "$small" --trials 2 --max-exprs 2 --no-naive --no-final-benchmark \
    --db "$work/bad.db" --quiet
verdict "is a row each" "$(query "$work/bad.db" "SELECT status, reason FROM trial
    WHERE status <> 'compile_error' OR reason NOT LIKE '%signal 6%'
    UNION ALL SELECT n, 'trials' FROM (SELECT count(*) AS n FROM trial) WHERE n <> 2")"
compiler 'case $* in *--version*) echo asked >>'"$work"'/asked ;; esac
exec cc "$@"'
expect "all processes of a command" 0 "" env LIFT_CC="$work/cc" "$lift_explore" "$small" \
    --trials 2 --max-exprs 2 --no-final-benchmark --db "$work/asked.db" --quiet
verdict "ask for the compiler's version once" "$([ "$(cat "$work/asked")" = asked ] ||
    cat "$work/asked")"
if "$lift" devices | grep -q '; .*clang version'; then
    clang() { # script, which may go on as clang itself
        printf '#!%s\n%s\nPATH=${PATH#*:}\nexec clang "$@"\n' "$sh" "$1" >"$work/bin/clang"
        chmod +x "$work/bin/clang"
    }
    mkdir "$work/bin"
    clang 'for source; do
    case $source in *.c)
        grep -q "tunables {" "$source" && { echo "error: not this one" >&2; exit 1; } ;;
    esac
done'
    expect "a second one that rejects every candidate" 1 "no kernel of 'small' was verified" env \
        PATH="$work/bin:$PATH" "$lift_explore" "$small" --tunable compiler=clang --trials 2 --max-exprs 2 \
        --no-final-benchmark --no-naive --db "$work/two.db" --quiet
    verdict "is a row each, too" "$(query "$work/two.db" "SELECT status, reason FROM trial
        WHERE status <> 'compile_error' OR reason NOT LIKE '%not this one%'
        UNION ALL SELECT n, 'trials' FROM (SELECT count(*) AS n FROM trial) WHERE n <> 2")"
    clang 'for word; do shift; [ "$word" = -fopenmp ] || set -- "$@" "$word"; done'
    run env PATH="$work/bin:$PATH" "$lift" devices
    verdict "a second one without OpenMP is left alone" "$(grep -n '; .*clang version' "$work/out")"
else
    skip "a second compiler" "there are no two"
fi
expect "no folder for temporary files" 1 "temporary folder" env TMPDIR="$work/nowhere" \
    "$lift_explore" "$small" --trials 1 --db "$db" --quiet
expect "a path of 5000 bytes for temporary files" 1 "temporary folder: File name too long" \
    env TMPDIR="/$(printf 'a%.0s' $(seq 5000))" "$lift_explore" "$small" --trials 1 --db "$db" --quiet
if unshare -rm true 2>/dev/null; then
    mkdir "$work/full"
    cat >"$work/full.sh" <<'IN_A_NAMESPACE'
mount -t tmpfs -o size=16k none "$1/full" || exit 77
head -c 20000 /dev/zero >"$1/full/filler" 2>/dev/null
TMPDIR=$1/full
export TMPDIR
shift
exec "$@"
IN_A_NAMESPACE
    expect "no room for temporary files" 1 "No space left" unshare -rm "$sh" "$work/full.sh" \
        "$work" "$lift_explore" "$small" --trials 1 --db "$db" --quiet
else
    skip "no room for temporary files" "no user namespaces here"
fi
verdict "nothing is lost" "$([ "$(trials)" -eq "$before" ] || echo "$before, then $(trials)")"
expect "no OpenCL driver" 1 "no OpenCL platform is installed" env \
    OCL_ICD_VENDORS="$work/empty" "$lift_explore" "$small" -d opencl --trials 1 --db "$db" --quiet
run "$lift" devices
if ! grep -q '^opencl' "$work/out"; then
    skip "an OpenCL device that goes away" "there is none"
else
    expect "OpenCL, first, all is well" 0 "" "$lift_explore" "$small" -d opencl --trials 1 \
        --max-exprs 4 --no-final-benchmark --db "$work/gone.db" --quiet
    expect "an OpenCL device that disappears" 1 "opencl" env LD_PRELOAD="$shim" \
        VANISH_FILE="$work/gone" VANISH_AFTER=25 \
        ASAN_OPTIONS="$ASAN_OPTIONS:verify_asan_link_order=0" LIFT_RUN_SECONDS="$(patient 6)" \
        "$lift_explore" "$small" -d opencl --trials 12 --max-exprs 4 --no-final-benchmark --db "$work/gone.db" --quiet
    note "$(head -n 1 "$work/err")"
    verdict "its trials are lost, those before are kept" "$(query "$work/gone.db" "SELECT status,
        reason FROM trial WHERE status NOT IN ('ok', 'slow', 'lost', 'device_lost')
        UNION ALL SELECT 'none', 'is ok' WHERE NOT EXISTS
            (SELECT 1 FROM trial WHERE status IN ('ok', 'slow'))")"
    verdict "the database is sound" "$(query "$work/gone.db" 'PRAGMA integrity_check;
        PRAGMA foreign_key_check' | grep -vx ok)"
fi
verdict "no process is left" "$(lingering environment.sh)"
finish
