#!/bin/sh
# mprof run --leaks finds the same lost blocks in Debian's programs as valgrind's memcheck. soak_leaks.sh has more
# programs.
. "${srcdir:-.}/tests/e2e/leaks_lib.sh"

needs "memcheck" valgrind
files
same sort -n lines
same tar cf /dev/null many
same grep -rc 7 many lines
same find many -name '*7'
same ls -la many
same sed -n 's/7/8/p' lines
# mawk instead of awk, which may be gawk: gawk's lost blocks depend on the number of environment variables.
same mawk '{ seen[$1 % 97] = seen[$1 % 97] $1 } END { print length(seen) }' lines
same sqlite3 :memory: 'create table t(a, b); insert into t values (1, 2); select count(*) from t'
same jq -n '[range(2000) | {a: ., b: tostring}] | group_by(.a % 7) | length'
same "$python" -c 'print(len([str(i) for i in range(20000)]))'
same lua5.4 -e 't = {} for i = 1, 20000 do t[i % 97] = i .. "" end print(#t)'
same cc -E -x c /dev/null
same dpkg-query -W make
same gnuplot -e quit
same gsettings list-schemas
same gdk-pixbuf-thumbnailer a.png small.png
same_but_possible perl -e 'for (1 .. 2000) { $h{$_ % 97} .= $_ } print length($h{3})'
plan
# SPDX-License-Identifier: MIT
