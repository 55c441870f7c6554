#!/bin/sh
# Runs every test under the address and undefined-behaviour sanitizers: installs packages that are
# missing and builds into build-test/ first (gcc 12's sanitizers make -Wformat-truncation
# warn of formats that cannot be null; of the debugger's tables only lines are made, which reports
# name: a fifth of the time of the build). Arguments go to 'meson test', for example
# '--suite house' or 'base'. The last line is the sum: N passed, N failed[, N skipped].
set -u
cd "$(dirname "$0")/.." || exit 1
log=build-test/meson-logs/testlog.txt

build() {
    sh scripts/setup.sh check || return
    [ -f build-test/build.ninja ] ||
        meson setup build-test --buildtype=debugoptimized -Db_sanitize=address,undefined \
            -Db_lundef=false -Ddebug=false "-Dc_args=-g1 -Wno-format-truncation" || return
    ninja -C build-test
}

# Time limits hold for an idle fast machine; the slowdown of this machine multiplies them. Limits of
# lift's own commands are the defaults.
limits() {
    LIFT_TEST_SLOWNESS=$(sh scripts/speed.sh) || LIFT_TEST_SLOWNESS=1
    LIFT_CC_SECONDS=$(limit 60)
    LIFT_RUN_SECONDS=$(limit 10)
    export LIFT_TEST_SLOWNESS LIFT_CC_SECONDS LIFT_RUN_SECONDS
}
limit() { # seconds
    awk -v s="$1" -v f="$LIFT_TEST_SLOWNESS" 'BEGIN { print s * f }'
}

rm -f $log
# One more at a time than there are cores: some only wait, for a limit or a budget of time.
build && limits && meson test -C build-test --no-rebuild --print-errorlogs \
    --timeout-multiplier "$LIFT_TEST_SLOWNESS" --num-processes $(($(nproc) + 1)) "$@"
if [ ! -f $log ]; then
    echo "failed: the tests could not be built or started"
    echo "0 passed, 1 failed"
    exit 1
fi
exec awk -f scripts/tally.awk $log
