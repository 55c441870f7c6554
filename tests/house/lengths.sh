#!/bin/sh
# Lengths of functions and files, small functions that are called once, numbers of parameters, and
# no #if inside a function.
. "$(dirname "$0")/tap.sh"

tab=$(printf '\t')
sources=$(find src include -name '*.[ch]' | sort)
if ! command -v ctags >/dev/null 2>&1 || ! ctags --version | grep -q Universal; then
    skip "function lengths" "universal-ctags is not installed"
else
    # Lines 'length file line end name signature', the longest first.
    functions=$(printf '%s\n' "$sources" |
        ctags --languages=C --langmap=C:+.h --kinds-C=f --fields=neS -o - -L - 2>/dev/null |
        awk -F'\t' '{
            line = end = 0
            signature = ""
            for (i = 4; i <= NF; i++) {
                if ($i ~ /^line:/) line = substr($i, 6)
                if ($i ~ /^end:/) end = substr($i, 5)
                if ($i ~ /^signature:/) signature = substr($i, 11)
            }
            if (end)
                print end - line + 1 "\t" $2 "\t" line "\t" end "\t" $1 "\t" signature
        }' | sort -rn)
    total=$(printf '%s\n' "$functions" | grep -c .)
    median=$(printf '%s\n' "$functions" | sed -n "$((total / 2 + 1))p" | cut -f1)
    p90=$(printf '%s\n' "$functions" | sed -n "$((total / 10 + 1))p" | cut -f1)
    longest=$(printf '%s\n' "$functions" | head -n 1 | cut -f1)
    note "$total functions: median ${median:-0}, p90 ${p90:-0}, longest ${longest:-0} lines"
    [ "${median:-0}" -le 15 ] && ok "median length at most 15" ||
        not_ok "median length at most 15" "it is $median"
    [ "${p90:-0}" -le 40 ] && ok "p90 of lengths at most 40" ||
        not_ok "p90 of lengths at most 40" "it is $p90"
    verdict "no function over 80 lines" "$(printf '%s\n' "$functions" |
        awk -F'\t' '$1 > 80 { print $2 ":" $3 ": \047" $5 "\047 has " $1 " lines" }')"
    # Commas at the outermost level of the parameter list.
    verdict "no function over 6 parameters" "$(printf '%s\n' "$functions" |
        awk -F'\t' '{
            depth = 0
            count = 1
            for (i = 1; i <= length($6); i++) {
                c = substr($6, i, 1)
                depth += (c == "(") - (c == ")")
                count += c == "," && depth == 1
            }
            if (count > 6)
                print $2 ":" $3 ": \047" $5 "\047 has " count " parameters"
        }')"
    verdict "no #if inside a function" "$(printf '%s\n' "$functions" | sort -t "$tab" -k2,2 -k3,3n |
        awk -F'\t' '{
            if ($2 != file) {
                close(file)
                file = $2
                n = 0
                while ((getline text < file) > 0)
                    body[++n] = text
            }
            for (i = $3; i <= $4; i++)
                if (body[i] ~ /^[ \t]*#[ \t]*if/)
                    print file ":" i ": #if inside \047" $5 "\047"
        }')"
    # Functions of at most five lines that are called once: such a helper hides its caller's work,
    # unless its name says more than the body.
    share=$(printf '%s\n' "$functions" | awk -F'\t' '
        function calls(text, name, n, at) { # 0: its address is taken
            while (at = index(text, name)) {
                behind = substr(text, at + length(name), 1)
                if (substr(text, at - 1, 1) !~ /[A-Za-z0-9_]/ && behind !~ /[A-Za-z0-9_]/) {
                    if (behind != "(")
                        return 0
                    n++
                }
                text = substr(text, at + length(name))
            }
            return n - 1
        }
        {
            if (!($2 in all)) {
                all[$2] = "\n"
                while ((getline line < $2) > 0)
                    all[$2] = all[$2] line "\n"
                close($2)
            }
            if (!match(all[$2], "\nstatic [^;{}()]*[ *]" $5 "\\("))
                next
            total++
            small += $1 <= 8 && calls(all[$2], $5) == 1
        }
        END { printf "%d", total ? 1000 * small / total : 0 }')
    note "functions of at most five lines that are called once: $share of 1000"
    [ "${share:-1000}" -le 100 ] && ok "at most a tenth of functions are small and called once" ||
        not_ok "at most a tenth of functions are small and called once" "$share of 1000"
fi

over() { # limit, files
    limit=$1
    shift
    [ $# -eq 0 ] || wc -l "$@" |
        awk -v limit="$limit" '$2 != "total" && $1 > limit { print $2 ": " $1 " lines" }'
}

# shellcheck disable=SC2086
verdict "no file over 800 lines" "$(over 800 $sources $(find tests -name '*.[ch]'))"
# shellcheck disable=SC2046
verdict "no .c file in src/ over 500 lines" "$(over 500 $(find src -name '*.c'))"
# shellcheck disable=SC2046
verdict "no command, search technique or rule file over 300 lines" \
    "$(over 300 $(find src -name 'cmd_*.c' -o -name 'search_*.c' -o -name '*.rules'))"
# shellcheck disable=SC2046
wide=$(over 150 $(find include -name '*.h') | tr '\n' ';')
[ -z "$wide" ] || note "headers over 150 lines: $wide"
finish
