#!/bin/sh
# The commands of README.md and docs/: each is run as it stands there, made small by the rules
# below, or is listed in documents.txt with the reason, or ends with '# needs: WHAT' and is run only
# where that is. The options that a command names must be in its help, whether it is run or not, and
# so must those of commands within the text. Those of docs/add-a-rule.md are run by tutorial.sh.
#   sh tests/cli/documents.sh ROOT LIFT BUILD
. "$(dirname "$0")/cli.sh"
build=$3
list=$here/documents.txt

# Lines of code that begin with a command, without the remark behind two spaces, but with the
# mark '# needs:'. Lines that end with a backslash continue.
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
        sed 's/   *# needs: / # needs: /; s/   *[^ ].*$//; s/ *$//' |
        awk '{ word = $1
            for (i = 1; word ~ /^[A-Z_]+=/; word = $(++i))
                ;
            n = split(word, path, "/") }
        word ~ /^(build|scripts|tests|bench|\.)\// || word ~ /^(lift|lift-explore|sh|bash|env|sudo|cc|gcc|clang|nvcc|meson|ninja|make|cmake|sqlite3|apt|apt-get|dpkg|dpkg-buildpackage|rm|cp|mkdir|cd|git|python3|pip|compute-sanitizer|ncu|valgrind|gdb|perf|numactl|taskset|srun|sbatch|mpirun|docker|curl|wget|tar|unzip|export)$/'
}
for document in README.md docs/*.md; do
    [ "$document" = docs/add-a-rule.md ] || commands_of "$document"
done | awk '!seen[$0]++' >"$work/commands"
sort "$work/commands" >"$work/sorted"
grep -v '^#' "$list" | grep . | sort -u >"$work/listed"
sed -n 's/ # needs: .*//p' "$work/commands" | sort -u >"$work/needy"
verdict "there are commands" "$([ "$(wc -l <"$work/commands")" -ge 50 ] || cat "$work/commands")"
verdict "every listed command stands in a document" "$(comm -13 "$work/sorted" "$work/listed")"
verdict "no listed command has a mark 'needs'" "$(comm -12 "$work/needy" "$work/listed")"
verdict "a reason stands above each" "$(awk '/^#/ { reason = 1; next } !NF { reason = 0; next }
    !reason { print }' "$list")"

# ---- the place where they are run
here=$PWD
mkdir "$work/bin" "$work/run" "$work/run/FOLDER"
ln -s "$lift" "$work/bin/lift"
ln -s "$lift_explore" "$work/bin/lift-explore"
ln -s "$build" "$work/run/build"
cp -r programs tools examples "$work/run/"
mkdir "$work/run/bench"
cp -r bench/results "$work/run/bench/"
cp tests/rules/tutorial.rules "$work/run/my.rules"
cp tests/rules/tutorial.rules "$work/run/FILE"
PATH="$work/bin:$PATH"
small="--trials 2 --no-final-benchmark --jobs 1 --max-exprs 4 --quiet"
verdict "docs/get-started.md shows the stencil of the example" "$(sed -n '/^```lift$/,/^```$/p' docs/get-started.md |
    sed '/^```/d' | diff - examples/heat/diffuse.lift | grep '^[<>]' | grep -v '^> // One step')"
# The stencils of docs/write-a-stencil.md go to the files that their first lines name.
awk -v to="$work/run/" '/^```lift$/ { on = 1; file = ""; next } /^```$/ { on = 0 }
    on && !file { file = $2; sub(/:$/, "", file) }
    on { print > (to file) }' docs/write-a-stencil.md
for program in acoustic hotspot2d heat; do
    # options are words
    # shellcheck disable=SC2086
    run "$lift_explore" programs/$program.lift $small --size "$(sizes $program 12x10x8)" --db "$work/small.db"
    [ "$status" -eq 0 ] || not_ok "$program is explored" "$(cat "$work/err")"
done
run "$lift" db import programs/tuned --db "$work/h200.db"
"$lift" devices >"$work/devices" 2>&1

# Lines of samples that no schedule's words change.
"$lift" best acoustic_iso --device h200 --precision single --size nx=1000,ny=1000,nz=1000 --db "$work/h200.db" \
    >"$work/sample" 2>&1
verdict "the sample of README.md is what 'lift best' prints" "$(head -n 4 "$work/sample" | while IFS= read -r line; do
    grep -qxF -- "$line" README.md || echo "not in it: $line"
done)"

# A command in its small form: short explorations of few candidates at small sizes, few instances of
# rules, few random programs, one program of a database.
make_small() { # command
    case $1 in
        *--print-space*) more="--max-exprs 4" ;;
        "lift explore"*--build-only* | "lift explore"*--check-only*) more="--jobs 1 --max-exprs 4" ;;
        "lift-explore examples/heat/diffuse.lift"* | "lift-explore blur.lift"*) more="$small --size nx=12,ny=10" ;;
        lift-explore* | "lift explore"*)
            program=${1#*programs/}
            program=${program%%.lift*}
            more="$small --size $(sizes "$program" 12x10x8)"
            ;;
        "lift rules check") more="-n 2" ;;
        *measure_rules.py*) more="--trials 2 --jobs 1 --quiet --size nx=12,ny=10" ;;
        *prepare.py\ --size*) more="--size 60,44,46" ;;
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

# ---- options, also of commands that are not run here

# The help of a command of lift, or of a program of the build.
help_of() { # words of a command
    case $1 in
        build/bench/*) sed -n "s|^. \`$1 \([^\`]*\)\`.*|\1|p" bench/README.md ;;
        build/*) "$build/${1#build/}" --help ;;
        lift-explore) "$lift" explore --help ;;
        *) case $2 in
            db | rules) "$lift" "$2" "$3" --help ;;
            [a-z]*) "$lift" "$2" --help ;;
            *) "$lift" --help ;;
        esac ;;
    esac
}

# The file with these options; each help page is read once.
help_file() { # words of a command
    case "$1 ${2:-}" in
        lift\ db | lift\ rules) of="$1 $2 ${3:-}" ;;
        lift\ *) of="$1 $2" ;;
        *) of=$1 ;;
    esac
    of=$work/help.$(printf '%s' "$of" | tr -c 'a-z' _)
    [ -f "$of" ] || help_of "$@" >"$of" 2>&1
    echo "$of"
}

# The options that a command names and its help does not.
unknown_options() { # command
    printf '%s\n' "$1" | sed 's/ # needs: .*//; s/ [|&].*//' |
        sed -E "s/'[^']*'/TEXT/g; s/\"[^\"]*\"/TEXT/g; s/^.* (lift|lift-explore) /\1 /" |
        while read -r line; do
            case $line in lift\ * | lift-explore\ * | build/*) ;; *) continue ;; esac
            # words of a command
            # shellcheck disable=SC2086
            help=$(help_file $line)
            printf '%s\n' "$line" | tr ' [|]' '\n\n\n\n' | grep -oE '^--?[a-zA-Z][a-z-]*' |
                while read -r option; do
                    grep -qE -e "(^|[^a-zA-Z-])$option([^a-zA-Z-]|\$)" "$help" ||
                        echo "$1: there is no $option"
                done
        done
}

grep -vxFf "$work/listed" "$work/commands" >"$work/torun"
while IFS= read -r command <&4; do
    verdict "options of: $command" "$(unknown_options "$command")"
done 4<"$work/commands"
grep -ohE '\`(lift|lift-explore) [^\`]*--[^\`]*\`' README.md docs/*.md | tr -d '\`' | sort -u >"$work/inline"
verdict "there are commands within the text" "$([ "$(wc -l <"$work/inline")" -ge 20 ] || cat "$work/inline")"
verdict "options of commands within the text" "$(while IFS= read -r command <&4; do
    unknown_options "$command"
done 4<"$work/inline")"

# ---- running them

while IFS= read -r command <&3; do
    lacks=$(missing "$command")
    needs=${command#*# needs: }
    [ "$needs" != "$command" ] || needs=
    command=${command%% # needs: *}
    if [ -n "$lacks" ]; then
        case $lacks in
            *cuda* | *dot*) verdict "the document says so: $command" "$([ -n "$needs" ] || echo "no '# needs: ...'")" ;;
        esac
        skip "$command" "there is no $lacks here"
        continue
    fi
    case $needs in *GPU* | *compute-sanitizer*)
        case $command in build/* | *compute-sanitizer*)
            skip "$command" "it needs $needs"
            continue
            ;;
        esac
        ;;
    esac
    base=small.db
    case $command in *h200*) base=h200.db ;; esac
    for db in lift a b x acoustic; do cp "$work/$base" "$work/run/$db.db"; done
    rm -rf "$work/run/DIR" "$work/run/all.db" "$work/run/t.txt"
    run env -C "$work/run" sh -c "$(make_small "$command")"
    verdict "$command" "$([ "$status" -eq 0 ] || { make_small "$command" && tail -n 20 "$work/out" "$work/err"; })"
done 3<"$work/torun"
verdict "programs/ is as it was" "$(diff -r programs "$work/run/programs")"
finish
