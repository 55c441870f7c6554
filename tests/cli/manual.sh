#!/bin/sh
# Manual pages and completion, which are printed from the tables of options.
. "$(dirname "$0")/cli.sh"

# The commands as 'lift help' lists them, parts with the command that they are of.
listed() { # words of a command with parts
    "$lift" help "$@" | sed -n 's/^  \([a-z]*\)  .*/\1/p'
}
{
    listed
    listed db | sed 's/^/db /'
} >"$work/commands"
verdict "there are commands" "$([ "$(wc -l <"$work/commands")" -ge 17 ] || cat "$work/commands")"

# ---- pages

# Prints options and argument words of --help that the manual page lacks.
missing() { # words of a command
    # shellcheck disable=SC2068
    "$lift" $@ --help | grep -oE '^ +(-[a-zA-Z], )? *--[a-z0-9-]+(=[^ ]+)?' |
        sed 's/^ *//; s/-[a-zA-Z],  *//' | sort -u >"$work/helped"
    # shellcheck disable=SC2068
    "$lift" manual $@ | sed 's/\\f[BIR]//g; s/\\-/-/g' | grep -oE '(^|, )--[a-z0-9-]+(=.*)?$' |
        sed 's/^, //' | sort -u >"$work/paged"
    comm -23 "$work/helped" "$work/paged"
    [ -s "$work/helped" ] || echo "no options in the help"
}
while read -r command; do
    case $command in db) continue ;; esac
    # shellcheck disable=SC2086
    verdict "'lift $command' has all its options on its page" "$(missing $command)"
done <"$work/commands"
"$lift" manual | sed 's/\\f[BIR]//g; s/\\-/-/g' >"$work/overview"
verdict "the help of each command lines up" "$(while read -r command; do
    # shellcheck disable=SC2086
    "$lift" $command --help | grep -nE '^( {6}|  -[a-zA-Z],) {20,}--|^[a-z].* {30}' | sed "s/^/$command: /"
done <"$work/commands")"
verdict "the page of lift names each command" "$(listed | while read -r command; do
    grep -q "^lift-$command(1)" "$work/overview" || echo "$command"
done)"
verdict "the page of lift db names each part" "$(listed db | while read -r part; do
    "$lift" manual db | sed 's/\\f[BIR]//g; s/\\-/-/g' | grep -q "^lift-db-$part(1)" || echo "$part"
done)"
if command -v groff >/dev/null 2>&1; then
    verdict "groff has no complaints" "$({
        "$lift" manual | groff -man -ww -Tascii -z
        while read -r command; do
            # shellcheck disable=SC2086
            "$lift" manual $command | groff -man -ww -Tascii -z
        done <"$work/commands"
    } 2>&1)"
else
    skip "groff has no complaints" "groff is not installed"
fi
rejected "an unknown command has no page" 2 "'derive'? 'derve'" "$lift" manual derve
rejected "a command without parts has none" 2 "'fmt'" "$lift" manual fmt x

# ---- bash

"$lift" completion bash >"$work/lift.bash"
# words of a command line, the last of which is completed: the proposals, one a line
complete_bash() {
    bash -c '. "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=(); _lift
        printf "%s\n" "${COMPREPLY[@]}"' bash "$work/lift.bash" "$@"
}
proposes() { # what, proposals in one line, words of a command line
    what=$1
    wanted=$2
    shift 2
    got=$(complete_bash "$@" 2>&1 | tr '\n' ' ' | sed 's/ $//')
    verdict "$what" "$([ "$got" = "$wanted" ] || echo "'$got' instead of '$wanted'")"
}
if command -v bash >/dev/null 2>&1; then
    expect "bash registers the completion of lift" 0 "complete -o filenames -F _lift lift" \
        bash -c '. "$1" && complete -p lift lift-explore' bash "$work/lift.bash"
    cd "$work" || exit 99
    mkdir empty && cd empty || exit 99
    : >heat.lift
    proposes "commands" "devices derive" lift de
    proposes "commands behind help" "report" lift help rep
    proposes "parts of a command" "merge" lift db m
    proposes "actions of a command" "list" lift rules li
    proposes "options" "--family" lift derive --fami
    proposes "options of a part" "--view" lift db export --vi
    proposes "options of lift-explore" "--hours" lift-explore --ho
    proposes "values from a list of words" "single" lift best --precision si
    proposes "the same behind =" "double" lift best --precision = d
    proposes "files" "heat.lift" lift fmt he
    proposes "files as values" "heat.lift" lift best --db he
    proposes "nothing for unknown values" "" lift explore --seed he
    proposes "nothing for unknown commands" "" lift nothing --he
    while read -r command; do
        case $command in db) continue ;; esac
        # shellcheck disable=SC2086
        "$lift" $command --help | grep -oE '^ +(-[a-zA-Z], )? *--[a-z0-9-]+' | grep -oE -- '--[a-z0-9-]+' |
            sort -u >"$work/helped"
        # shellcheck disable=SC2086
        complete_bash lift $command -- | sort -u >"$work/proposed"
        verdict "bash completes the options of 'lift $command'" \
            "$(comm -23 "$work/helped" "$work/proposed")"
    done <"$work/commands"
else
    skip "completion for bash" "bash is not installed"
fi

# ---- zsh

"$lift" completion zsh >"$work/_lift"
expect "the file begins with zsh's completion tag" 0 "#compdef lift lift-explore" \
    head -n 1 "$work/_lift"
if command -v zsh >/dev/null 2>&1; then
    expect "zsh parses the file" 0 "" zsh -n "$work/_lift"
    expect "zsh loads the file" 0 "_lift _lift" zsh -fc 'autoload -Uz compinit && compinit -D &&
        . "$1" && echo $_comps[lift] $_comps[lift-explore]' zsh "$work/_lift"
    while read -r command; do
        # shellcheck disable=SC2086
        expect "zsh has a function for 'lift $command'" 0 "" zsh -fc '. "$1" 2>/dev/null
            (( $+functions[$2] ))' zsh "$work/_lift" "_lift_$(echo $command | tr ' ' _)"
    done <"$work/commands"
else
    skip "zsh parses it" "zsh is not installed"
fi
rejected "another shell has none" 2 "'fish'" "$lift" completion fish
finish
