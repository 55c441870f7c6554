#!/bin/sh
# Checks that time limits follow the machine: its measured slowdown, and its use by tests.
. "$(dirname "$0")/tap.sh"

slow=$(sh scripts/speed.sh)
verdict "a machine is at least as slow as the fast one" "$(echo "$slow" |
    awk '!/^[0-9]+\.[0-9]$/ || $1 < 1')"
printf '#!/bin/sh\nsleep 4\n' >"$work/cc"
chmod +x "$work/cc"
slow=$(CC="$work/cc" sh scripts/speed.sh)
verdict "one whose compiler takes long is slower" "$(echo "$slow" | awk '$1 < 4')"

patient() { # slowness, seconds
    LIFT_TEST_SLOWNESS=$1 sh -c '. "$0"; patient "$3"' tests/cli/cli.sh . lift "$2"
}
verdict "limits are longer there" "$([ "$(patient 2.5 4)" = 10 ] || patient 2.5 4)"
verdict "and never shorter" "$([ "$(patient 0.5 4) $(patient '' 4)" = '4 4' ] || patient 0.5 4)"

# Every test has a limit that grows with the machine.
verdict "tests have no other limits" "$(find . -name meson.build -not -path './build*' \
    -not -path './examples/*' -exec grep -Hn 'timeout:' {} + |
    grep -v 'timeout: patience')"
finish
