#!/bin/sh
# Holds the order of the layers: who may include whom.
. "$(dirname "$0")/tap.sh"

# Lines 'file:line:include' of every quoted or lift/ include.
includes=$(grep -nE '^[[:space:]]*#[[:space:]]*include[[:space:]]*("|<lift/)' \
    $(find src include/lift -name '*.[ch]' -o -name '*.def' | sort) /dev/null)

# Reads the table and the includes; prints the complaints.
complaints=$(printf '%s\n' "$includes" | awk -v table="$here/layers.txt" '
function glob(p) { gsub(/\*/, ".*", p); return "^" p "$" }
BEGIN {
    while ((getline line < table) > 0) {
        n = split(line, w, " ")
        if (n == 0 || w[1] ~ /^#/)
            continue
        rank[w[1]] = ++layers
        for (i = 2; i <= n; i++) {
            pattern[++patterns] = glob(w[i])
            owner[patterns] = w[1]
        }
    }
}
function public_layer(name,   i) {
    for (i = 1; i <= patterns; i++)
        if (name ~ pattern[i])
            return owner[i]
    return ""
}
# The layer of a path as it stands in the tree or in an include; "" if there is none.
function layer_of(path,   p) {
    sub(/^\.\.\//, "", path)
    sub(/^include\//, "", path)
    sub(/^src\//, "", path)
    split(path, p, "/")
    if (p[1] == "lift") {
        sub(/\.(h|def)$/, "", p[2])
        return public_layer(p[2])
    }
    return p[1] in rank ? p[1] : ""
}
NF {
    split($0, part, ":")
    file = part[1]
    target = $0
    sub(/^[^"<]*["<]/, "", target)
    sub(/[">].*$/, "", target)
    from = layer_of(file)
    to = target ~ /\// ? layer_of(target) : from
    if (from == "")
        print file ": belongs to no layer: add it to tests/house/layers.txt"
    else if (to == "")
        print file ":" part[2] ": \"" target "\" belongs to no layer: add it to tests/house/layers.txt"
    else if (rank[to] > rank[from])
        print file ":" part[2] ": " from " includes \"" target "\" of the higher layer " to
}')
verdict "each layer includes only lower layers" "$complaints"

complaints=$(for path in include/lift/*; do
    name=$(basename "$path")
    name=${name%.*}
    known=
    for pattern in $(sed '/^#/d; s/^[a-z]*//' "$here/layers.txt" | tr '*' '?'); do
        pattern=$(printf '%s' "$pattern" | tr '?' '*')
        # shellcheck disable=SC2254
        case $name in $pattern) known=yes ;; esac
    done
    [ -n "$known" ] || echo "$path: belongs to no layer: add it to tests/house/layers.txt"
done)
verdict "each public header belongs to a layer" "$complaints"

complaints=$(for path in src/*; do
    [ -d "$path" ] || continue
    grep -q "^$(basename "$path") " "$here/layers.txt" || echo "$path: no such layer"
done)
verdict "each folder of src is a layer" "$complaints"

most=40
complaints=$(find src -type d | while read -r path; do
    count=$(find "$path" -maxdepth 1 -type f | wc -l)
    [ "$count" -le "$most" ] || echo "$path: $count files, at most $most: make folders of it"
done)
verdict "a folder has at most $most files" "$complaints"
finish
