#!/bin/sh
# Checkpoints that another process requests are exact, and are set before the command ends or not at all.
. "${srcdir:-.}/tests/e2e/control_lib.sh"

# asked N NAME: requests a checkpoint. When the request is in the file, the program gets an order to allocate N
# blocks, because it finds requests when it allocates.
asked()
{
    "$mprof" checkpoint --wait=60 "$pid" "$2" >out 2>err &
    command=$!
    until_true 60 "$programs/asked" mprof.data || fail "$2: nothing is asked for"
    order "$1"
    wait $command
}

# work OPTIONS... FILE: prints the blocks and frees of work() in a part of the time.
work()
{
    "$mprof" export -F chains "$@" 2>work.err |
        awk '$8 ~ /(^|;)work$/ { allocs += $1; frees += $3 } END { print allocs + 0, frees + 0 }'
}

# In a program with one thread, the call that finds the request counts as after the checkpoint.
MPROF_CHECK=1
export MPROF_CHECK
start_program
order 100
asked 30 one
is "it is set" "$?" 0
is "... and said" "$(cat out)" "mprof: process $pid: a checkpoint one was set"
order 20
asked 50 'second one'
order 5
is "until the first" "$(work --to=one mprof.data)" "101 90"
is "between the two" "$(work --from=one --to='second one' mprof.data)" "50 45"
is "from the second on" "$(work --from='second one' mprof.data)" "54 49"
is "alive at the first" "$(work --at=one mprof.data)" "11 0"
"$mprof" checkpoint --wait=60 "$pid" >out 2>err &
command=$!
until_true 60 "$programs/asked" mprof.data
order 10
wait $command
is "without a name" "$(cat out)" "mprof: process $pid: a checkpoint was set"
is "... it has a number" "$(work --from='#3' mprof.data)" "9 9"

# A process that does not allocate in time gets no checkpoint, then or later.
returns "idle: status" 1 "$mprof" checkpoint --wait=0 "$pid" late
is "idle: said" "$(cat err)" "mprof: process $pid: no checkpoint was set: it allocates nothing now; \
send it a request meanwhile, and wait for that with --wait=60"
order 10
complains "idle: none is set later" '^mprof: late: there is no such checkpoint' "$mprof" export -F chains --at=late mprof.data
"$mprof" checkpoint --wait=300 "$pid" orphan >out 2>&1 &
command=$!
until_true 60 "$programs/asked" mprof.data
complains "while one waits: refused" "^mprof: another mprof asks process $pid" "$mprof" checkpoint --wait=0 "$pid" other
kill -KILL $command
wait $command 2>/dev/null
run "$mprof" checkpoint --wait=0 "$pid" other
has "one that was killed is not in the way of the next" err 'it allocates nothing now; send it a request'
order 10
complains "... of its own" '^mprof: orphan: there is no such checkpoint' "$mprof" export -F chains --at=orphan mprof.data
long=$(printf '\342\202\254%.0s' 1 2 3 4 5 6 7 8 9 10)
long=$long$long$long$long$long$long$long$long$long$long
run "$mprof" checkpoint "$pid" "$long"
is "a name of 300 bytes" "$status $(cat out err)" "1 mprof: the name of a checkpoint has at most 256 bytes"
for name in start peak end; do
    run "$mprof" checkpoint "$pid" $name
    is "a name that every recording has: $name" "$status $(cat err)" \
        "2 mprof: '$name' is a point in time of every recording; choose another name; see mprof checkpoint --help"
done
refuses "a name that is too long: status" 1 '^mprof: the name of a checkpoint' \
    "$mprof" checkpoint "$pid" "$(head -c 5000 /dev/zero | tr '\0' x)"
for bad in "one two" "--wait=x"; do
    # shellcheck disable=SC2086
    refuses "checkpoint $bad" 2 '^mprof: ' "$mprof" checkpoint "$pid" $bad
done

# A process that has another request to execute, and a process that does not record, set no checkpoint.
"$mprof" stop --wait=0 "$pid" >out
run "$mprof" checkpoint --wait=0 "$pid" one
has "before a stop" err 'no checkpoint was set: it has yet to do what it was asked for before$'
order 10
complains "after it" 'no checkpoint was set: it is not recorded now$' "$mprof" checkpoint "$pid" one
end_program
is "the program has not heard of all this" "$status $(cat errors)" "5 "

# With several threads, one of them finds the request. Nothing is counted twice or lost.
start_program 4
order 100
for n in 1 2 3 4 5; do
    asked $((100 * n)) "round $n"
    is "threads: checkpoint $n" "$?" 0
done
before=0 frees=0
for n in 1 2 3 4 5; do
    now=$(work --to="round $n" mprof.data)
    least=$((400 + 400 * (n * (n - 1) / 2)))
    within "threads: round $n has all before it, and nothing after" "${now% *}" $((least + 1)) $((least + 400 * n))
    at_most "threads: no block is freed before it is there" "${now#* }" "$((${now% *}))"
    part=$(work --from="round $n" mprof.data)
    is "threads: what comes then is the rest" "$((${now% *} + ${part% *})) $((${now#* } + ${part#* }))" "6400 5760"
    at_least "threads: they are in order" "${now% *}" "$before"
    at_least "threads: also frees" "${now#* }" "$frees"
    before=${now% *} frees=${now#* }
done
end_program

# Checkpoints are requested while threads work, are stopped, started and end. Each is set, or the command says why
# not.
MPROF_CHECK=0
start_program 4
order 10                        # all threads are there, and recorded
asked 100000 "busy 1"
is "busy: one is set while all are at work" "$?" 0
echo 200000 >&8
answered=$((answered + 1))
n=0 set=1
while ! has_answered && [ $n -lt 20 ]; do
    n=$((n + 1))
    run "$mprof" checkpoint "$pid" "busy $((set + 1))"
    [ "$status" -eq 0 ] && set=$((set + 1))
    [ "$status" -eq 0 ] || grep -qE 'it allocates nothing now' err || fail "busy $n: $(cat err)"
done
until_true 120 has_answered
last=0 wrong=
for i in $(seq $set); do
    now=$(work --to="busy $i" mprof.data)
    [ "${now% *}" -ge "$last" ] && [ "${now% *}" -ge "${now#* }" ] || wrong="$wrong $i"
    last=${now% *}
done
is "busy: each is a moment that there was" "$wrong" ""
is "busy: the end is right" "$(work mprof.data)" "1200040 1080036"
echo 100000 >&8
answered=$((answered + 1))
"$mprof" stop "$pid" >stop.out 2>&1 &
stop=$!
run "$mprof" checkpoint "$pid" racing
ok "a stop beside it: done, or why not" \
    sh -c 'test "$1" -eq 0 || grep -qE "another mprof asks|is not recorded now|has yet to do|allocates nothing" err' - "$status"
wait $stop
until_true 120 has_answered
end_program
is "busy: the program ends as it does" "$status" 5

start_program 2
order 10
"$mprof" checkpoint --wait=300 "$pid" never >out 2>err &
command=$!
until_true 60 "$programs/asked" mprof.data
kill -KILL "$pid"
wait $command
is "killed meanwhile: status" "$?" 1
has "killed meanwhile: said" err "^mprof: process $pid: no checkpoint was set: it has ended meanwhile\$"
exec 8>&-
wait "$pid" 2>/dev/null

# In a Lisp program, libgc's hooks find the request.
if grep -q '^#define MP_HAVE_ECL 1' "$top/config.h"; then
    ecl=$(sed -n 's/^ECL = //p' "$top/Makefile")
    cat >asked.lisp <<'END'
(defvar *kept* nil)
(defun phase-one () (setf *kept* (loop repeat 1000 collect (make-string 5))))
(defun phase-two () (loop repeat 300 do (push (vector 1 2) *kept*)))
(defun phase-three () (loop repeat 70 do (push (vector 1 2) *kept*)))
(dolist (phase '(phase-one phase-two phase-three))
  (read-line)
  (funcall phase)
  (format t "done~%")
  (finish-output))
END
    "$ecl" --norc --eval '(progn (compile-file "asked.lisp") (ext:quit 0))' >log 2>&1
    rm -f orders mprof.data
    : >answers                  # removes the answers of the previous program
    mkfifo orders
    "$mprof" run -q -o mprof.data -- "$ecl" --norc --shell asked.fas <orders >answers 2>errors &
    runner=$!
    exec 8>orders
    answered=0
    # reading a line allocates
    order go
    pid=$(program_of $runner)
    for phase in two three; do
        "$mprof" checkpoint --wait=60 "$pid" "before $phase" >out 2>err &
        command=$!
        until_true 60 "$programs/asked" mprof.data
        order go
        wait $command
        is "Lisp: before $phase" "$?" 0
    done
    exec 8>&-
    wait $runner
    made()
    {
        "$mprof" export -F chains --lisp "$@" mprof.data | awk -F'\t' '$2 ~ /PHASE-ONE/ { a += $1 } $2 ~ /PHASE-TWO/ { b += $1 }
            $2 ~ /PHASE-THREE/ { c += $1 } END { print (a > 0), (b > 0), (c > 0) }'
    }
    is "Lisp: until the first" "$(made --to='before two')" "1 0 0"
    is "Lisp: between" "$(made --from='before two' --to='before three')" "0 1 0"
    is "Lisp: then" "$(made --from='before three')" "0 0 1"
else
    skip "Lisp" "configured --without-ecl"
fi
plan
# SPDX-License-Identifier: MIT
