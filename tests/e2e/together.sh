#!/bin/sh
# Several processes at once: no recording is overwritten by another one, whoever wants the same name; and a process in
# another pid namespace is not considered dead.
. "${srcdir:-.}/tests/e2e/lib.sh"

# waiting PATTERN PROGRAM...: starts PROGRAM in the background under mprof run $options, and waits for its data file,
# which matches PATTERN. Sets $pid to the program's process id. The program's input ends at end_input.
options=
waiting()
{
    pattern=$1
    shift
    rm -f input
    mkfifo input
    # shellcheck disable=SC2086
    "$mprof" run $options "$@" <input >waiting.out 2>waiting.err &
    runner=$!
    exec 8>input
    until_true 60 is_made "$pattern" || fail "$*: no $pattern"
    # shellcheck disable=SC2086
    pid=$(header_pid $pattern)
}

end_input()
{
    exec 8>&-
}

end_waiting()
{
    end_input
    wait "$runner"
    status=$?
}

# header_pid FILE: prints the id of the process that writes a live file (mprof-data(5)).
header_pid()
{
    od -An -tu4 -j32 -N4 "$1" | tr -d ' '
}

is_made()
{
    # shellcheck disable=SC2086
    [ "$(header_pid $1)" -gt 0 ]
}

# in_state PID LETTER: returns whether /proc/PID/status has that state.
in_state()
{
    grep -q "^State:.$2" "/proc/$1/status"
}

# ------------------------------------------------------------------ the same name
waiting mprof.data cat
returns "a second run with the same name: status" 7 "$mprof" run "$programs/killme" 100 exit
has "it says so" err '^mprof: another process records in mprof\.data: this run has a file of its own$'
has "and where it is" err '^mprof report mprof\.data\.[0-9]+$'
second=$(sed -n 's/^mprof report //p' err)
is "it has recorded" "$(books self one_block "$second" | cut -d' ' -f1)" 100
returns "a snapshot onto the live file is refused" 1 "$mprof" snapshot -o mprof.data "$pid"
has "in one line" err "^mprof: .*/mprof\.data: process $pid has it in use; choose another with -o\$"
refuses "a new recording onto the live file, too" 1 'has it in use' "$mprof" start -o mprof.data "$pid"
LD_PRELOAD=$library "$programs/killme" 50 exit >out 2>err
is "without mprof run: status" "$?" 7
has "without mprof run: it says so" err '/mprof\.data: another process records there; this one has a file of its own'
for file in mprof.data.*; do
    [ "$file" = "$second" ] || third=$file
done
is "without mprof run: it has recorded" "$(books self one_block "$third" | cut -d' ' -f1)" 50
LD_PRELOAD=$library MPROF_FILE=$tmp/mprof.data "$programs/together" restart "$tmp/mprof.data" >out 2>err
is "mprof_restart() onto the file of another: refused" "$(cat out)" 16
has "and said" err '/mprof\.data: another process records there: nothing is recorded$'
end_waiting
is "the first has not noticed" "$status $(cat waiting.out)" "0 "
has "it says where it is" waiting.err '^mprof report$'
is "its file is its own" "$("$mprof" report --no-pager mprof.data | sed -n 's/^Command *//p')" cat
complains "when it has ended its file may be overwritten" '^mprof report$' "$mprof" run true
is "and is" "$("$mprof" report --no-pager mprof.data | sed -n 's/^Command *//p')" true

# The program has ended, and the file is not sealed yet.
rm -f mprof.data*
waiting mprof.data "$programs/together" closed
kill -STOP "$runner"
end_input
ok "the program has ended" until_true 60 in_state "$pid" Z
run "$mprof" run "$programs/killme" 10 exit
has "a file that waits to be sealed: kept" err '^mprof: another process records in mprof\.data:'
kill -CONT "$runner"
wait "$runner"
is "and sealed" "$(head -c 8 mprof.data)" MPROFDAT
is "with what it was" "$(books self work mprof.data | cut -d' ' -f1)" 300

# The file of a killed process may be overwritten.
rm -f mprof.data*
waiting mprof.data cat
kill -KILL "$runner" "$pid"
end_waiting 2>/dev/null
until_true 60 sh -c "! kill -0 $pid"
complains "a file of a killed process is overwritten" '^mprof report$' "$mprof" run true

# Many processes at once, with and without mprof run, with the name of an existing file; none ends before all have
# begun.
for round in 1 2 3 4 5; do
    rm -f mprof.data.* run.*
    mkfifo run.input
    for n in 1 2 3 4 5 6 7 8; do
        "$mprof" run "$programs/together" closed ${n}0 <run.input >run.out.$n 2>run.err.$n &
        MPROF_FILE=mprof.data LD_PRELOAD=$library "$programs/together" closed ${n}1 <run.input \
            >run.out.p$n 2>&1 &
    done
    exec 8>run.input
    until_true 60 sh -c '[ "$(cat run.out.* | grep -c "^[1-9][0-9]$")" -eq 16 ]' || fail "not all have begun"
    exec 8>&-
    wait
    for file in mprof.data*; do
        books self work "$file" | cut -d' ' -f1
    done | sort -n | tr '\n' ' ' >counts
    is "$round: sixteen at once: all have their files" "$(cat counts)" \
        "210 211 220 221 230 231 240 241 250 251 260 261 270 271 280 281 "
    wrong=0
    for n in 1 2 3 4 5 6 7 8; do
        file=$(sed -n 's/^mprof report *//p' run.err.$n)
        [ "$(books self work "${file:-mprof.data}" | cut -d' ' -f1)" = "2${n}0" ] || wrong=$((wrong + 1))
    done
    is "$round: and each summary names its own" $wrong 0
done

# Two runs with the same pattern for names of files: the pattern of each matches the files of the other.
rm -f ./*.data*
options="-q -o %e.%p.data"
waiting "cat.[0-9]*.data" cat
options=
run "$mprof" run -o %e.%p.data "$programs/killme" 10 exit
hasnt "a run leaves another's files alone" err 'more (process|recording)'
end_waiting
is "which are sealed by their own" "$(head -c 8 cat.[0-9]*.data)" MPROFDAT

# A run within a run.
rm -f mprof.data*
returns "a run within a run: status" 7 "$mprof" run "$mprof" run "$programs/killme" 10 exit
is "a run within a run: mprof, its worker and the program have files" "$(find . -name 'mprof.data*' | wc -l)" 3
inner=$(sed -n 's/^mprof report \(..*\)/\1/p' err | head -n 1)
is "a run within a run: the inner one's" "$(books self one_block "$inner" | cut -d' ' -f1)" 10
outer=$(sed -n 's/^mprof report \(..*\)/\1/p' err | tail -n 1)
eval "'$mprof' report --no-pager --head $outer" >report
at_least "a run within a run: the outer one recommends the recording with most in it" \
    "$(sed -n 's/^Allocations  *[0-9,]*  *\([0-9,]*\) bytes.*/\1/p' report | tr -d ,)" \
    $(($(total bytes mprof.data) + 1))
rm -f mprof.data*
run "$mprof" run -f -o outer.data "$mprof" run "$programs/killme" 10 exit
has "followed: the inner one has its program" err '^mprof report$'
is "followed: with all" "$(books self one_block mprof.data | cut -d' ' -f1)" 10

# ------------------------------------------------------------------ pid namespaces
in_namespace='unshare --user --map-root-user --pid --fork'
$in_namespace --mount-proc true 2>unshare.err || in_namespace='unshare --pid --fork'
if need unshare && $in_namespace --mount-proc true 2>unshare.err; then
    for mount in '' --mount-proc; do
        rm -f ns.data* closed.out
        mkfifo "order$mount"
        # The shell ends; the program that it started in another namespace goes on, and has closed all descriptors.
        # shellcheck disable=SC2086
        "$mprof" run -f -o ns.data sh -c "$in_namespace $mount $programs/together closed <order$mount >closed.out 2>&1 &
            until grep -q 100 closed.out 2>/dev/null; do sleep 0.02; done" >out 2>err &
        runner=$!
        exec 8>"order$mount"
        wait $runner
        has "namespace $mount: it still runs" err '^mprof:   together .*, still running( |$)'
        file=$(sed -n 's/^mprof:   together *\([^ ]*\) .*/\1/p' err)
        is "namespace $mount: recorded up to now" "$(books self work "$file" | cut -d' ' -f1)" 100
        "$mprof" report --no-pager "$file" >report
        has "namespace $mount: the report says so" report '^Ended +still running$'
        complains "namespace $mount: its file is not overwritten" 'this run has a file of its own' "$mprof" run -o "$file" true
        exec 8>&-
        until_true 60 grep -q end closed.out
        until_true 60 sh -c "'$mprof' report --no-pager '$file' | grep -q '^Ended *exit status 3'"
        is "namespace $mount: and goes on to the end" "$(books self work "$file" | cut -d' ' -f1)" 300
        # mprof run itself is in the namespace, where /proc may belong to another one
        # shellcheck disable=SC2086
        run $in_namespace $mount "$mprof" run -o inside.data "$programs/killme" 10 segv
        has "namespace $mount: mprof run inside" err '^mprof: killme: killed by SIGSEGV'
        is "namespace $mount: mprof run inside: sealed" "$(head -c 8 inside.data)" MPROFDAT
        # shellcheck disable=SC2086
        $in_namespace $mount sh -c "LD_PRELOAD=$library MPROF_FILE=killed.data $programs/killme 10 kill; :" >out 2>&1
        "$mprof" report --no-pager killed.data >report
        has "namespace $mount: a dead one is dead" report '^Ended +killed, or crashed'
    done
    # On overlayfs, a mapping does not keep the file open, but a descriptor does.
    cat >overlay.sh <<'END'
mprof=$1 namespace=$2 program=$3
mkdir layers && mount -t tmpfs none layers && mkdir layers/low layers/up layers/work layers/all &&
    mount -t overlay none -o lowerdir=layers/low,upperdir=layers/up,workdir=layers/work layers/all || exit 1
cd layers/all || exit 1
mkfifo order
"$mprof" run -f -o ns.data sh -c "$namespace $program closed <order >closed.out 2>&1 &
    until grep -q 100 closed.out; do sleep 0.02; done" >../../out 2>&1 &
exec 8>order
wait $!
END
    if unshare --mount sh overlay.sh "$mprof" "$in_namespace" "$programs/together" 2>overlay.err; then
        has "overlayfs: it still runs" out '^mprof:   together .*, still running( |$)'
    else
        skip "overlayfs: it still runs" "$(tail -n 1 overlay.err)"
    fi
else
    skip "pid namespaces" "unshare: $(cat unshare.err)"
fi
plan
# SPDX-License-Identifier: MIT
