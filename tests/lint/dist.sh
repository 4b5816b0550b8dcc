#!/bin/sh
# make dist packs every file that git tracks, and no others.
. "${srcdir:-.}/tests/e2e/tap.sh"

# Files that only a clone needs are not in a tarball.
CLONE='\.ci/run|\.clang-format|\.gitignore'
# Files that autoreconf and doc/columns.sh make are not in git.
MADE='Makefile\.in|aclocal\.m4|build-aux/.*|config\.h\.in|configure|m4/.*\.m4|doc/mprof-report\.schema\.json|man/mprof-json\.5'

if ! git -C "$src" ls-files --error-unmatch configure.ac >/dev/null 2>&1; then
    skip "make dist packs what git knows" "git does not know these files"
    plan
    exit
fi
git -C "$src" ls-files | grep -vxE "$CLONE" | LC_ALL=C sort >"$tmp/known"
env -u MAKEFLAGS -u MAKELEVEL make -s -C "$top" dist-files LIST="$tmp/files" >"$tmp/err" 2>&1
sed "s|^$src/||; s|^\./||" "$tmp/files" | while read -r name; do
    # A directory is packed as a whole.
    if [ -d "$src/$name" ]; then (cd "$src" && find "$name" -type f); else echo "$name"; fi
done | LC_ALL=C sort -u >"$tmp/packed"

# none FILE: returns whether FILE is empty, and prints it.
none()
{
    cat "$1"
    [ ! -s "$1" ]
}

LC_ALL=C comm -23 "$tmp/known" "$tmp/packed" >"$tmp/omitted"
LC_ALL=C comm -13 "$tmp/known" "$tmp/packed" | grep -vxE "$MADE" >"$tmp/strange"
ok "git lists what it knows" grep -qx configure.ac "$tmp/known"
ok "make lists what it would pack" grep -qx configure.ac "$tmp/packed"
ok "make dist packs what git knows" none "$tmp/omitted"
ok "and nothing else" none "$tmp/strange"
plan
# SPDX-License-Identifier: MIT
