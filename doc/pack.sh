#!/bin/sh
# SPDX-License-Identifier: MIT
# pack.sh OUT TOPIC.md... -- writes the manual's pages as text to OUT, the C file of mprof help TOPIC.  The order of the
# files is that of the list of topics.  Pictures are left out, and of a link its text remains.
set -e
LC_ALL=C
export LC_ALL

out=$1
shift
trap 'rm -f "$out.tmp"' EXIT
{
    printf '/* Made by doc/pack.sh. */\n#include "reporter/command/topics.h"\n\n#include <stddef.h>\n'
    for page; do
        name=$(basename "$page" .md)
        printf '\nstatic const char *const %s[] = {\n' "$name"
        sed -e '/^!\[/d' -e 's/\[\([^]]*\)\]([^)]*)/\1/g' "$page" | cat -s |
            sed -e 's/\\/\\\\/g' -e 's/"/\\"/g' -e 's/?/\\?/g' -e 's/.*/    "&",/'
        printf '    NULL,\n};\n'
    done
    printf '\nconst struct mp_topic mp_topics[] = {\n'
    for page; do
        name=$(basename "$page" .md)
        printf '    {"%s", "%s", %s},\n' "$name" "$(sed -n '1s/^# //p' "$page" | sed 's/"/\\"/g')" "$name"
    done
    printf '    {NULL, NULL, NULL},\n};\n'
} >"$out.tmp"
mv "$out.tmp" "$out"
