#!/bin/sh
# Checks the order of the layers: which layer may include which.
. "$(dirname "$0")/tap.sh"

# Lines 'file:line:include' of every quoted or lift/ include.
includes=$(grep -nE '^[[:space:]]*#[[:space:]]*include[[:space:]]*("|<lift/)' \
    $(find src include/lift -name '*.[ch]' -o -name '*.def' | sort) /dev/null)

# Reads the table and the includes; prints the complaints.
complaints=$(printf '%s\n' "$includes" | awk -v table="$here/layers.txt" '
BEGIN {
    while ((getline line < table) > 0) {
        n = split(line, w, " ")
        if (n == 0 || w[1] ~ /^#/)
            continue
        rank[w[1]] = ++layers
        for (i = 2; i <= n; i++)
            owner[w[i]] = w[1]
    }
}
# A path of the tree or of an include, as an include from include/ or src/.
function plain(path) {
    sub(/^\.\.\//, "", path)
    sub(/^(include|src)\//, "", path)
    return path
}
# The layer of such a path; "" without a layer.
function layer_of(path,   p) {
    split(path, p, "/")
    if (p[1] == "lift") {
        sub(/\.(h|def)$/, "", p[2])
        return owner[p[2]]
    }
    return p[1] in rank ? p[1] : ""
}
function is_private(path) {
    return path !~ /^lift\// && path ~ /\/.*\/|_t\.h$/
}
NF {
    split($0, part, ":")
    file = plain(part[1])
    target = $0
    sub(/^[^"<]*["<]/, "", target)
    sub(/[">].*$/, "", target)
    path = plain(target)
    from = layer_of(file)
    to = path ~ /\// ? layer_of(path) : from
    at = part[1] ":" part[2] ": "
    if (to == "")
        print at "\"" target "\" belongs to no layer"
    else if (rank[to] > rank[from])
        print at from " includes \"" target "\" of the higher layer " to
    else if (to != from && is_private(path))
        print at "\"" target "\" is private to " to
    else if (file ~ /\.h$/ && !is_private(file) && is_private(path))
        print at "other layers include this header: \"" target "\" is private to " to
}')
verdict "each layer includes only lower layers, and their private headers nowhere" "$complaints"

complaints=$(for path in include/lift/*; do
    name=$(basename "$path")
    grep -q "^[a-z].* ${name%.*}\( \|$\)" "$here/layers.txt" ||
        echo "$path: belongs to no layer: add it to tests/house/layers.txt"
    grep -qF "'$path'" meson.build || echo "$path: is not installed: move it next to its source"
done)
verdict "each header of include/lift belongs to a layer, and is installed" "$complaints"

complaints=$(for path in src/*; do
    [ -d "$path" ] || continue
    grep -q "^$(basename "$path")\( \|$\)" "$here/layers.txt" || echo "$path: no such layer"
done)
verdict "each folder of src is a layer" "$complaints"

most=40
complaints=$(find src -type d | while read -r path; do
    count=$(find "$path" -maxdepth 1 -name '*.c' | wc -l)
    [ "$count" -le "$most" ] || echo "$path: $count .c files, at most $most: make folders of it"
done)
verdict "a folder has at most $most .c files" "$complaints"
finish
