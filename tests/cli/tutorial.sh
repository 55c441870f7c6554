#!/bin/sh
# The tutorial, followed to the letter: the commands of docs/add-a-rule.md are run one
# after the other as they stand there, but for the time given to the exploration.
. "$(dirname "$0")/cli.sh"

document=docs/add-a-rule.md
mkdir "$work/bin" "$work/run"
ln -s "$lift" "$work/bin/lift"
ln -s "$lift_explore" "$work/bin/lift-explore"
ln -s "$PWD/programs" "$PWD/tools" "$work/run/"
PATH="$work/bin:$PATH"

# Block N of those that are marked as commands, into a separate file.
awk -v to="$work/step" '/^```sh$/ { n++; on = 1; next }
    /^```$/ { on = 0 }
    on { print > (to n ".sh") }' "$document"
steps=$(find "$work" -name 'step*.sh' | wc -l)
verdict "six commands, and more to look at" "$([ "$steps" -ge 6 ] || echo "$steps blocks")"
sed -i 's/--seconds 30/--trials 24 --size nx=96,ny=64 --quiet/' "$work"/step*.sh
sed -i 's/--trials 24/--trials 4/' "$work"/step5.sh

here=$PWD
step() { # number, what, status, text
    cd "$work/run" || exit 1
    expect "$1. $2" "$3" "$4" sh -e "$work/step$1.sh"
    cd "$here" || exit 1
}

step 1 "the rule is written" 0 ""
verdict "it is the rule of the tests" "$(cmp "$work/run/my.rules" tests/rules/tutorial.rules 2>&1)"
step 2 "the check passes" 0 "2 rules passed, 0 failed"
# The lines of output under the command, without the seconds, which differ from run to run.
without_seconds() { # file
    sed 's/^    //; s/[,;]* *\(in \)\{0,1\}[0-9.]* s$//' "$1"
}
awk '/^lift rules check my.rules$/ { on = 1 } on && /^    / { print; shown = 1 }
    on && shown && !/^    / { exit }' "$document" >"$work/shown"
verdict "the document has three lines of its output" "$([ "$(wc -l <"$work/shown")" -eq 3 ] || cat "$work/shown")"
without_seconds "$work/shown" >"$work/shown.plain"
without_seconds "$work/out" | diff "$work/shown.plain" - >"$work/changes"
verdict "the document's counts are those of the output" "$(cat "$work/changes")"
step 3 "it applies to the program" 0 "oneDivision at "
step 4 "the exploration takes it" 0 "GPts/s"
verdict "all rules of the file are explored" "$(grep 'in no option' "$work/err")"
step 5 "what it gains is measured" 0 "srad1"
step 6 "its name is in a derivation" 0 "with"
verdict "kernels with and without the rule were verified" \
    "$([ "$(grep -c '^with' "$work/out")" -eq 2 ] || cat "$work/out")"
step 7 "the tree names it" 0 "divisions=one"
expect "the rule does not ship" 2 "no rule" "$lift" rules show oneDivision
expect "the decision does not ship" 2 "no decision 'divisions'" "$lift" derive programs/srad1.lift \
    --family omp_faces --decide divisions=one
finish
