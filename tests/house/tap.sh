# Sourced by the checks of the house: prints their results in TAP. Each check takes the root
# of the tree as its only argument, so that it can be pointed at a bad one (prove.sh).
# Diagnostics come on lines that begin with '#'.

tap_count=0
tap_failed=0

ok() { # what
    tap_count=$((tap_count + 1))
    printf 'ok %d - %s\n' "$tap_count" "$1"
}

not_ok() { # what, lines that say why
    tap_count=$((tap_count + 1))
    tap_failed=$((tap_failed + 1))
    printf 'not ok %d - %s\n' "$tap_count" "$1"
    printf '%s\n' "$2" | sed 's/^/#   /'
}

skip() { # what, reason
    tap_count=$((tap_count + 1))
    printf 'ok %d - %s # SKIP %s\n' "$tap_count" "$1" "$2"
}

note() {
    printf '# %s\n' "$1"
}

# A check passes if its list of complaints is empty.
verdict() { # what, complaints
    if [ -z "$2" ]; then
        ok "$1"
    else
        not_ok "$1" "$2"
    fi
}

finish() {
    printf '1..%d\n' "$tap_count"
    [ "$tap_failed" -eq 0 ]
    exit
}

root=${1:-$(dirname "$0")/../..}
here=$(cd "$(dirname "$0")" && pwd)
cd "$root" || exit 99
