#!/bin/sh
# manual.sh -- makes one HTML manual, with search, of README.md, the pages in doc/ and the manual pages, by MkDocs.
#
#     doc/manual.sh SOURCE TO PAGE...      the pages are relative to SOURCE; other files are copied for the links to them
#
# Needs mkdocs and mandoc. Fails if a page links to a file or a page that is not in the manual.
set -eu
src=$1
to=$2
shift 2
for command in mkdocs mandoc; do
    command -v $command >/dev/null 2>&1 || { echo "mprof: no manual: $command is not installed" >&2; exit 1; }
done
[ ! -e "$to" ] || [ -e "$to/search/search_index.json" ] || { echo "mprof: no manual: $to is something else" >&2; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/docs/man"
for page; do
    mkdir -p "$work/docs/$(dirname "$page")"
    cp "$src/$page" "$work/docs/$page"
done
# No page needs anything of another machine.
cat >"$work/mkdocs.yml" <<END
site_name: mprof
theme:
  name: mkdocs
  highlightjs: false
  nav_style: dark
use_directory_urls: false
plugins: [search]
nav:
  - README.md
  - The manual:
$(printf '%s\n' "$@" | sed -n 's/^doc\/.*\.md$/      - &/p')
  - More:
$(printf '%s\n' "$@" | grep '\.md$' | grep -vE '^(README\.md$|doc/)' | sed 's/^/      - /')
  - Manual pages:
END
for page in "$src"/man/*.[1-9]; do
    name=${page##*/}
    mandoc -T markdown "$page" >"$work/docs/man/$name.md"
    echo "      - ${name%.*}(${name##*.}): man/$name.md" >>"$work/mkdocs.yml"
done
mkdocs build --quiet --strict --config-file "$work/mkdocs.yml" --site-dir "$work/site"
rm -rf "$to"
mkdir -p "$(dirname "$to")"
cp -r "$work/site" "$to"
echo "$to/index.html; its search needs a web server, such as: python3 -m http.server -d $to"
# SPDX-License-Identifier: MIT
