#!/bin/sh
# mprof run --leaks: of Debian's own programs the same is lost as valgrind's memcheck says.  soak_leaks.sh has more.
. "${srcdir:-.}/tests/e2e/leaks_lib.sh"

needs "memcheck" valgrind
files
same sort -n lines
same tar cf /dev/null many
same grep -rc 7 many lines
same find many -name '*7'
same ls -la many
same sed -n 's/7/8/p' lines
# Not awk, which may be gawk: what that loses depends on how many variables the environment has.
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
