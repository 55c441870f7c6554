# Sourced by the checks of the house: prints their results in TAP. Each check takes the root
# of the tree as its only argument, so that it can be pointed at a bad one (prove.sh).
# Diagnostics come on lines that begin with '#'. $work is a folder that is removed at the end.
#
# No check passes over a command that failed to look: what the script's own commands print on the
# standard error since the last check (no such file, no such command, an error of SQL) fails the next.

tap_count=0
tap_failed=0
work=$(mktemp -d)
tap_errors=$work/.errors
exec 3>&2 2>>"$tap_errors"
tap_end() {
    cat "$tap_errors" >&3
    rm -rf "$work"
}
trap tap_end EXIT

ok() { # what
    if [ -s "$tap_errors" ]; then
        not_ok "$1" "commands of this script complain:"
        return
    fi
    tap_count=$((tap_count + 1))
    printf 'ok %d - %s\n' "$tap_count" "$1"
}

not_ok() { # what, lines that say why
    tap_count=$((tap_count + 1))
    tap_failed=$((tap_failed + 1))
    printf 'not ok %d - %s\n' "$tap_count" "$1"
    { printf '%s\n' "$2" && cat "$tap_errors"; } | sed 's/^/#   /'
    : >"$tap_errors"
}

skip() { # what, reason
    tap_count=$((tap_count + 1))
    printf 'ok %d - %s # SKIP %s\n' "$tap_count" "$1" "$2"
}

note() {
    printf '# %s\n' "$1"
}

# A check passes if its list of complaints is empty, and the commands that made it did not complain.
verdict() { # what, complaints
    if [ -z "$2" ]; then
        ok "$1"
    else
        not_ok "$1" "$2"
    fi
}

finish() {
    [ ! -s "$tap_errors" ] || not_ok "what follows the last check" "commands of this script complain:"
    printf '1..%d\n' "$tap_count"
    [ "$tap_failed" -eq 0 ]
    exit
}

root=${1:-$(dirname "$0")/../..}
here=$(cd "$(dirname "$0")" && pwd)
cd "$root" || exit 99
