#!/bin/sh
# Files are opened, created, renamed and removed only where opens.txt says so.
. "${srcdir:-.}/tests/e2e/tap.sh"

# Functions of libc, libraries and the monitor that take the name of a file and change something, or open it.
functions='open(at2?)?|creat|f?re?open|fopen|tmpfile|mk[do]?s?temps?|mkostemps?|gzopen|rename(at2?)?|unlink(at)?|remove'
functions=$functions'|rmdir|mkdir(at)?|symlink(at)?|link(at)?|f?chmod(at)?|[fl]?chown(at)?|mknod(at)?|mkfifo(at)?|truncate'
functions=$functions'|dlm?open|open_by_handle_at|shm_open|dwfl_.*(find_elf|find_debuginfo|report_offline|linux_).*'
functions=$functions'|mp_sys_(open|append|unlink|symlink)'

# calls FOLDER...: prints "FILE FUNCTION" for each of these that a source file calls.
calls()
{
    (cd "$top" && find "$@" -name '*.o' -path '*/.libs/*' ! -name '*faults*' | LC_ALL=C sort | while read -r object; do
        file=${object%/.libs/*}/${object##*_la-}
        [ ! -f "$src/${file%.o}.c" ] || echo "$object"
    done | xargs nm -u -P -A) | sed -E 's#/\.libs/[^/]*_la-([^:]*)\.o: (__)?([^ @]*).*#/\1.c \3#; s/(64)?(_2)?$//' |
        grep -E " ($functions)$" | LC_ALL=C sort -u
}

grep -v '^#' "$src/tests/lint/opens.txt" | awk '{ for (i = 2; i <= NF; i++) print $1, $i }' | LC_ALL=C sort >"$tmp/listed"
calls reporter runtime c-bridge lisp-bridge lisp >"$tmp/called"
ok "calls were found" test "$(wc -l <"$tmp/called")" -gt 50
ok "files are opened, created and removed only where opens.txt says so" diff "$tmp/listed" "$tmp/called"
plan
# SPDX-License-Identifier: MIT
