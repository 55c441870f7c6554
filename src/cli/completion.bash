--@ What reads the command line, behind what each command takes.
--@CLI_BASH_READER
_lift()
{
    local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}
    local command=${COMP_WORDS[1]} at=1 options files others choices words choice

    COMPREPLY=()
    if [ "${COMP_WORDS[0]##*/}" = lift-explore ]; then
        command=explore at=0
    elif [ "$command" = help ] && [ "$COMP_CWORD" -gt 1 ]; then
        command=${COMP_WORDS[2]} at=2
    fi
    if [ "$COMP_CWORD" -eq "$at" ]; then
        COMPREPLY=($(compgen -W "$_lift_commands help --help --version" -- "$current"))
        return
    fi
    for choice in "${_lift_parts[@]}"; do
        [ "$COMP_CWORD" -le $((at + 1)) ] ||
            [ "$choice" != "$command ${COMP_WORDS[at+1]}" ] || command=$choice
    done
    _lift_command "$command" || return
    [ "$current" != = ] || current=
    [ "$before" != = ] || before=${COMP_WORDS[COMP_CWORD-2]}
    for choice in $choices; do
        if [ "${choice%%:*}" = "$before" ]; then
            choice=${choice#*:}
            COMPREPLY=($(compgen -W "${choice//|/ }" -- "$current"))
            return
        fi
    done
    case $others in
    *" $before "*) return ;;
    esac
    case $files in
    *" $before "*) words= ;;
    *) [[ $current != -* ]] || words=$options ;;
    esac
    COMPREPLY=($(compgen -W "$words" -- "$current"))
    [[ $current == -* ]] || COMPREPLY+=($(compgen -f -- "$current"))
}
complete -o filenames -F _lift lift lift-explore
