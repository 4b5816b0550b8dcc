#!/bin/sh
# Tools that start other programs and write files: git, make with gcc, sqlite3, ssh-keygen, jq, xmllint.
. "${srcdir:-.}/tests/e2e/same_lib.sh"

git_work()
{
    HOME=$work
    GIT_CONFIG_NOSYSTEM=1
    GIT_AUTHOR_NAME=A GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=A GIT_COMMITTER_EMAIL=a@b
    GIT_AUTHOR_DATE='1700000000 +0000' GIT_COMMITTER_DATE='1700000000 +0000'
    export HOME GIT_CONFIG_NOSYSTEM GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL GIT_COMMITTER_NAME \
        GIT_COMMITTER_EMAIL GIT_AUTHOR_DATE GIT_COMMITTER_DATE
    $under sh -c '
        git -c init.defaultBranch=main init tree && cd tree || exit
        for n in 1 2 3 4 5; do
            seq $n 300 >"file.$n"; git add . && git commit -q -m "change $n" || exit
        done
        git checkout -q -b other HEAD~2 && echo x >x && git add x && git commit -q -m x || exit
        git merge -q -m merged main && git gc -q --prune=now && git fsck --strict || exit
        git log --graph --oneline --stat && git diff --stat HEAD~1 && git status --short
        git clone -q . ../copy && git -C ../copy rev-parse HEAD
        git grep -c 7 HEAD~1 -- "file.*"; git archive HEAD | sha256sum; git no-such-command'
}

make_work()
{
    mkdir src
    for n in $(seq 1 30); do
        cat >"src/f$n.c" <<ENDC
#include <stdlib.h>
int f$n(int n) { char *p = calloc($n, 1);
    for (int i = 0; i < n; i++) p[i % $n] += (char)i;
    n += p[0]; free(p); return n; }
ENDC
    done
    seq 1 30 | sed 's/.*/int f&(int);/' >src/main.c
    echo '#include <stdio.h>' >>src/main.c
    echo 'int main(void) { int n = 0;' >>src/main.c
    seq 1 30 | sed 's/.*/n += f&(&);/' >>src/main.c
    printf '%s\n' 'printf("%d\n", n); return 0; }' >>src/main.c
    cat >Makefile <<'ENDM'
objects = $(patsubst %.c,%.o,$(wildcard src/*.c))
prog: $(objects)
	@$(CC) -o $@ $^
%.o: %.c
	@$(CC) -O2 -c -o $@ $<
ENDM
    $under make -s -j4 CC=gcc && ./prog && sha256sum src/*.o
}

sqlite_work()
{
    $under sqlite3 base.db "
        PRAGMA journal_mode = WAL;
        CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT, c REAL);
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
            INSERT INTO t SELECT i, 'row ' || (i * 7919 % 5003), i / 7.0 FROM n;
        CREATE INDEX u ON t (b);
        SELECT count(*), max(b), round(sum(c), 3) FROM t WHERE b LIKE 'row 4%';
        SELECT json_group_array(a) FROM (SELECT a FROM t ORDER BY b LIMIT 10);
        DELETE FROM t WHERE a % 3 = 0; VACUUM; PRAGMA integrity_check;
        SELECT no_such_column FROM t;"
}

key_work()
{
    $under ssh-keygen -q -t ed25519 -N '' -C test -f key && $under ssh-keygen -y -f key >again &&
        ssh-keygen -y -f key | cmp - again && $under ssh-keygen -l -f key.pub | cut -d' ' -f1,3,4
}

if optional git; then
    same -s "git" git_work
    has "git: it worked" out.bare 'merged'
    same -s -f -n 40 "git -f" git_work
fi
if optional make && optional gcc; then
    same -s "make -j" make_work
    same -s -f -n 90 "make -j -f" make_work
    is "make -j: it worked" "$bare_status" 0
fi
if optional sqlite3; then
    same -s -r "sqlite3" sqlite_work
    has "sqlite3: it worked" out.bare '^ok$'
fi
if optional ssh-keygen; then
    same -s "ssh-keygen" key_work
    is "ssh-keygen: it worked" "$bare_status" 0
fi
if optional jq; then
    # shellcheck disable=SC2016
    same -r "jq" jq -n '[range(2000) | {a: ., b: tostring}] | group_by(.a % 7) | map(length), (.[3] | .[5].b | test("[0-9]+"))'
fi
if optional xmllint; then
    { echo '<r>'; seq 1 3000 | sed 's/.*/<e n="&">text &amp;amp; <i>&<\/i><\/e>/'; echo '</r>'; } >in.xml
    # libxml2 seeds its hash tables with the time, so the counts of two runs differ.
    same "xmllint" xmllint --format --xpath 'sum(//e/@n)' "$tmp/in.xml"
    head -c 5000 in.xml >cut.xml
    same "xmllint, an error" xmllint --noout "$tmp/cut.xml"
fi
plan
# SPDX-License-Identifier: MIT
