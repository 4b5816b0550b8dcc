#!/bin/sh
# SPDX-License-Identifier: MIT
# pack.sh OUT PAGE.HTML EARLY.JS FILE... -- writes the parts of the page as C arrays to OUT (see page.h). These are
# PAGE.HTML, the script EARLY.JS, which runs before anything is shown, and the style sheets and the other scripts among
# the FILEs, joined in the given order, without indentation and comments at the start of a line, which are a quarter of
# their size. Also writes the hashes by which the page's policy allows styles and scripts.
set -e
LC_ALL=C
export LC_ALL

out=$1
page=$2
early=$3
shift 3
work=$out.tmp
trap 'rm -f "$work" "$work.js" "$work.css"' EXIT

# bytes NAME FILE: writes the bytes of FILE as an array, and its size.
bytes()
{
    printf '\nconst unsigned char mp_page_%s[] = {\n' "$1"
    od -An -v -tu1 "$2" | sed 's/\([0-9]\{1,\}\)/\1,/g'
    printf '};\nconst size_t mp_page_%s_size = sizeof mp_page_%s;\n' "$1" "$1"
}

# hash NAME FILE: writes the hash of FILE in the form of a policy, sha256-BASE64.
hash()
{
    octal=$(sha256sum <"$2" | awk '
        function digit(i) { return index("0123456789abcdef", substr($1, i, 1)) - 1 }
        { for (i = 1; i <= 64; i += 2) printf "\\%03o", 16 * digit(i) + digit(i + 1) }')
    # shellcheck disable=SC2059
    printf '\nconst char mp_page_%s_hash[] = "sha256-%s";\n' "$1" "$(printf "$octal" | base64)"
}

: >"$work.js"
: >"$work.css"
for file; do
    sed -e 's/^ *//' -e '/^$/d' -e '/^\/\*.*\*\/$/d' -e '/^\/\*/,/\*\/$/d' "$file" >>"$work.${file##*.}"
done
{
    printf '/* Made by reporter/html/pack.sh. */\n#include "reporter/html/page.h"\n'
    bytes html "$page"
    bytes style "$work.css"
    bytes early "$early"
    bytes script "$work.js"
    hash style "$work.css"
    hash early "$early"
    hash script "$work.js"
} >"$work"
mv "$work" "$out"
