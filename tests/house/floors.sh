#!/bin/sh
# Holds the order of the floors: who may include whom.
. "$(dirname "$0")/tap.sh"

# Lines 'file:line:include' of every quoted or lift/ include.
includes=$(grep -nE '^[[:space:]]*#[[:space:]]*include[[:space:]]*("|<lift/)' \
    $(find src include/lift -name '*.[ch]' -o -name '*.def' | sort) /dev/null)

# Reads the table and the includes; prints the complaints.
complaints=$(printf '%s\n' "$includes" | awk -v table="$here/floors.txt" '
function glob(p) { gsub(/\*/, ".*", p); return "^" p "$" }
BEGIN {
    while ((getline line < table) > 0) {
        n = split(line, w, " ")
        if (n == 0 || w[1] ~ /^#/)
            continue
        rank[w[1]] = ++floors
        for (i = 2; i <= n; i++) {
            pattern[++patterns] = glob(w[i])
            owner[patterns] = w[1]
        }
    }
}
function public_floor(name,   i) {
    for (i = 1; i <= patterns; i++)
        if (name ~ pattern[i])
            return owner[i]
    return ""
}
# The floor of a path as it stands in the tree or in an include; "" if there is none.
function floor_of(path,   p) {
    sub(/^\.\.\//, "", path)
    sub(/^include\//, "", path)
    sub(/^src\//, "", path)
    split(path, p, "/")
    if (p[1] == "lift") {
        sub(/\.(h|def)$/, "", p[2])
        return public_floor(p[2])
    }
    return p[1] in rank ? p[1] : ""
}
NF {
    split($0, part, ":")
    file = part[1]
    target = $0
    sub(/^[^"<]*["<]/, "", target)
    sub(/[">].*$/, "", target)
    from = floor_of(file)
    to = target ~ /\// ? floor_of(target) : from
    if (from == "")
        print file ": belongs to no floor: add it to tests/house/floors.txt"
    else if (to == "")
        print file ":" part[2] ": \"" target "\" belongs to no floor: add it to tests/house/floors.txt"
    else if (rank[to] > rank[from])
        print file ":" part[2] ": " from " includes \"" target "\" of the floor " to " below it"
}')
verdict "each floor includes only floors above it" "$complaints"

complaints=$(for path in include/lift/*; do
    name=$(basename "$path")
    name=${name%.*}
    known=
    for pattern in $(sed '/^#/d; s/^[a-z]*//' "$here/floors.txt" | tr '*' '?'); do
        pattern=$(printf '%s' "$pattern" | tr '?' '*')
        # shellcheck disable=SC2254
        case $name in $pattern) known=yes ;; esac
    done
    [ -n "$known" ] || echo "$path: belongs to no floor: add it to tests/house/floors.txt"
done)
verdict "each public header belongs to a floor" "$complaints"

complaints=$(for path in src/*; do
    [ -d "$path" ] || continue
    grep -q "^$(basename "$path") " "$here/floors.txt" || echo "$path: no such floor"
done)
verdict "each folder of src is a floor" "$complaints"
finish
