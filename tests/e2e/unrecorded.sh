#!/bin/sh
# Processes that cannot create a data file are recorded all the same; those that cannot be recorded are named, with the
# reason, wherever the recording is read.
. "${srcdir:-.}/tests/e2e/lib.sh"

unreached="$programs/unreached"

# programs_in FILE...: prints the names of the programs that are recorded in FILEs, sorted.
programs_in()
{
    for file; do "$mprof" report --json --table=processes "$file"; done | grep -o '"program":"[^"]*"' |
        sed 's/.*[/"]\(.*\)"/\1/' | LC_ALL=C sort | tr '\n' ' '
}

# recorded TEXT STEP...: tests that the program behaves as without mprof, and that three children are recorded with
# 1,000 blocks each.
recorded()
{
    text=$1
    shift
    run "$unreached" "$@"
    mv out bare.out
    bare_status=$status
    rm -f all.data*
    run "$mprof" run -f -o all.data "$unreached" "$@"
    is "$text: status" "$status" "$bare_status"
    ok "$text: output" diff bare.out out
    is "$text: the three children are recorded" \
        "$(programs_in all.data.* | wc -w) $(for file in all.data.*; do books self block "$file"; done |
           awk '{ n += $1; bytes += $2 } END { print n, bytes }')" "3 3000 300000"
    hasnt "$text: nothing is missing" err 'not recorded|dropped|Permission'
}

recorded "plain" fork block number
if [ "$(id -u)" -eq 0 ]; then
    chmod 700 .
    recorded "another user" user fork block number
    recorded "another user, after close" close user fork block number
    recorded "another user, after closefrom" closefrom user fork block number
    recorded "another user, few descriptors" few user fork block number
    recorded "another root directory" root fork block
    recorded "another root directory and user" closefrom root user fork block
    recorded "another user, then killed" user fork block kill
    if unshare -n true 2>net.err; then
        recorded "another network" net user fork block
    else
        skip "another network" "unshare -n is not allowed here"
    fi
    if setpriv --reuid=65534 --regid=65534 --clear-groups test -r "$library"; then
        is "another user, executed" "$(run "$mprof" run -f -o exec.data "$unreached" user fork block cloexec echo
            programs_in exec.data.*)" "echo echo echo unreached unreached unreached "
    else
        skip "another user, executed" "another user cannot read $library"
    fi

    # Children of another user cannot send messages to mprof run. Their parent's file says that they were not recorded.
    for way in raw numbers; do
        run "$unreached" $way user fork block number
        mv out bare.out
        run "$mprof" run -o lost.data "$unreached" $way user fork block number
        ok "$way: output" diff bare.out out
        has "$way: the summary says it" err \
            '^mprof:   unreached \(3\): could not create its data file: Permission denied$'
        has "$way: and what was dropped" err '^mprof:   dropped  *3,000  records$'
    done
    "$mprof" report --no-pager lost.data >out
    has "the report says it" out '^Not recorded  *3  unreached: could not create its data file: Permission denied$'

    # Messages from another user's process cannot make mprof run create or read a file.
    mkdir elsewhere
    echo "not yours" >elsewhere/secret
    for path in "$tmp/elsewhere/made" "$tmp/elsewhere/secret" "$tmp/hostile.data" "/" ""; do
        rm -f hostile.data*
        FORGED_PATH=$path FORGED_NEXT=$tmp/elsewhere/secret \
            returns "hostile, path $path: the status is the program's" 0 \
            "$mprof" run -f -o hostile.data "$unreached" user hostile block
        empty "... it prints nothing" out
        is "... and what it allocated" "$(books self block hostile.data | cut -d' ' -f1,2)" "1000 100000"
        hasnt "... it writes no control characters and no line" err "$(printf '\033|\a|^mprof: forged')"
        is "... other files are as they were" "$(ls elsewhere) $(cat elsewhere/secret)" "secret not yours"
    done
else
    skip "another user, another root directory" "only root may"
fi

# Programs that begin to record before mprof run gets the message that they were started, and shells of system(), of
# which mprof run gets no such message.
cat >spawn.c <<'END'
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
int main(int argc, char **argv)
{
    pid_t pid;

    for (int i = 0; i < atoi(argv[1]); i++)
        if (system(i % 2 ? ":" : "exec /bin/true") != 0 || posix_spawn(&pid, "/bin/true", NULL, NULL, argv + 1, argv + 2) != 0)
            return 1;
    while (wait(NULL) > 0)
        continue;
    return argc < 2;
}
END
cc -o spawn spawn.c
rm -f spawn.data*
returns "many started programs: status" 0 "$mprof" run -f -o spawn.data ./spawn 40
hasnt "... all are recorded" err 'not recorded|not profiled'
is "... each once" "$(programs_in spawn.data.* | tr ' ' '\n' | grep -c true)" 60

# A child's memory is limited. With 1,000 to 2,000 KiB of data, there is no memory for the file, or for the thread's
# recorder, or for a record. In all cases the numbers of recorded and of missing allocations add up to that of the calls
# of malloc that succeeded.
cat >limited.c <<'END'
#include <stdio.h>
#include <stdlib.h>
static char line[32];
int
main(void)
{
    unsigned n = 0;

    for (int i = 0; i < 5000; i++) {
        void *volatile block = malloc(16);

        n += block != NULL;
        free(block);
    }
    setvbuf(stdout, line, _IOFBF, sizeof line);
    printf("%u\n", n);
    return 0;
}
END
cc -O0 -o limited limited.c
poor=0
limit=1000
while [ $limit -le 2000 ]; do
    rm -f memory.data
    # shellcheck disable=SC2016
    MPROF_FILE=memory.data sh -c 'ulimit -d "$1"; LD_PRELOAD=$2 exec ./limited' sh $limit "$library" >made 2>err
    if [ -f memory.data ]; then
        missing=$(total dropped memory.data)
        [ "$(total allocs memory.data)" -eq 0 ] && [ "$missing" -gt 0 ] && poor=$((poor + 1))
        echo "$limit $(($(total allocs memory.data) + missing)) $(cat made)"
    elif [ -s made ] && ! grep -q 'nothing is recorded$' err; then
        echo "$limit: nothing is said"
    fi
    limit=$((limit + 40))
done >sums
is "limited memory: recorded and missing allocations are all" "$(awk '$2 != $3' sums)" ""
at_least "... some limits leave memory for the file, and none for the recorder" "$poor" 1
rm -f memory.data*
# shellcheck disable=SC2016
returns "limit of 3,000 KiB of memory: status" 0 \
    "$mprof" run -f -o memory.data sh -c 'ulimit -d 3000; "$1" 50000 >deep.out; true' sh "$programs/deep"
has "... the summary says what is missing" err \
    '^mprof:     recording stopped early: Cannot allocate memory; [0-9,]* allocations were not recorded$'

# ---------------------------------------------------------------- what cannot be recorded
cat >small.c <<'END'
#include <stdlib.h>
static void *volatile sink;
int main(void)
{
    sink = malloc(10);
    return 0;
}
END
cc -o dynamic small.c
reasons=
count=0
# expect PROGRAM REASON N: notes that N processes of PROGRAM must be named as not recorded because of REASON.
expect()
{
    count=$((count + $3))
    reasons="$reasons$1 $2
"
}
if cc -static -o static small.c 2>static.err; then
    expect 'static \(2\)' 'is statically linked, so libmprof\.so cannot be preloaded' 2
else
    cp dynamic static
    skip "a static program" "there is no static libc"
fi
cp dynamic setid
cp dynamic capable
cp dynamic killed
if [ "$(id -u)" -eq 0 ] && chown 1 setid && chmod 4755 setid && ! findmnt -no OPTIONS -T . | grep -q nosuid; then
    expect 'setid' 'is set-user-id: the system drops LD_PRELOAD for it, so it cannot be profiled' 1
else
    skip "a set-user-id program" "only root can make one, and not where the file system is mounted nosuid"
fi
if [ "$(id -u)" -eq 0 ] && setcap cap_net_raw+ep capable 2>cap.err; then
    chmod 755 .
    expect 'capable' 'has file capabilities: the system drops LD_PRELOAD for it, so it cannot be profiled' 1
    as_other='setpriv --reuid 65534 --clear-groups'
else
    as_other=
    skip "a program with capabilities" "only root can make one"
fi
# A program that has no address space for libraries, and so is killed before the dynamic linker has loaded one.
expect 'killed' 'ended before libmprof\.so was loaded' 1
run "$mprof" run -f -o missing.data sh -c "./static; ./static; ./setid; $as_other ./capable; (ulimit -v 3000; exec ./killed)
    sh -c './no/such/program; ./dynamic'; exit 5"
is "the status is the program's" "$status" 5
has "the summary counts them" err "^mprof: $count process(es were| was) not recorded:\$"
"$mprof" report --no-pager missing.data >report
printf '%s' "$reasons" >reasons
while read -r line; do
    has "the summary: $line" err "^mprof:   $(echo "$line" | sed 's/ is / : is /; s/ has / : has /; s/ ended / : ended /; s/ :/:/')\$"
    has "the report: $line" report "^Not recorded  *[12]  $(echo "$line" | sed 's/ \\(.*\\)//; s/ is /: is /; s/ has /: has /; s/ ended /: ended /')\$"
done <reasons
is "the program that did begin is recorded, and missing programs are not counted" \
    "$(programs_in missing.data.* | grep -c dynamic)" 1
"$mprof" report --json missing.data >out
is "JSON" "$("$python" -c 'import json, sys
print(sum(p["processes"] for p in json.load(open(sys.argv[1]))["missing"]["not_recorded"]))' out)" "$count"
complains_not=$("$mprof" check --max-kept=1G missing.data | grep -c '^not recorded, and so not checked: .*killed: ended before')
is "a check says it" "$complains_not" 1
run "$mprof" merge -o merged.data missing.data missing.data.*
has "merge says it" err "^mprof:   $count process(es were| was) not recorded; see the report's head\$"
"$mprof" report --no-pager merged.data >out
has "so does a merged file" out '^Not recorded  *1  killed: ended before libmprof\.so was loaded$'
"$mprof" merge -q -o again.data merged.data
"$mprof" report --no-pager again.data >out
has "... that was merged again" out '^Not recorded  *1  killed: ended before libmprof\.so was loaded$'
"$mprof" html -o page.html missing.data
has "so does the page" page.html 'ended before libmprof\.so was loaded'

plan
# SPDX-License-Identifier: MIT
