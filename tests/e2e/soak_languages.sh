#!/bin/sh
# Languages with their own runtimes: collectors, schedulers, just-in-time compilers.
. "${srcdir:-.}/tests/e2e/same_lib.sh"

cat >work.rb <<'ENDL'
require "json"
h = Hash.new { |hash, n| hash[n] = "v#{n}" * 3 }
20000.times { |n| h[n % 997] }
puts h.keys.sum, JSON.generate(h.first(3).to_h)
puts Array.new(8) { |n| Thread.new { (1..2000).map(&:to_s).join.size + n } }.map(&:value).sum
r, w = IO.pipe
pid = fork { w.write "from a child"; exit! 4 }
w.close
puts r.read, Process.wait2(pid)[1].exitstatus, `echo shell`.strip
fiber = Fiber.new { 100.times { |n| Fiber.yield n.to_s * 10 } }
puts 100.times.map { fiber.resume.size }.sum
begin; raise ArgumentError, "no"; rescue => e; puts e.message; end
GC.start
def deep(n) = n.zero? ? 0 : 1 + deep(n - 1)
begin; deep(10_000_000); rescue SystemStackError; puts "too deep"; end
warn "warned"
exit 6
ENDL
if optional ruby; then
    same -n 2 "ruby" ruby "$tmp/work.rb"
    is "ruby: it worked" "$bare_status" 6
    same -f -n 3 "ruby -f" ruby "$tmp/work.rb"
    same -j "ruby --jit" ruby --jit -e 'p (1..300000).map { |n| (n % 7).to_s }.join.size'
fi

cat >work.js <<'ENDL'
const { Worker, isMainThread, parentPort } = require('worker_threads');
const { execFileSync, spawn } = require('child_process');
const zlib = require('zlib'), crypto = require('crypto'), fs = require('fs');
if (!isMainThread) {
    let s = 0;
    for (let i = 0; i < 2e6; i++) s = (s * 31 + i) % 1000003;
    parentPort.postMessage(s);
} else {
    const text = Array.from({ length: 20000 }, (_, i) => `${i}:${i * 7}`).join(',');
    console.log(text.length, crypto.createHash('sha256').update(text).digest('hex'));
    console.log(zlib.gunzipSync(zlib.gzipSync(text)).length);
    console.log(execFileSync('sh', ['-c', 'echo shell']).toString().trim());
    function hot(n) { let s = 0; for (let i = 0; i < n; i++) s += Buffer.alloc(64, i & 255)[3]; return s; }
    console.log(hot(20000));
    const all = [1, 2, 3].map(() => new Promise(done => new Worker(__filename).on('message', done)));
    Promise.all(all).then(v => {
        console.log(v.join(' '));
        fs.readFile('/etc/hostname', () => {
            spawn('sort', ['-r'], { stdio: ['pipe', 'inherit', 'inherit'] })
                .on('close', code => { console.error('closed', code); process.exit(7); })
                .stdin.end('a\nb\n');
        });
    });
}
ENDL
if optional node; then
    same -j "node" node "$tmp/work.js"
    is "node: it worked" "$bare_status" 7
fi

cat >Work.java <<'ENDL'
import java.nio.*;
import java.util.*;
import java.util.stream.*;
import java.util.zip.*;
public class Work {
    static int deep(int n) { return n == 0 ? 0 : 1 + deep(n - 1); }
    public static void main(String[] args) throws Exception {
        System.out.println(IntStream.range(0, 300000).parallel().mapToObj(Integer::toString)
            .mapToInt(String::length).sum());
        long sum = 0;
        for (int i = 0; i < 20000; i++) { ByteBuffer b = ByteBuffer.allocateDirect(64); b.put(3, (byte)i); sum += b.get(3); }
        Deflater d = new Deflater(); d.setInput(new byte[100000]); d.finish();
        System.out.println(sum + " " + d.deflate(new byte[1000]));
        List<Thread> threads = new ArrayList<>();
        int[] got = new int[20];
        for (int i = 0; i < 20; i++) { int n = i; Thread t = new Thread(() -> got[n] = deep(1000 + n)); threads.add(t); t.start(); }
        for (Thread t : threads) t.join();
        System.out.println(Arrays.stream(got).sum());
        try { deep(100000000); } catch (StackOverflowError e) { System.out.println("too deep"); }
        try { Object o = null; o.hashCode(); } catch (NullPointerException e) { System.out.println("null"); }
        System.gc();
        Process p = new ProcessBuilder("sh", "-c", "echo from a shell; exit 3").inheritIO().start();
        System.out.println(p.waitFor());
        System.exit(8);
    }
}
ENDL
if optional javac && optional java; then
    javac -d . Work.java
    same -j "java" java -XX:-UsePerfData -cp "$tmp" Work
    is "java: it worked" "$bare_status" 8
    same -j "java -Xint" java -XX:-UsePerfData -Xint -cp "$tmp" Work
    same -j -f "javac -f" javac -d . "$tmp/Work.java"
fi

cat >work.go <<'ENDL'
package main
/*
#include <stdlib.h>
static int touch(int n) { char *volatile p = malloc(n); p[0] = 1; int r = p[0] + n; free(p); return r; }
*/
import "C"
import ("fmt"; "os"; "os/exec"; "sync")
func main() {
	var group sync.WaitGroup
	sums := make([]int, 50)
	for g := range sums {
		group.Add(1)
		go func(g int) {
			defer group.Done()
			for i := 1; i < 200; i++ { sums[g] += int(C.touch(C.int(i))) }
		}(g)
	}
	group.Wait()
	total := 0
	for _, s := range sums { total += s }
	fmt.Println(total)
	out, err := exec.Command("echo", "started").Output()
	fmt.Print(string(out), err, "\n")
	func() { defer func() { fmt.Println(recover()) }(); var p *int; *p = 1 }()
	os.Exit(5)
}
ENDL
if optional go; then
    mkdir go
    HOME=$tmp GO111MODULE=off CGO_ENABLED=1 GOCACHE=$tmp/go go build -o with-cgo work.go
    same -j "go with cgo" "$tmp/with-cgo"
    is "go with cgo: it worked" "$bare_status" 5
    is "go with cgo: C's allocations" "$(books inclusive touch data | cut -d' ' -f1)" 9950
    sed '/^\/\*/,/^import "C"/d; s/int(C.touch(C.int(i)))/i/' work.go >plain.go
    HOME=$tmp GO111MODULE=off CGO_ENABLED=0 GOCACHE=$tmp/go go build -o without-cgo plain.go
    not_started "go without cgo: static" "$tmp/without-cgo"
    rm -rf go
fi

cat >work.rs <<'ENDL'
use std::{collections::HashMap, process::Command, sync::mpsc, thread};
fn main() {
    let mut map = HashMap::new();
    for i in 0..20000u32 { map.entry(i % 997).or_insert_with(Vec::new).push(i.to_string()); }
    println!("{}", map.values().map(|v| v.len()).sum::<usize>());
    let (send, receive) = mpsc::channel();
    for n in 0..8 {
        let send = send.clone();
        thread::spawn(move || send.send((0..1000 * n).map(|i| Box::new(i)).map(|b| *b).sum::<u64>()));
    }
    drop(send);
    println!("{}", receive.iter().sum::<u64>());
    println!("{:?}", Command::new("echo").arg("started").output().map(|o| o.stdout));
    println!("{}", std::panic::catch_unwind(|| { let v: Vec<u8> = Vec::new(); v[3] }).is_err());
    std::process::exit(9);
}
ENDL
if optional rustc; then
    rustc -O -o rusty work.rs
    same -o "sed 's/ ([0-9]*) panicked/ panicked/'" "rust" "$tmp/rusty"
    is "rust: it worked" "$bare_status" 9
fi
if optional rg; then
    same "ripgrep" rg --sort path -c 'malloc' "$src/runtime"
fi
if optional fdfind; then
    same -o sort "fd" fdfind -e h . "$src/runtime"
fi

if optional php; then
    # shellcheck disable=SC2016
    same -j "php" php -n -r '$a = []; for ($i = 0; $i < 50000; $i++) $a[$i % 997][] = "v$i";
        echo count($a), " ", md5(serialize($a)), "\n", preg_match_all("/v\d*7/", serialize($a)), "\n";
        echo shell_exec("echo shell"); try { intdiv(1, 0); } catch (Error $e) { echo $e->getMessage(); } exit(4);'
    is "php: it worked" "$bare_status" 4
fi
cat >work.lua <<'ENDL'
local t = {}
for i = 1, 50000 do t[i % 997 + 1] = (t[i % 997 + 1] or "") .. i % 10 end
local co = coroutine.wrap(function() for i = 1, 1000 do coroutine.yield(("x"):rep(i)) end end)
local n = 0
for _ = 1, 1000 do n = n + #co() end
print(#table.concat(t), n, pcall(error, "caught"))
print(pcall(string.rep, "x", -1), select("#", table.unpack(t)))
local function deep(m) return m == 0 and 0 or 1 + deep(m - 1) end
print(deep(10000), (pcall(deep, 1e9)))
os.exit(3)
ENDL
if optional lua5.4; then
    same -r "lua" lua5.4 "$tmp/work.lua"
    is "lua: it worked" "$bare_status" 3
fi
if optional luajit; then
    sed -i 's/table\.unpack/unpack/' work.lua
    same -j "luajit" luajit "$tmp/work.lua"
    is "luajit: it worked" "$bare_status" 3
    same -j "luajit -joff" luajit -joff "$tmp/work.lua"
fi
plan
# SPDX-License-Identifier: MIT
