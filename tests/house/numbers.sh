#!/bin/sh
# The library depends on no locale: only src/base/locale.c reads and prints floating-point numbers
# by functions of C. The command never leaves the locale "C", so that it may print by them.
. "$(dirname "$0")/tap.sh"

files=$(find src include -name '*.[ch]' ! -path src/base/locale.c | sort)
# The command, a program of the build, and calls that end the process.
library=$(printf '%s\n' $files | grep -vE '^src/(cli/|base/embed\.c|base/bug\.c)')

# Matches of a pattern in these files: of a call, the text before the next semicolon.
calls() { # message, pattern of the function, pattern of what follows, files
    message=$1 function=$2 rest=$3
    shift 3
    [ $# -eq 0 ] || awk -v message="$message" -v function_="$function" -v rest="$rest" '
        FNR == 1 { text = "" }
        {
            line = $0
            sub(/^[ \t]*(\/\*|\* ).*/, "", line)
            if (text == "" && match(line, "(^|[^A-Za-z0-9_])" function_ "\\(")) {
                at = FNR
                line = substr(line, RSTART)
                text = " "
            }
            if (text != "") {
                text = text line
                if (line ~ /;/ || line ~ /^}/) {
                    if (text ~ rest)
                        print FILENAME ":" at ": " message
                    text = ""
                }
            }
        }' "$@"
}

# words
# shellcheck disable=SC2086
verdict "floating-point numbers are read by lift_strtod" "$(
    calls "use lift_strtod or lift_strtof" '(strto(d|f|ld)|atof)' '' $files
    calls "use lift_sscanf" '[fs]?scanf' '%[*]?[0-9]*l?[aefgAEFG]' $files)"
# shellcheck disable=SC2086
verdict "floating-point numbers are printed by lift_str_addf or lift_snprintf" "$(
    calls "use lift_snprintf or lift_fprintf" '(as|d|f|s|sn)?printf' \
        '%[-+ #0]*([0-9]+|[*])?([.]([0-9]+|[*]))?[lL]?[aefgAEFG]' $library
    calls "use lift_vsnprintf" 'v(as|d|f|s|sn)?printf' '' $library)"
# shellcheck disable=SC2086
verdict "JSON is read and printed by base/json.h" "$(
    calls "use base/json.h" 'json_(load|dump)[a-z]*' '' \
        $(printf '%s\n' $library | grep -v '^src/base/json.h'))"
# shellcheck disable=SC2086
verdict "characters are those of ASCII" "$([ -z "$library" ] ||
    grep -n '#include <ctype.h>' $library /dev/null | sed 's/:#.*/: use lift_is_alpha and its like/'
    calls "sorts as the locale wants" '(strcoll|strxfrm|alphasort|glob)' '' $library)"
# shellcheck disable=SC2086
verdict "nothing changes the locale of the process" "$(
    calls "belongs to the program around the library" 'setlocale' '' $files)"
finish
