#!/bin/sh
# The layers of rooms.txt: includes and references to symbols go in one direction, and there is no cycle between
# source files. "rooms.sh picture" prints the layers with their files, each file after those that it uses.
. "${srcdir:-.}/tests/e2e/tap.sh"

grep -v '^#' "$src/tests/lint/rooms.txt" >"$tmp/rooms"

# references: prints "USER USED SYMBOL" for each reference from one source file to another (runtime/store/claim.c),
# except those of the file that only keeps the members of libmprof.a together.
references()
{
    find "$1" -name '*.o' -path '*/.libs/*' ! -name '*faults*' | LC_ALL=C sort | while read -r object; do
        file=${object%/.libs/*}/${object##*_la-}
        [ ! -f "$src/${file%.o}.c" ] || echo "$object"
    done | xargs nm -P -A | sed 's|/\.libs/[^/]*_la-\([^:]*\)\.o: |/\1.c |' | awk '
        $3 ~ /^[A-TV-Z]$/ { owner[$2] = $1 }
        $3 == "U" && $2 != "mp_process_start" { user[++n] = $1; wanted[n] = $2 }
        END {
            for (i = 1; i <= n; i++)
                if (wanted[i] in owner && owner[wanted[i]] != user[i])
                    print user[i], owner[wanted[i]], wanted[i]
        }'
}

# includes: prints "USER USED include" for each include of a header in the same directory.
includes()
{
    (cd "$src" && grep -rE --include='*.[ch]' '^[[:space:]]*#[[:space:]]*include[[:space:]]*"' "$1") | LC_ALL=C sort |
        sed 's/:[^"]*"\([^"]*\)".*/ \1 include/; s|^\(.*/\)\([^ /]*\) \([^ /]*\) |\1\2 \1\3 |' | grep " $1/" | grep -v '/config\.h '
}

# upwards FOLDER: prints the lines "USER USED WHAT" that violate the order of the layers of FOLDER.
upwards()
{
    awk -v folder="$1" '
        function room(file, parts, n) {
            n = split(substr(file, length(folder) + 2), parts, "/")
            if (n > 1)
                return parts[1]
            if (parts[1] ~ /^api/ && "api" in place)
                return "api"
            return parts[1] ~ /\.h$/ && !(folder "/" substr(parts[1], 1, length(parts[1]) - 2) ".c" in source) ? "leaf" : "top"
        }
        FILENAME == ARGV[1] { source[$1]; next }
        FILENAME == ARGV[2] {
            for (i = 2; $1 == folder && i <= NF; i++) {
                n = split($i, beside, "|")
                for (j = 1; j <= n; j++)
                    place[beside[j]] = i
            }
            next
        }
        {
            from = room($1)
            to = room($2)
            if (!(from in place) || !(to in place))
                print $0 ": no room of that name in rooms.txt"
            else if (place[to] > place[from] || (place[to] == place[from] && to != from))
                print $1 " uses " $2 " (" $3 ")"
        }' "$tmp/sources" "$tmp/rooms" "$2"
}

# pairs FOLDER: prints the references as the input of tsort. circles FOLDER: prints what tsort says of cycles in them.
pairs()
{
    awk '{ print $2, $1 }' "$tmp/$1.references" | LC_ALL=C sort -u
}
circles()
{
    pairs "$1" | { tsort >"$tmp/order"; } 2>&1
}

# order FOLDER: prints its files, each after those that it uses.
order()
{
    {
        pairs "$1"
        grep "^$1/" "$tmp/sources" | awk '{ print $1, $1 }'
    } | tsort 2>/dev/null
}

# picture FOLDER: prints its layers with their files, the lowest first.
picture()
{
    order "$1" | sed "s|^$1/||; s|\.c\$||" >"$tmp/order"
    echo "$1"
    for room in $(awk -v folder="$1" '$1 == folder { $1 = $2 = ""; gsub(/[|]/, " "); print }' "$tmp/rooms"); do
        case $room in
        api) grep '^api' "$tmp/order" ;;
        top) grep -v -e / -e '^api_' "$tmp/order" ;;
        *) sed -n "s|^$room/||p" "$tmp/order" ;;
        esac | tr '\n' ' ' | fold -s -w 82 | sed "1s/^/$(printf '%-11s' "$room") /; 1!s/^/            /; s/^/  /; s/ *\$//"
        echo
    done
}

nothing_in()
{
    cat "$1"
    [ ! -s "$1" ]
}

(cd "$src" && find runtime reporter lisp-bridge c-bridge -name '*.c' | LC_ALL=C sort) >"$tmp/sources"
for folder in $(awk '{ print $1 }' "$tmp/rooms"); do
    references "$folder" >"$tmp/$folder.references"
    if [ "$folder" = lisp-bridge ] && ! grep -q '^#define MP_HAVE_ECL 1' "$top/config.h"; then
        skip "$folder: objects were read" "configured --without-ecl"
        continue
    fi
    if [ "${1-}" = picture ]; then
        picture "$folder"
        continue
    fi
    includes "$folder" >"$tmp/$folder.includes"
    has "$folder: objects were read" "$tmp/$folder.references" .
    has "$folder: includes were read" "$tmp/$folder.includes" .
    upwards "$folder" "$tmp/$folder.references" >"$tmp/wrong"
    ok "$folder: symbols go down" nothing_in "$tmp/wrong"
    upwards "$folder" "$tmp/$folder.includes" >"$tmp/wrong"
    ok "$folder: includes go down" nothing_in "$tmp/wrong"
    circles "$folder" >"$tmp/wrong"
    ok "$folder: no circle" nothing_in "$tmp/wrong"
done
[ "${1-}" = picture ] || plan
# SPDX-License-Identifier: MIT
