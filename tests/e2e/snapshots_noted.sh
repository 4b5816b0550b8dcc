#!/bin/sh
# The recording notes whether snapshots were written, so that no directory is read for each process.
. "${srcdir:-.}/tests/e2e/lib.sh"

# reads PROCESSES OPTION...: prints how often mprof run reads the directory of the data files when a shell forks PROCESSES
# children.
reads()
{
    n=$1
    shift
    rm -rf "run.$n"
    mkdir "run.$n"
    cat >forks.sh <<END
i=0
while [ \$i -lt $n ]; do
    (:; exit 0)
    i=\$((i + 1))
done
END
    strace -f -P "$tmp/run.$n" -o trace -e trace=getdents64 "$mprof" run -q -f "$@" -o "run.$n/data" sh forks.sh \
        </dev/null >out 2>err
    grep -c 'getdents64(' trace
}

if ! need strace; then
    skip "how often directories are read" "$missing"
elif ! strace -o trace -e trace=getdents64 true 2>/dev/null; then
    skip "how often directories are read" "strace may not trace"
else
    few=$(reads 2)
    many=$(reads 40)
    is "each process has a recording" "$("$mprof" totals run.40/data.children | sed -n 's/^processes //p')" 40
    at_least "the directory is read" "$few" 1
    is "... as often for 40 processes as for 2" "$many" "$few"
    few=$(reads 2 --leaks)
    many=$(reads 40 --leaks)
    is "each process has a snapshot" "$(find run.40 -name 'data*.1.heap' | wc -l)" 41
    is "the same where each process has a snapshot" "$many" "$few"
fi

# A noted snapshot is found, also through a link.
run "$mprof" run --leaks -o leaks.data "$programs/leak_cases"
has "a snapshot that was made at the end is found" err '^mprof heap leaks.data.1.heap$'
ok "... and sealed" test "$(od -An -tu4 -j12 -N4 leaks.data.1.heap | tr -d ' ')" = 2
plan
# SPDX-License-Identifier: MIT
