#!/bin/sh
# mprof run --leaks: of Debian's own programs the same is lost as valgrind's memcheck says.
. "${srcdir:-.}/tests/e2e/lib.sh"

cd "$tmp" || exit 99
# lost FILE: "class bytes blocks" of what FILE says of definitely, indirectly and possibly lost ones
lost()
{
    if grep -q 'no leaks are possible' "$1"; then
        printf '%s 0 0\n' definitely indirectly possibly
    else
        sed -nE 's/^(mprof|==[0-9]+==): * *//; s/^(==[0-9]+==) *//
            s/^(definitely|indirectly|possibly) lost:? +([0-9,]+) bytes? in ([0-9,]+) blocks?.*/\1 \2 \3/p' "$1"
    fi
}

# same COMMAND...
same()
{
    if ! need "$1"; then
        skip "$1" "$missing"
        return
    fi
    "$mprof" run --leaks -o real.data -- "$@" </dev/null >ours.out 2>ours
    valgrind --leak-check=full --trace-children=no -- "$@" </dev/null >theirs.out 2>theirs
    lost ours >ours.lost
    lost theirs >theirs.lost
    is "$*: three classes" "$(wc -l <ours.lost)" 3
    is "... are the same" "$(diff ours.lost theirs.lost)" ""
    rm -f real.data*
}

if ! need valgrind; then
    skip "memcheck" "$missing"
    plan
    exit
fi
seq 3000 >lines
mkdir many
(cd many && seq 200 | xargs touch)
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
plan
