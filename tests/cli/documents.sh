#!/bin/sh
# The commands of README.md and docs/: each is run as it stands there, made small by the rules
# below, or is listed in documents.txt with the reason. Those of docs/tutorial-new-rule.md are run by
# tutorial.sh.
#   sh tests/cli/documents.sh ROOT LIFT BUILD
. "$(dirname "$0")/cli.sh"
build=$3
list=$here/documents.txt

# Lines of code that begin with a command, without what is said of them behind two spaces. Lines that
# end with a backslash go on.
commands_of() { # document
    awk '/^```/ { fence = fence == "" ? $0 : ""; next }
        fence == "```sh" || (fence == "" && (/^    [^ ]/ || (line != "" && /^    /))) {
            sub(/^    /, "")
            if (line != "")
                sub(/^ */, "")
            line = line $0
            if (sub(/ *\\$/, " ", line))
                next
            print line
        }
        { line = "" }' "$1" |
        sed 's/   *[^ ].*$//; s/ *$//' |
        awk '{ word = $1
            for (i = 1; word ~ /^[A-Z_]+=/; word = $(++i))
                ;
            n = split(word, path, "/") }
        word ~ /^(build|scripts|tests|bench)\// || word ~ /^(lift|lift-explore|sh|bash|env|sudo|cc|gcc|clang|nvcc|meson|ninja|make|cmake|sqlite3|apt|apt-get|dpkg|dpkg-buildpackage|rm|cp|mkdir|cd|git|python3|pip|compute-sanitizer|ncu|valgrind|gdb|perf|numactl|taskset|srun|sbatch|mpirun|docker|curl|wget|tar|unzip|export)$/'
}
for document in README.md docs/*.md; do
    [ "$document" = docs/tutorial-new-rule.md ] || commands_of "$document"
done | awk '!seen[$0]++' >"$work/commands"
sort "$work/commands" >"$work/sorted"
grep -v '^#' "$list" | grep . | sort -u >"$work/listed"
verdict "there are commands" "$([ "$(wc -l <"$work/commands")" -ge 50 ] || cat "$work/commands")"
verdict "what is listed stands in a document" "$(comm -13 "$work/sorted" "$work/listed")"
verdict "a reason stands above each" "$(awk '/^#/ { reason = 1; next } !NF { reason = 0; next }
    !reason { print }' "$list")"

# ---- the place where they are run
here=$PWD
mkdir "$work/bin" "$work/run" "$work/run/FOLDER"
ln -s "$lift" "$work/bin/lift"
ln -s "$lift_explore" "$work/bin/lift-explore"
ln -s "$build" "$work/run/build"
cp -r programs "$work/run/programs"
cp tests/rules/tutorial.rules "$work/run/my.rules"
cp tests/rules/tutorial.rules "$work/run/FILE"
PATH="$work/bin:$PATH"
small="--tries 2 --no-final --jobs 1 --max-exprs 4 --quiet"
for program in acoustic hotspot2d heat; do
    # options are words
    # shellcheck disable=SC2086
    run "$lift_explore" programs/$program.lift $small --size "$(sizes $program 12x10x8)" --db "$work/small.db"
    [ "$status" -eq 0 ] || not_ok "$program is explored" "$(cat "$work/err")"
done
run "$lift" db import programs/tuned --db "$work/h200.db"
"$lift" devices >"$work/devices" 2>&1

# A command in its small form: short explorations of few candidates at small sizes, few instances of
# rules, few random programs, one program of a database.
make_small() { # command
    case $1 in
        *--print-space*) more="--max-exprs 4" ;;
        "lift explore"*--build-only* | "lift explore"*--check-only*) more="--jobs 1 --max-exprs 4" ;;
        lift-explore* | "lift explore"*)
            program=${1#*programs/}
            program=${program%%.lift*}
            more="$small --size $(sizes "$program" 12x10x8)"
            ;;
        "lift rules check") more="-n 2" ;;
        "lift rules measure"*) more="--tries 2 --jobs 1 --quiet --size nx=12,ny=10" ;;
        "lift db rebuild"*) more=heat ;;
        *) more= ;;
    esac
    printf '%s %s\n' "$1" "$more" | sed -E 's/--(hours|minutes|seconds) [0-9.]+//
        s/--(build|check)-only [0-9]+/--\1-only 1/
        s/ -n [0-9]{2,}/ -n 2/
        s/--repeat [0-9]+//
        s/--count [0-9]{2,}/--count 1/'
}

# The device that a command needs and that is not here.
missing() { # command
    case $1 in
        *dot\ -T*) command -v dot >/dev/null || echo "dot" ;;
    esac
    case $1 in lift-explore* | "lift explore"* | "lift derive"* | build/*) ;; *) return ;; esac
    printf '%s\n' "$1" | grep -oE -e '--(device|target) [^ ]+' | while read -r _ device; do
        case $device in
            host:aarch64) command -v aarch64-linux-gnu-gcc >/dev/null || echo "$device" ;;
            opencl | cuda | hip) ;; # only text is made
            *:*[a-z]*_* | *:gfx*) grep -q "[ ,]${device#*:}\(,\| \|$\)" "$work/devices" || echo "$device" ;;
            *) grep -q "^$device" "$work/devices" || echo "$device" ;;
        esac
    done | tr '\n' ' '
}

grep -vxFf "$work/listed" "$work/commands" >"$work/torun"
while IFS= read -r command <&3; do
    lacks=$(missing "$command")
    if [ -n "$lacks" ]; then
        skip "$command" "there is no $lacks here"
        continue
    fi
    base=small.db
    case $command in *h200*) base=h200.db ;; esac
    for db in lift a b x acoustic; do cp "$work/$base" "$work/run/$db.db"; done
    rm -rf "$work/run/DIR" "$work/run/all.db" "$work/run/t.txt"
    run env -C "$work/run" sh -c "$(make_small "$command")"
    verdict "$command" "$([ "$status" -eq 0 ] || { make_small "$command" && tail -n 20 "$work/out" "$work/err"; })"
done 3<"$work/torun"
verdict "programs/ is as it was" "$(diff -r programs "$work/run/programs")"
finish
