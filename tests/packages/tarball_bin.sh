# tarball_bin.sh -- unpacks the tarball FOLDER/mprof-*-linux-*.tar.gz of make tarball-bin and tries what it has. Needs a
# system with glibc, coreutils, tar and gzip only. Prints "ok ..." or "not ok ..." for each check.
#
#     sh tarball_bin.sh FOLDER
set -u
tarball=$(echo "$1"/mprof-*-linux-*.tar.gz)

ok()
{
    name=$1
    shift
    if "$@"; then echo "ok $name"; else echo "not ok $name"; fi
}

has() { ok "$1" grep -qE "$3" "$2"; }

work=$(mktemp -d) && mkdir "$work/another-place" && cd "$work/another-place" || exit 1
trap 'rm -rf "$work"' EXIT
ok "it is unpacked" tar -xf "$tarball"
HOME=$work MPROF_CACHE=off
export HOME MPROF_CACHE
PATH=$(echo "$PWD"/mprof-*/bin):$PATH
export PATH

ldd mprof-*/bin/mprof >libraries
has "its libraries are its own" libraries 'libdw\.so\.1 => .*/another-place/mprof-.*/libdw\.so\.1'
ok "... all but those of glibc" sh -c '! grep " => " libraries | grep -v "/another-place/" |
    grep -vE "/(libc|libm|ld-linux[^ ]*|linux-vdso)\.so"'
seq 1000 >numbers
mprof run -o sort.data sort -rn numbers >sorted 2>run.log
has "mprof run" run.log '^mprof: sort: exit status 0'
ok "... the program does what it does" test "$(head -n 1 sorted)" = 1000
mprof report --no-pager sort.data >report.txt
has "mprof report" report.txt '^Program .*/sort'
has "... with the tables" report.txt '^TABLE 2'
ok "mprof html" mprof html -o page.html sort.data
has "... writes a page" page.html '^<!(DOCTYPE|doctype) html>'
ok "mprof export -F sqlite, whose library is loaded" mprof export -F sqlite -o sort.db sort.data
has "... writes a database" sort.db '^SQLite format 3'
mprof help tour >tour.txt
has "mprof help TOPIC" tour.txt mprof
has "INSTALL.txt names the sources of the libraries" mprof-*/INSTALL.txt '^    elfutils [0-9]'
for library in mprof-*/lib/mprof/bundled/*; do echo "$library"; done | wc -l >count
ok "... and all licenses are there" test "$(find mprof-*/share/doc/mprof/licenses -type f -size +0 | wc -l)" -ge "$(($(cat count) - 1))"
mv mprof-* "$work/moved"
ok "it can be moved" sh -c "$work/moved/bin/mprof totals sort.data >totals && [ -s totals ]"
# SPDX-License-Identifier: MIT
