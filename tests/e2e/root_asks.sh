#!/bin/sh
# Root makes requests to malicious processes of another user: their live files state names, offer other files, are
# truncated. Only what root created itself is removed, written to or waited for.
. "${srcdir:-.}/tests/e2e/control_lib.sh"

if [ "$(id -u)" -ne 0 ] || ! id nobody >/dev/null 2>&1; then
    skip_all "root asks other users' processes" "not root, or there is no user nobody"
fi
group=$(id -gn nobody)
chmod 711 "$tmp"
mkdir theirs ours
chown nobody theirs
chmod 700 ours
cp "$programs/hostile_header" "$programs/control" "$library" .     # the build tree may be shut to others

# as_nobody COMMAND...: replaces the shell, which must be one in the background.
as_nobody()
{
    exec setpriv --reuid=nobody --regid="$group" --clear-groups "$@"
}

# hostile HOW [PATH]: starts a malicious process of the user nobody; sets $pid.
hostile()
{
    rm -f answers input
    mkfifo input
    chmod 666 input
    as_nobody ./hostile_header "$tmp/theirs/data" "$@" <input >answers 2>errors &
    exec 7>input
    until_true 60 grep -q ready answers || fail "hostile $1 does not begin"
    pid=$(sed -n 's/^ready //p' answers)
}

end_hostile()
{
    exec 7>&-
    wait
    rm -rf theirs/*
}

# The process states a file of root as the name of the snapshot.
echo secret >ours/victim
hostile names "$tmp/ours/victim"
refuses "leaks, a name is stated" 2 "process $pid offers no snapshot" timeout 60 "$mprof" leaks "$pid"
is "... that file is there" "$(cat ours/victim 2>&1)" secret
refuses "snapshot --heap, a name is stated" 1 "process $pid offers no snapshot" timeout 60 "$mprof" snapshot --heap "$pid"
is "... that file is there" "$(cat ours/victim)" secret
is "... and nothing is left of the one that was begun" "$(ls theirs)" data
end_hostile

# A snapshot of root that is not sealed yet.
PYTHONPATH=$src/tests/e2e "$python" -c '
import heap_file, sys
sys.stdout.buffer.write(heap_file.Writer(sealed=False).finish())' >ours/raw.heap
sum=$(cksum <ours/raw.heap)
hostile names "$tmp/ours/raw.heap"
refuses "snapshot --heap, a snapshot of root's is stated" 1 "process $pid offers no snapshot" \
    timeout 60 "$mprof" snapshot --heap "$pid"
is "... that is not written to" "$(cksum <ours/raw.heap)" "$sum"
end_hostile

# A FIFO does not make root wait.
mkfifo theirs/fifo
chmod 666 theirs/fifo
hostile names "$tmp/theirs/fifo"
refuses "snapshot --heap, a FIFO is stated" 1 "process $pid offers no snapshot" timeout 60 "$mprof" snapshot --heap "$pid"
refuses "leaks, a FIFO is stated" 2 "process $pid offers no snapshot" timeout 60 "$mprof" leaks "$pid"
end_hostile

# The process offers descriptors of files that are not snapshots, or belong to another user.
echo public >public
chmod 644 public
mkfifo fifo
chmod 666 fifo
for path in "$tmp/public" /dev/zero "$tmp/fifo" "$tmp/theirs"; do
    hostile offers "$path"
    refuses "leaks, ${path#"$tmp/"} is offered" 2 "process $pid offers no snapshot" timeout 60 "$mprof" leaks "$pid"
    end_hostile
done
is "... the file is there" "$(cat public)" public
hostile garbage
refuses "leaks, garbage is offered" 2 "process $pid could not write the snapshot" timeout 60 "$mprof" leaks "$pid"
end_hostile
hostile locked
refuses "leaks, the snapshot is never complete: an interrupt ends the wait" 2 "^mprof: interrupted$" \
    timeout --preserve-status -s INT -k 30 1 "$mprof" leaks "$pid"
end_hostile

# The output already exists: a file, a link, a FIFO.
ln -s "$tmp/ours/new" ours/link
mkfifo ours/fifo
hostile names ""
for name in victim link fifo; do
    refuses "snapshot --heap -o $name" 1 "ours/$name" timeout 60 "$mprof" snapshot --heap -o "ours/$name" "$pid"
done
is "... the file is as it was" "$(cat ours/victim)" secret
is "... and the link leads nowhere" "$(ls ours)" "fifo
link
raw.heap
victim"
end_hostile

# The live file is truncated while root waits.
for command in stop start snapshot checkpoint leaks; do
    hostile cut
    wanted=1
    [ "$command" != leaks ] || wanted=2
    set -- "$command"
    [ "$command" != snapshot ] || set -- snapshot --heap
    refuses "$command, the file is cut short" "$wanted" "its data file $tmp/theirs/data was cut short" \
        timeout 60 "$mprof" "$@" --wait=30 "$pid"
    end_hostile
done

# A directory of the path is replaced by a link to one of root's.
mkdir theirs/deep ours/deep
chown nobody theirs/deep
start_other()
{
    rm -f orders
    mkfifo orders
    chmod 666 orders
    : >answers
    answered=0
    as_nobody env LD_PRELOAD="$tmp/libmprof.so" MPROF_FILE="$tmp/theirs/deep/data" ./control <orders >answers \
        2>errors &
    pid=$!
    exec 8>orders
    order "cache 10"
}
start_other
"$mprof" snapshot "$pid" >made 2>err
is "snapshot, beside the data file" "$? $(stat -c %a theirs/deep/data.snapshot.1)" "0 600"
mv theirs/deep theirs/away
ln -s "$tmp/ours/deep" theirs/deep
run "$mprof" snapshot "$pid"
is "... where the directory was moved" "$status $(ls theirs/away)" "0 data
data.snapshot.1
data.snapshot.2"
is "... nothing is written to where a link leads" "$(ls ours/deep)" ""
end_program
plan
# SPDX-License-Identifier: MIT
