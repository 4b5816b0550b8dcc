#!/bin/sh
# make manual: README.md, doc/ and the manual pages as HTML with search. All links lead somewhere, and nothing comes from
# another machine.
. "${srcdir:-.}/tests/e2e/tap.sh"

python=${PYTHON:-python3}
for command in mkdocs mandoc "$python"; do
    command -v "$command" >/dev/null 2>&1 || skip_all "the manual as HTML" "$command is not installed"
done
returns "make manual" 0 make -s -C "$top" manual MANUAL="$tmp/manual"
cd "$tmp" || exit 99
returns "the links can be checked" 0 "$python" "$src/tests/e2e/manual_links.py" manual
sed 1d out >wrong
empty "... and all lead somewhere, on this machine" wrong
is "there are all pages" "$(sed -n '1s/ pages//p' out)" \
    "$(($(find manual -name '*.html' ! -name 404.html | wc -l)))"
for page in index doc/tour doc/containers ARCHITECTURE man/mprof-check.1 man/mprof-data.5; do
    ok "$page" test -s "manual/$page.html"
done
has "the search knows the pages" manual/search/search_index.json '"location": ?"doc/tour.html'
has "... and the manual pages" manual/search/search_index.json '"location": ?"man/mprof-lisp.7.html'

mkdir broken broken/man
cp "$src/man/mprof.1" broken/man
echo '[missing](doc/missing.md)' >broken/README.md
returns "a link that leads nowhere is an error" 1 "$src/doc/manual.sh" broken broken.html README.md
ok "... and nothing is written" test ! -e broken.html
mkdir mine
touch mine/file
returns "a folder that is no manual is not replaced" 1 "$src/doc/manual.sh" "$src" mine README.md
ok "... but stays" test -e mine/file
plan
# SPDX-License-Identifier: MIT
