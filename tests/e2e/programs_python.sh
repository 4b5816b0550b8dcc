#!/bin/sh
# python3: threads, subprocess, multiprocessing by fork, by spawn and by a fork server, extensions.
. "${srcdir:-.}/tests/e2e/same_lib.sh"

if ! optional "$python"; then
    plan
    exit
fi
PYTHONDONTWRITEBYTECODE=1
PYTHONHASHSEED=0
PYTHONMALLOC=malloc
export PYTHONDONTWRITEBYTECODE PYTHONHASHSEED PYTHONMALLOC

cat >threads.py <<'ENDP'
import queue, sys, threading
from concurrent.futures import ThreadPoolExecutor

def work(n):
    return sum(len(str(i) * (i % 7)) for i in range(n))

jobs, answers = queue.Queue(), []
def worker():
    while (n := jobs.get()) is not None:
        answers.append(work(n))
threads = [threading.Thread(target=worker) for _ in range(16)]
for t in threads: t.start()
for n in range(100): jobs.put(n * 10)
for _ in threads: jobs.put(None)
for t in threads: t.join()
print(sorted(answers)[-3:])
with ThreadPoolExecutor(8) as pool:
    print(sum(pool.map(work, range(200))))
for _ in range(300):
    t = threading.Thread(target=work, args=(5,)); t.start(); t.join()
def forever():
    while True: work(50)
threading.Thread(target=forever, daemon=True).start()
print("out", flush=True)
print("error", file=sys.stderr)
sys.exit(3)
ENDP
cat >processes.py <<'ENDP'
import os, signal, subprocess, sys
print(subprocess.run(["sort", "-r"], input="a\nc\nb\n", capture_output=True, text=True).stdout.split())
print(subprocess.run("echo $0; exit 6", shell=True, capture_output=True).returncode)
a = subprocess.Popen(["seq", "1", "1000"], stdout=subprocess.PIPE)
b = subprocess.Popen(["tail", "-2"], stdin=a.stdout, stdout=subprocess.PIPE, text=True, close_fds=True)
a.stdout.close()
print(b.communicate()[0].split(), a.wait(), b.returncode)
try:
    subprocess.run(["/does/not/exist"])
except FileNotFoundError as e:
    print(e)
p = subprocess.Popen(["sleep", "100"], start_new_session=True)
p.send_signal(signal.SIGTERM)
print(p.wait())
try:
    subprocess.run(["sleep", "100"], timeout=0.1)
except subprocess.TimeoutExpired:
    print("expired")
pid = os.posix_spawn("/bin/sh", ["sh", "-c", "exit 7"], os.environ)
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
r, w = os.pipe()
if os.fork() == 0:
    os.write(w, b"from the child"); os._exit(0)
print(os.read(r, 100), os.wait()[1])
print(subprocess.run(["sh", "-c", "echo $A $USER"], env={"A": "b"}, capture_output=True).stdout)
os.execv("/bin/sh", ["sh", "-c", "echo replaced; exit 8"])
ENDP
cat >multi.py <<'ENDP'
import multiprocessing as mp, sys

def square(n):
    return n * n, len([str(i) for i in range(n % 50)])

def put(q, n):
    q.put(n)

if __name__ == "__main__":
    context = mp.get_context(sys.argv[1])
    with context.Pool(3) as pool:
        print(pool.map(square, range(100))[-1], pool.apply_async(square, (7,)).get())
    q = context.Queue()
    kids = [context.Process(target=put, args=(q, n)) for n in range(4)]
    for k in kids: k.start()
    print(sorted(q.get() for _ in kids))
    for k in kids: k.join()
    print([k.exitcode for k in kids])
    v = context.Value("i", 5)
    with v.get_lock(): v.value += 1
    print(v.value)
ENDP
cat >extensions.py <<'ENDP'
import ast, bz2, ctypes, decimal, hashlib, json, lzma, re, sqlite3, sys, zlib
data = json.dumps([{"n": i, "s": str(i) * 3} for i in range(2000)])
print(len(json.loads(data)), zlib.crc32(zlib.compress(data.encode())) > 0,
      len(bz2.decompress(bz2.compress(data.encode()))), len(lzma.decompress(lzma.compress(data.encode()))))
print(hashlib.sha256(data.encode()).hexdigest())
db = sqlite3.connect(":memory:")
db.execute("create table t (a, b)")
db.executemany("insert into t values (?, ?)", ((i, str(i)) for i in range(3000)))
print(db.execute("select sum(a), max(b) from t").fetchone())
compare = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_int), ctypes.POINTER(ctypes.c_int))
numbers = (ctypes.c_int * 6)(5, 3, 6, 1, 2, 4)
ctypes.CDLL(None).qsort(numbers, 6, 4, compare(lambda a, b: [str(i) for i in range(3)] and a[0] - b[0]))
print(list(numbers))
print(len(ast.dump(ast.parse(open(ast.__file__).read()))), decimal.Decimal(2).sqrt())
def deep(n): return [n] if n == 0 else deep(n - 1) + [n]
print(len(deep(800)))
try: deep(10 ** 6)
except RecursionError as e: print("too deep")
sys.exit("the end")
ENDP
same "threads" "$python" "$tmp/threads.py"
at_least "threads: they were seen" "$(total threads "$tmp/data")" 17
same -n 2 "subprocess" "$python" "$tmp/processes.py"
same -f -n 10 "subprocess -f" "$python" "$tmp/processes.py"
# At least this many files, because workers of a pool are killed at its end, even if they never worked.
same -n 6 "multiprocessing fork" "$python" "$tmp/multi.py" fork
same "multiprocessing spawn" "$python" "$tmp/multi.py" spawn
same -f -n 7 "multiprocessing spawn -f" "$python" "$tmp/multi.py" spawn
same -f -n 8 "multiprocessing forkserver -f" "$python" "$tmp/multi.py" forkserver
same "extensions" "$python" "$tmp/extensions.py"
# counts: runs a program with fixed addresses, because numbers made from addresses are longer above 2^30.
counts()
{
    # shellcheck disable=SC2086
    setarch -R $under "$python" -S -B -c '
d = {}
for i in range(20000): d.setdefault(i % 97, []).append(str(i) * 2)
print(sum(len(x) for v in d.values() for x in v))'
}
if setarch -R true 2>/dev/null; then
    same -s -r "python, its counts" counts
else
    skip "python, its counts" "addresses cannot be made the same here"
fi
plan
# SPDX-License-Identifier: MIT
