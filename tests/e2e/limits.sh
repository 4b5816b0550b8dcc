#!/bin/sh
# A program that limits its own address space, or may lock only little memory, can use as much of it as without mprof.
. "${srcdir:-.}/tests/e2e/lib.sh"

cat >limit.py <<'END'
import resource, sys, threading
limit = int(sys.argv[1]) << 20
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
blocks = [bytearray(1 << 20) for i in range(limit >> 21)]
threads = [threading.Thread(target=lambda: [str(i) for i in range(10000)]) for _ in range(2)]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(len(blocks), resource.getrlimit(resource.RLIMIT_AS)[0] >> 20)
try:
    more = bytearray(limit)
except MemoryError:
    print("no more")
END
for limit in 1000 700; do
    returns "$limit MB: natively" 0 "$python" limit.py $limit
    mv out bare.out
    profile limit.data "$python" limit.py $limit
    is "$limit MB: status" "$status" 0
    ok "$limit MB: output" diff bare.out out
    empty "$limit MB: nothing said" err
    is "$limit MB: nothing dropped" "$(total dropped limit.data)" 0
    at_least "$limit MB: the blocks" "$(total bytes limit.data)" $((limit * 1048576 / 2))
done

# All of the address space except some MB is in use, and then blocks are allocated at new addresses. The monitor has
# space for them, because it gives up address space that it reserved for later.
cat >full.py <<'END'
import mmap, resource
limit = 1000 << 20
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
taken = []
for size in 64, 16, 4:
    try:
        while True: taken.append(mmap.mmap(-1, size << 20, prot=mmap.PROT_READ))
    except OSError:
        pass
taken.pop().close()
blocks = [bytearray(1 << 20) for i in range(3)]
print(len(blocks))
END
run "$python" full.py
is "all in use: natively" "$status $(cat out)" "0 3"
mv out bare.out
profile full.data "$python" full.py
ok "all in use: output" diff bare.out out
is "all in use: nothing dropped" "$(total dropped full.data)" 0

# If a program locks its memory, all mappings count, including the monitor's.
run "$programs/locked" 8 20000
if [ "$status" != 0 ]; then
    skip "locked memory" "natively: $(cat out) ($status)"
else
    bare=$(expected locked out)
    profile locked.data "$programs/locked" 8 20000
    is "locked memory: status" "$status" 0
    is "locked memory: exact" \
        "$(expected failed out) $(total dropped locked.data) $(books self block locked.data | cut -d' ' -f1,2)" \
        "0 0 20000 2000000"
    at_most "locked memory: the monitor's, in kilobytes" $(($(expected locked out) - bare)) 4000
fi

# The memory that the monitor reserves in each thread, for chains, is not locked before it is used.
run "$programs/locked" 8 1000 10
if [ "$status" != 0 ]; then
    skip "locked memory of threads" "natively: $(cat out) ($status)"
else
    bare=$(expected locked out)
    profile threads.data "$programs/locked" 8 1000 10
    is "locked memory of threads: exact" \
        "$status $(total dropped threads.data) $(books self block threads.data | cut -d' ' -f1,2)" \
        "0 0 1010 101000"
    at_most "locked memory of threads: the monitor's, in kilobytes" \
        $(($(expected locked out) - bare)) 5000
fi

profile limit.data prlimit --as=800000000 "$python" limit.py 600
is "under a limit already" "$status" 0
profile limit.data sh -c "ulimit -v 3000000; '$python' limit.py 400; exit 3"
is "in a shell" "$status" 3
plan
# SPDX-License-Identifier: MIT
