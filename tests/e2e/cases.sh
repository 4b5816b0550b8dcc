#!/bin/sh
# The cases of examples/cases, as far as they need no downloads: the faults occur, and the fix of the Lisp case works.
. "${srcdir:-.}/tests/e2e/lib.sh"

# ----------------------------------------------------------- mawk
# kept RECORDS: prints the bytes that mawk keeps.
kept()
{
    seq "$1" | sed 's/$/ alpha beta/' >text
    "$mprof" run -q -o mawk.data mawk '{ $4 = $1 "-" $2; print }' text >out 2>err || echo failed
    total kept mawk.data
}
version=$(mawk -W version 2>&1 | sed -n '1s/^mawk \([0-9.]* [0-9]*\).*/\1/p')
case $version in
'1.3.4 20200120' | '1.3.4 20250131')
    few=$(kept 1000)
    many=$(kept 21000)
    within "mawk $version keeps 30 bytes of each record" $((many - few)) 600000 700000
    ;;
*)
    skip "mawk" "its version is '$version'"
    ;;
esac
for name in pool fix; do
    has "the patch '$name' of mawk adds lines" "$src/examples/cases/mawk/$name.patch" '^\+[^+]'
    hasnt "... and takes none away" "$src/examples/cases/mawk/$name.patch" '^-[^-]'
done

# ----------------------------------------------------------- yason
if [ -f /usr/share/common-lisp/source/yason/parse.lisp ] && command -v patch >/dev/null; then
    cp -r /usr/share/common-lisp/source/yason .
    ok "the patch of yason fits Debian's source" patch -s -p1 -d yason -i "$src/examples/cases/yason/fix.patch"
else
    skip "yason" "cl-yason or patch is not installed"
fi
for name in gawk/append gawk/empty redis/objects tidy/texts; do
    has "the patch $name adds lines" "$src/examples/cases/$name.patch" '^\+[^+]'
done

# ----------------------------------------------------------- xmls
ecl=$(sed -n 's/^ECL = //p' "$top/Makefile")
if ! grep -q '^#define MP_HAVE_ECL 1' "$top/config.h"; then
    skip "xmls" "configured --without-ecl"
elif [ ! -f /usr/share/common-lisp/source/xmls/xmls.lisp ]; then
    skip "xmls" "cl-xmls is not installed"
elif ! command -v patch >/dev/null; then
    skip "xmls" "patch is not installed"
else
    MPROF=$mprof ECL=$ecl "$src/examples/cases/xmls/run.sh" >story 2>err
    is "xmls: the story is told, and the fix parses the same" "$?" 0
    sed '/^# after/,$d' story >before
    sed '1,/^# after/d' story >after
    # objects FILE: prints the number of objects that were made while the document was parsed.
    objects()
    {
        awk '$NF == "<TOTAL>" && !n++ { print $3 } END { if (!n) print 0 }' "$1"
    }
    at_least "xmls: READ-CHAR makes most of it" "$(awk '$NF == "XMLS::READ-CHAR" && !n++ { print $3 }' before)" \
        $(($(objects before) / 2))
    hasnt "... and nothing of note after the fix" after 'XMLS::READ-CHAR'
    at_most "... which leaves a fifth of the objects at most" $((5 * $(objects after))) "$(objects before)"
fi
plan
# SPDX-License-Identifier: MIT
