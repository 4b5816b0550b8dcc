#!/bin/sh
# Allocations, frees and bytes equal valgrind's "total heap usage" for real programs; output and status are those
# without mprof. oracle_python.sh has python.
. "${srcdir:-.}/tests/e2e/oracle_lib.sh"

awk 'BEGIN {
    print "<list>"
    for (i = 1; i <= 2000; i++)
        print "<item n=\"" i "\"><name>number " i "</name></item>"
    print "</list>"
}' >list.xml
cat >rows.sql <<'END'
create table t(a integer primary key, b text, c real);
with recursive n(x) as (values(1) union all select x + 1 from n where x < 3000)
insert into t select x, hex(x * x), x / 7.0 from n;
create index i on t(b);
select count(*), sum(c) from t where b > '4';
select substr(b, 1, 3) as k, count(*) from t group by k order by 2 desc limit 5;
END

compare widgets 10000 "$top/examples/widgets"
compare family 15 "$programs/family" --no-pvalloc
compare sqlite3 3000 sqlite3 -batch -init rows.sql :memory: .exit
also=$programs/.libs/fixed_time.so
compare xmllint 2000 xmllint --format list.xml
compare xpath 2000 xmllint --xpath 'count(//item[@n>1000])' list.xml
also=
compare jq 2000 jq -n '[range(2000) | {a: ., b: "x\(.)"}] | map(.b) | join(",") | length'
compare lua 20000 lua5.4 -e 't = {} for i = 1, 20000 do t[i] = {i, tostring(i)} end print(#t)'
compare "a program that fails" 10 jq .x /does/not/exist
# shellcheck disable=SC2016
compare_script perl 3000 'print 1' 'my %h; $h{$_} = $_ x 3 for 1 .. 3000;
    my @a = sort { $h{$a} cmp $h{$b} } keys %h;
    print length(join(",", map { s/1/xx/r } @a)), "\n"' perl -e
plan
# SPDX-License-Identifier: MIT
