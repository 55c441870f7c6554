# Sourced by the tests of the commands: 'sh tests/cli/NAME.sh ROOT LIFT'.
. "$(dirname "$0")/../house/tap.sh"

lift=$2
lift_explore=$(dirname "$lift")/lift-explore
unset LIFT_PROGRAM # the installed library finds its own

# Runs a command, whose status the script compares; its output is in $work/out and $work/err, its
# status in $status. What a sanitizer reports is a failure whatever status was expected.
attempt() {
    status=0
    "$@" >"$work/out" 2>"$work/err" || status=$?
    [ "$status" -eq 0 ] || ! grep -qE 'ERROR: [A-Za-z]*Sanitizer|: runtime error: ' "$work/err" ||
        not_ok "a sanitizer is content with: $*" "$(cat "$work/err")"
}
# Runs a command that ends with this status ("run": 0). Another one fails immediately: the checks that follow would
# find nothing wrong in output that is not there.
ends_with() { # status, command
    due=$1
    shift
    attempt "$@"
    [ "$status" -eq "$due" ] || not_ok "status $due of: $*" "status $status: $(cat "$work/err")"
}
run() { # command
    ends_with 0 "$@"
}

# Whether the output of the last command has a text, which may be empty; a number that it begins with is a whole
# one.
has_text() { # text
    case $1 in
    '') ;;
    [0-9]*) grep -qE -- "(^|[^0-9])$(printf '%s' "$1" | sed 's/[][\\.*^$+?(){}|]/\\&/g')" "$work/out" "$work/err" ;;
    *) grep -qF -- "$1" "$work/out" "$work/err" ;;
    esac
}

# Whether a line of stderr has all of these words, none of them within a longer word.
names_all() { # words
    words=$1 awk 'function has(line, s,   at, rest) {
            for (rest = " " line " "; (at = index(rest, s)); rest = substr(rest, at + 1))
                if (!(s ~ /^[A-Za-z0-9_]/ && substr(rest, at - 1, 1) ~ /[A-Za-z0-9_]/) &&
                    !(s ~ /[A-Za-z0-9_]$/ && substr(rest, at + length(s), 1) ~ /[A-Za-z0-9_]/))
                    return 1
            return 0
        }
        BEGIN { n = split(ENVIRON["words"], word, " ") }
        { all = 1; for (i = 1; i <= n; i++) all = all && has($0, word[i]); found = found || all }
        END { exit !(found && n) }' "$work/err"
}

# Runs a command and checks its status, and by a function whether its output has a text.
answers() { # function, what, status, text, command
    finds=$1
    what=$2
    wanted=$3
    text=$4
    shift 4
    attempt "$@"
    if [ "$status" -ne "$wanted" ]; then
        not_ok "$what" "status $status instead of $wanted: $(cat "$work/err")"
    elif ! "$finds" "$text"; then
        not_ok "$what" "no '$text' in: $(cat "$work/out" "$work/err")"
    else
        ok "$what"
    fi
}

# Arguments: name, status, text that stderr or stdout must have (may be empty), command
expect() {
    answers has_text "$@"
}

# Arguments: name, status, words that one line of stderr must have, command. The words are the wrong
# option, file, name or value, and its place in a file. Tests ignore the wording: docs/api.md does
# not promise it.
rejected() {
    answers names_all "$@"
}

# So many seconds of the machine that scripts/speed.sh compares with, here: docs/internals.md.
patient() { # seconds
    awk -v s="$1" -v f="${LIFT_TEST_SLOWNESS:-1}" 'BEGIN { print (f > 1 ? s * f : s) }'
}

# Waits until the command succeeds, at most two minutes; the following verdict then reports the
# failure.
await() { # command
    waited=0
    most=$(patient 600) # fifths of a second
    until "$@" >/dev/null 2>&1; do
        [ $waited -lt "${most%.*}" ] || return 0
        waited=$((waited + 1))
        sleep 0.2
    done
}

# Whether a background process, which writes to $work/err, has a kernel or has ended.
has_begun() { # process
    grep -q GPts/s "$work/err" || ! kill -0 "$1"
}

# Lists the processes of this test, after they are gone or a time limit has passed: a killed process
# stays for a moment.
lingering() { # the test's own name
    await none_lingers "$1"
    pgrep -af "$work" | grep -v "$1"
}
none_lingers() {
    ! pgrep -af "$work" | grep -v "$1"
}

# The program of a name: one of programs/, unless it says where it is.
file_of() { # program
    case $1 in */*) echo "$1.lift" ;; *) echo "programs/$1.lift" ;; esac
}

# The sizes of a program, for '--size'; where windows are longer, there are more.
sizes() { # program, lengths
    for lengths in "$2" 17x5x7; do
        sizes=$(sizes_from "$1" "$lengths")
        ! "$lift" derive "$(file_of "$1")" --size "$sizes" >/dev/null 2>&1 || break
    done
    echo "$sizes"
}
sizes_from() { # program, lengths: these, or the least that it says it has; others by their defaults
    awk -v lengths="$2" '/^size / {
        gsub(/^size |=[^,]*in |\.\./, " ")
        n = split($0, each, ",")
        split(lengths, length_of, "x")
        for (i = 1; i <= n && i in length_of; i++) {
            split(each[i], part, " ")
            size = length_of[i] + 0
            least = part[2] + 0 # 0 of sizes that have none
            printf "%s%s=%d", (i == 1 ? "" : ","), part[1], (size > least ? size : least)
        }
    }' "$(file_of "$1")"
}

# One number or text out of a database.
query() { # database, SQL
    sqlite3 "$1" "$2"
}
# Fills a database with kernels of 1 and 2 time steps a launch, the latter with the least time a step: how fast
# kernels of few points are is chance.
two_depths() { # database, program, sizes
    for depth in 1 2; do
        run "$lift" explore "$2" --steps $depth --size "$3" --trials 2 --max-exprs 1 --quiet --no-final-benchmark \
            --no-seeds --jobs 1 --db "$1"
    done
    sqlite3 "$1" "SELECT 'DROP TRIGGER ' || name || ';' FROM sqlite_master WHERE type = 'trigger'" >"$work/drop.sql"
    sqlite3 "$1" "$(cat "$work/drop.sql") UPDATE trial SET median_ns =
        30000 - 10000 * (SELECT steps FROM problem WHERE problem.id = trial.problem) WHERE median_ns > 0"
}
# The commands that the JSON of a report proposes.
report_commands() { # file
    query :memory: "SELECT value ->> 'command' FROM json_each(CAST(readfile('$1') AS TEXT), '\$.best')"
}

# Runs a command where numbers have a decimal comma: as for a program that calls setlocale. False
# if there is no such locale, and none can be made.
german() { # command
    [ -d "$work/locale/de_DE.UTF-8" ] || {
        mkdir -p "$work/locale"
        LC_ALL=C localedef -i de_DE -f UTF-8 "$work/locale/de_DE.UTF-8" >/dev/null 2>&1 || return
    }
    env LOCPATH="$work/locale" LC_ALL=de_DE.UTF-8 "$@"
}
no_german="localedef makes no locale de_DE.UTF-8: are its sources installed (package 'locales')?"

cat >"$work/small.lift" <<'END'
size nx = 40, ny = 24

stencil small(g: [[f32]nx]ny) -> out =
    inset2(1, 1, g, map2(w -> 0.25f * (w[0][1] + w[1][0] + w[1][2] + w[2][1]),
        slide2(3, 1, g)))
END
