#!/bin/sh
# How much reading a character allocates in xmls, an XML parser in Common Lisp (Debian's cl-xmls), before and after
# one function is changed. ../README.md tells the story.
#
#     examples/cases/xmls/run.sh
#
# MPROF is the command (default: ./mprof or the installed one), ECL the Lisp (default: ecl), XMLS_SOURCE the source of
# xmls (default: Debian's).
set -eu
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=examples/cases/lib.sh
. "$here/../lib.sh"
ecl=${ECL:-ecl}
source=${XMLS_SOURCE:-/usr/share/common-lisp/source/xmls}
[ -f "$source/xmls.lisp" ] || refuse "there is no $source/xmls.lisp: apt-get install cl-xmls"
command -v "$ecl" >/dev/null || refuse "there is no $ecl: apt-get install ecl"
command -v patch >/dev/null || refuse "there is no patch: apt-get install patch"

for version in before after; do
    cp -r "$source" "$work/$version"
    [ $version = before ] || (cd "$work/$version" && patch -s -p1 <"$here/fix.patch")
    XMLS=$work/$version/ "$ecl" --norc --shell "$here/parse.lisp" >"$work/$version.compiled" 2>&1
    say "$version: what was parsed, as a number:"
    XMLS=$work/$version/ "$mprof" run -q -o "$work/$version.data" -- "$ecl" --norc --shell "$here/parse.lisp" |
        tee "$work/$version.out" | tail -n 1
    say "$version: who allocates while the document is parsed:"
    "$mprof" --lisp report --no-pager --focus=PARSE-DOCUMENT --max=4 --table=flat,function-types \
        "$work/$version.data" | sed '1,/^Only/d'
done
[ "$(tail -n 1 "$work/before.out")" = "$(tail -n 1 "$work/after.out")" ] || refuse "another result was parsed"
