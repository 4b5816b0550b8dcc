#!/bin/sh
# Heap profiles as text, which tcmalloc and jemalloc write: the files of the installed libraries, with the figures
# that google-pprof and jeprof find in them; and damaged files.
. "${srcdir:-.}/tests/e2e/lib.sh"

unset DEBUGINFOD_URLS

# library NAME: prints the path of libNAME.so.*
library()
{
    ldconfig -p 2>/dev/null | awk -v name="lib$1.so." 'index($1, name) == 1 && /x86-64|AArch64|riscv/ { print $NF; exit }'
}

# of_pprof COMMAND PROGRAM FILE OPTION: prints the total that COMMAND prints.
of_pprof()
{
    "$1" --text --show_bytes "--$4" "$2" "$3" 2>/dev/null | awk '$1 == "Total:" { print $2 + 0; found = 1; exit }
        END { if (!found) print 0 }'
}

# A program with known allocations, position-independent or not.
cat >leaf.c <<'END'
#include <stdlib.h>
#include <string.h>
void *kept[4000];
__attribute__((noinline)) static void grow(void)
{
    for (int i = 0; i < 4000; i++)
        kept[i] = malloc(1000);
    __asm__ volatile("" ::: "memory");
}
__attribute__((noinline)) static void churn(void)
{
    for (int i = 0; i < 3000; i++) {
        char *p = malloc(2000);
        __asm__ volatile("" :: "r"(p) : "memory");
        free(p);
    }
}
int main(void)
{
    grow();
    churn();
    return 0;
}
END
compiled=
for place in pie no-pie; do
    case $place in pie) flags="-fPIE -pie" ;; *) flags=-no-pie ;; esac
    # shellcheck disable=SC2086
    if ${CC:-gcc} -g -O1 -fno-optimize-sibling-calls $flags -o $place leaf.c 2>cc.err; then
        compiled="$compiled $place"
    fi
done

# ------------------------------------------------------------------ tcmalloc
tcmalloc=$(library tcmalloc)
if [ -z "$compiled" ]; then
    skip "tcmalloc" "no compiler: $(head -n 1 cc.err)"
elif [ -z "$tcmalloc" ]; then
    skip "tcmalloc" "libtcmalloc is not installed"
else
    for place in $compiled; do
        LD_PRELOAD=$tcmalloc HEAPPROFILE=$tmp/tc-$place ./$place 2>tc.err
        heap=tc-$place.0001.heap
        "$mprof" export -F chains "$heap" >dump 2>err
        is "tcmalloc, $place: all of it" "$(books self grow "$heap" | cut -d' ' -f1-4) $(books self churn "$heap" | cut -d' ' -f1-4)" \
            "4000 4000000 0 0 3000 6000000 3000 6000000"
        ok "tcmalloc, $place: chains have names" grep -q ' main;grow$' dump
    done
    "$mprof" report "$heap" >report
    hasnt "tcmalloc: it is exact" report estimate
    has "tcmalloc: the peak is not known" report '^Peak +not known$'
    mv "$place" elsewhere
    returns "tcmalloc: without the program's file" 0 "$mprof" report "$heap"
    has "tcmalloc: ... frames are places in it" out " $place\\+0x[0-9a-f]+\$"
    has "tcmalloc: ... and why is said" out "^Module .*$place: missing\$"
    "$mprof" report --executable=elsewhere --table=direct "$heap" >report
    ok "tcmalloc: where it is now" grep -q ' grow$' report
    mv elsewhere "$place"
    if need google-pprof; then
        for type in inuse_space:kept inuse_objects:kept-blocks alloc_space:bytes alloc_objects:allocs; do
            is "tcmalloc: ${type#*:}, as google-pprof has them" "$(total "${type#*:}" "$heap")" \
                "$(of_pprof google-pprof "$place" "$heap" "${type%%:*}")"
        done
        # samples as tcmalloc writes them, which have only live blocks
        sed -E '1s/.*/heap profile:   11: 4000 [   11: 4000] @ heap_v2\/65536/
                2,/^$/s/^ *([0-9]+): *([0-9]+) \[ *[0-9]+: *[0-9]+\]/ \1: \2 [ \1: \2]/' "$heap" >sampled.heap
        for type in inuse_space:kept inuse_objects:kept-blocks; do
            is "tcmalloc, sampled: ${type#*:}, as google-pprof has them" "$(total "${type#*:}" sampled.heap)" \
                "$(of_pprof google-pprof "$place" sampled.heap "${type%%:*}")"
        done
        "$mprof" report sampled.heap >report
        has "tcmalloc, sampled: it is said" report '^Imported .*estimates, of one sample for each 65,536 bytes$'
        has "tcmalloc, sampled: how far off" report '^Kept .* estimated, \+- [0-9,]+ and [0-9,]+ bytes$'
        has "tcmalloc, sampled: what was allocated is not known" report '^Allocations +not known$'
    else
        skip "tcmalloc, by google-pprof" "$missing"
    fi
fi

# Conversions by google-pprof: a section of symbols, and a binary profile of the bytes in use.
raw=
if [ -n "$tcmalloc" ] && [ -n "$compiled" ] && need google-pprof; then
    for place in $compiled; do
        google-pprof --raw ./"$place" tc-"$place".0001.heap >raw-"$place" 2>/dev/null && raw=raw-$place
    done
fi
if [ -n "$raw" ]; then
    "$mprof" export -F chains "$raw" >dump 2>err
    is "pprof --raw: chains have the names that it has" "$(cut -d' ' -f2,8- dump | sed 's/ .*;/ /')" "4000000 grow"
    "$mprof" report "$raw" >report
    has "pprof --raw: what is not known is not stated" report '^Imported +pprof --raw, whose file does not say what it counts'
    has "pprof --raw: ... nor how many blocks" report '^Only what was alive .*: 4,000,000 bytes$'
    # pprof --raw of a profile from a server appends that profile to its output
    { sed '/^--- profile/,$d' "$raw" && echo "--- heap" && cat tc-"$place".0001.heap; } >fetched.heap
    "$mprof" export -F chains fetched.heap >dump
    is "... of a heap profile that was fetched" "$(cut -d' ' -f1,2,4,8- dump | sed 's/ [^ ]*;/ /' | sort)" \
        "3000 6000000 6000000 churn
4000 4000000 0 grow"
    { sed '/^--- profile/,$d' "$raw" && echo "--- contention:" && echo "1 2 @ 0x1"; } >other.heap
    refuses "... of another profile" 1 '^mprof: other\.heap: heap profile: behind its symbols, not of memory: ' "$mprof" report other.heap
    head -c $(($(wc -c <"$raw") - 8)) "$raw" >cut.heap
    refuses "... that is cut" 1 '^mprof: cut\.heap: heap profile: ends within a chain: ' "$mprof" report cut.heap
else
    skip "pprof --raw" "libtcmalloc, google-pprof or a compiler is missing"
fi

# Older formats: without "@", and with another head of the list of mapped files.
if [ -n "$raw" ]; then
    heap=tc-$place.0001.heap
    sed 's/^MAPPED_LIBRARIES:/--- Memory map:/' "$heap" >map.heap
    is "Memory map" "$("$mprof" export -F chains map.heap)" "$("$mprof" export -F chains "$heap")"
    sed "s,^MAPPED_LIBRARIES:,--- Memory map:\nbuild=$tmp,; s,$tmp/,\$build/," "$heap" >build.heap
    is "... with a variable" "$("$mprof" export -F chains build.heap)" "$("$mprof" export -F chains "$heap")"
    sed '1s/ @.*//' "$heap" >old.heap
    is "no @: every block was counted" "$(total bytes old.heap) $(total kept old.heap)" "10000000 4000000"
    sed -E '1s/.*/heap profile:   4000: 4000000 [   4000: 4000000]/; 3d
            2s/^ *([0-9]+): *([0-9]+) \[ *[0-9]+: *[0-9]+\]/ \1: \2 [ \1: \2]/' "$heap" >oldest.heap
    for type in inuse_space:kept inuse_objects:kept-blocks; do
        is "no @, and both pairs the same, so it is 1 in 128 KB: ${type#*:}, as google-pprof has them" \
            "$(total "${type#*:}" oldest.heap)" "$(of_pprof google-pprof "$place" oldest.heap "${type%%:*}")"
    done
    "$mprof" report oldest.heap >report
    has "... it is said" report '^Imported .*estimates, of one sample for each 131,072 bytes$'
    sed '/^MAPPED_LIBRARIES/,$d' "$heap" >bare.heap
    "$mprof" report bare.heap >report
    has "no list of mapped files: it is said" report \
        '^Imported .*; it has no list of mapped files, so functions have no names$'
    is "... and the figures are there" "$(total bytes bare.heap)" 10000000
fi

# Profiles of growth, and samples, written by tcmalloc itself.
cat >growth.cc <<'END'
#include <gperftools/malloc_extension.h>
#include <stdio.h>
#include <stdlib.h>
#include <string>
void *kept[40000];
__attribute__((noinline)) static void grow()
{
    for (int i = 0; i < 40000; i++)
        kept[i] = malloc(1000);
    __asm__ volatile("" ::: "memory");
}
static void write(const char *name, const std::string &text)
{
    FILE *file = fopen(name, "w");
    fputs(text.c_str(), file);
    fclose(file);
}
int main()
{
    std::string text;
    grow();
    MallocExtension::instance()->GetHeapGrowthStacks(&text);
    write("growth.heap", text);
    text = "";
    MallocExtension::instance()->GetHeapSample(&text);
    write("sample.heap", text);
    return 0;
}
END
if ${CXX:-g++} -g -O1 -o growth growth.cc -ltcmalloc 2>cc.err && TCMALLOC_SAMPLE_PARAMETER=65536 ./growth && need google-pprof
then
    # near WHAT A B: tests that A and B are the same except for the rounding of scaled samples.
    near()
    {
        ok "$1 ($2, $3)" test "$2" -gt 0 -a "$(($2 - $3))" -le 64 -a "$(($3 - $2))" -le 64
    }
    for file in growth sample; do
        near "tcmalloc: $file, as google-pprof has it" "$(total kept $file.heap)" \
            "$(of_pprof google-pprof growth $file.heap inuse_space)"
        # Figures with callees, because google-pprof mistakes some functions of tcmalloc for others.
        near "tcmalloc: ... of a function" "$(books inclusive grow $file.heap | cut -d' ' -f2)" \
            "$(google-pprof --text --show_bytes growth $file.heap 2>/dev/null | awk '$NF == "grow" { print $4 }')"
    done
    "$mprof" report growth.heap >report
    has "tcmalloc: growth is no use of memory" report '^Imported +growth of the heap: memory that the allocator took from the system'
else
    skip "growth" "no compiler, no libtcmalloc for it, or no google-pprof: $(head -n 1 cc.err)"
fi

# ------------------------------------------------------------------ Go
cat >gone.go <<'END'
package main

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
)

var kept [][]byte

func grow() {
	for i := 0; i < 4000; i++ {
		kept = append(kept, make([]byte, 1000))
	}
}

func write(profile string, form int, name string) {
	file, _ := os.Create(name)
	pprof.Lookup(profile).WriteTo(file, form)
	file.Close()
}

func main() {
	runtime.MemProfileRate = 4096
	grow()
	runtime.GC()
	debug.SetGCPercent(-1)		// both forms are of this collection
	write("heap", 1, "go.heap")
	write("heap", 0, "go.pb.gz")
	for _, other := range []string{"block", "mutex", "goroutine", "threadcreate"} {
		write(other, 1, "go."+other)
	}
}
END
if go_build -o gone gone.go 2>cc.err && ./gone; then
    chains()
    {
        "$mprof" export -F chains "$1" | sed -n 's/^[1-9][^;]* \(.*main\.grow\)$/\1/p' | sort -u
    }
    is "Go's text: chains have the names of its comments" "$(chains go.heap)" "$(chains go.pb.gz)"
    # The rounding of estimates changes each chain by at most 1.
    for figure in kept kept-blocks; do
        difference=$(($(total $figure go.heap) - $(total $figure go.pb.gz)))
        at_most "Go's text: $figure, as its other form has it but for fractions" "${difference#-}" \
            "$("$mprof" export -F chains go.heap | grep -c '^[1-9]')"
    done
    is "Go's text: ... and lines" "$("$mprof" report --lines=full --json --table=leaks go.heap | jq -r '[.. | objects |
        select(.function? == "main.grow") | "\(.file | sub(".*/"; "")):\(.line)"] | unique | join(" ")')" "gone.go:$(grep -n 'make(' gone.go | cut -d: -f1)"
    refuses "Go's contention profile" 1 '^mprof: go\.block: a profile of contention: ' "$mprof" report go.block
    refuses "Go's mutex profile" 1 '^mprof: go\.mutex: a profile of mutexes: ' "$mprof" report go.mutex
    refuses "Go's goroutines" 1 '^mprof: go\.goroutine: a profile of goroutines: ' "$mprof" report go.goroutine
    refuses "Go's threads" 1 '^mprof: go\.threadcreate: a profile of threads that were created: ' "$mprof" report go.threadcreate
else
    skip "Go's text" "no Go: $(head -n 1 cc.err)"
fi
profiler=$(library tcmalloc_and_profiler)
if [ -n "$profiler" ] && [ -n "$compiled" ]; then
    LD_PRELOAD=$profiler CPUPROFILE=$tmp/cpu.prof ./"$place" 2>/dev/null
    refuses "gperftools' CPU profile" 1 '^mprof: cpu\.prof: a profile of CPU time: not a profile of memory$' "$mprof" report cpu.prof
else
    skip "gperftools' CPU profile" "no libtcmalloc_and_profiler"
fi

# ------------------------------------------------------------------ jemalloc
jemalloc=$(library jemalloc)
heap=
if [ -n "$jemalloc" ] && [ -n "$compiled" ]; then
    for accum in false true; do
        LD_PRELOAD=$jemalloc MALLOC_CONF=prof:true,prof_final:true,lg_prof_sample:15,prof_accum:$accum,prof_prefix:$tmp/je-$accum \
            ./"$place" 2>je.err
        for file in je-$accum.*.heap; do
            [ ! -f "$file" ] || { mv "$file" je-$accum.heap && heap=je-$accum.heap; }
        done
    done
fi
if [ -z "$jemalloc" ]; then
    skip "jemalloc" "libjemalloc is not installed"
elif [ -z "$heap" ]; then
    skip "jemalloc" "it writes no profile here: $(head -n 1 je.err cc.err 2>/dev/null | tr '\n' ' ')"
else
    "$mprof" report je-false.heap >report
    has "jemalloc: estimates are said to be" report \
        '^Imported +heap profile of jemalloc; its figures are estimates, of one sample for each 32,768 bytes$'
    has "jemalloc: how far off" report '^Kept .* estimated, \+- [0-9,]+ and [0-9,]+ bytes$'
    has "jemalloc: what was allocated is not known" report '^Allocations +not known$'
    has "jemalloc: ... so it is one moment" report '^Only what was alive at the moment of the profile: estimated '
    hasnt "jemalloc: its own functions are on no chain" report 'libjemalloc'
    if need jeprof; then
        for type in inuse_space:kept inuse_objects:kept-blocks; do
            is "jemalloc: ${type#*:}, as jeprof has them" "$(total "${type#*:}" je-false.heap)" \
                "$(of_pprof jeprof "$place" je-false.heap "${type%%:*}")"
        done
        for type in inuse_space:kept inuse_objects:kept-blocks alloc_space:bytes alloc_objects:allocs; do
            is "jemalloc, all: ${type#*:}, as jeprof has them" "$(total "${type#*:}" je-true.heap)" \
                "$(of_pprof jeprof "$place" je-true.heap "${type%%:*}")"
        done
        is "jemalloc: of a function, too" "$(books self grow je-false.heap | cut -d' ' -f2)" \
            "$(jeprof --text --show_bytes --inuse_space "$place" je-false.heap 2>/dev/null | awk '$NF == "grow" { print $1 }')"
    else
        skip "jemalloc, by jeprof" "$missing"
    fi
    low=$(total kept.low je-true.heap) high=$(total kept.high je-true.heap)
    at_most "jemalloc: an interval from" "$low" "$(total kept je-true.heap)"
    at_least "jemalloc: ... to" "$high" "$(total kept je-true.heap)"
fi

# ------------------------------------------------------------------ mprof's own
profile data "$programs/costs"
"$mprof" export -F pprof-legacy --full-names --no-skip --all-frames -o costs.heap data
for figure in allocs bytes kept kept-blocks; do
    is "there and back: $figure" "$(total $figure costs.heap)" "$(total $figure data)"
done
is "there and back: functions" "$(books self keep costs.heap | cut -d' ' -f1-4)" "$(books self keep data | cut -d' ' -f1-4)"
gzip -c costs.heap >costs.heap.gz
is "packed" "$(total bytes costs.heap.gz)" "$(total bytes data)"

# ------------------------------------------------------------------ negative numbers
# jeprof ignores chains with a negative number, and does not scale up samples if the first line has a negative number.
printf '%s\n' 'heap profile:     10: 536871912 [    20: 536876008] @ heapprofile' '     2: 536870912 [     3: 536875008] @ 0x401000 0x402000' \
    '    -1:   524288 [     1:  1048576] @ 0x401010 0x402000' '    11:  -523288 [    18:  -1047576] @ 0x401020 0x402000' \
    '     0:        0 [    -1:     1000] @ 0x401030' '     1:       10 [     1:       10] @ 0x401040' '' MAPPED_LIBRARIES: \
    '00400000-00410000 r-xp 00000000 00:00 0 /bin/none' >negative-chain.heap
sed '1s/10:/-10:/; 1s/heapprofile/heap_v2\/524288/' negative-chain.heap >negative-head.heap
printf '%s\n' heap_v2/524288 '  t*: -3: 300 [0: 0]' '  t0: 1: 1 [-1: 0]' '@ 0x401000 0x402000' '  t*: 2: 2000 [3: 3000]' '  t0: -2: 2000 [3: 3000]' \
    '@ 0x401010 0x402000' '  t*: 1: -1000 [1: 1000]' '@ 0x401020 0x402000' '  t*: 1: 1000 [1: -1]' '' MAPPED_LIBRARIES: >negative-threads.heap
if need jeprof; then
    for kind in chain:3 head:3 threads:2; do
        heap=negative-${kind%:*}.heap
        for type in inuse_space:kept inuse_objects:kept-blocks alloc_space:bytes alloc_objects:allocs; do
            is "$heap: ${type#*:}, as jeprof has them" "$(total "${type#*:}" "$heap")" \
                "$(of_pprof jeprof /bin/true "$heap" "${type%%:*}")"
        done
        "$mprof" report "$heap" >report
        has "$heap: what is left out is said" report "^Imported .*; ${kind#*:} chains with negative numbers left out, as by jeprof"
    done
else
    skip "negative numbers" "$missing"
fi

# ------------------------------------------------------------------ what is not counted is not known
# alive BLOCKS BYTES: makes a file with nothing but live blocks.
alive()
{
    printf 'heap_v2/1\n  t*: %s: %s [0: 0]\n@ 0x1234\n  t*: %s: %s [0: 0]\n  t0: %s: %s [0: 0]\n\nMAPPED_LIBRARIES:\n' \
        "$1" "$2" "$1" "$2" "$1" "$2"
}
alive 3 300 >old.heap
alive 5 500 >new.heap
is "totals" "$("$mprof" totals old.heap | grep -v '\.' | tr '\n' ' ')" "kept 300 kept-blocks 3 contexts 1 depth 1 "
"$mprof" diff old.heap new.heap >difference
has "diff: of what is known" difference '^bytes alive +300 +500 +\+200'
hasnt "diff: nothing else" difference '^(bytes at the peak|temporary|bytes kept)'
profile mine.data "$programs/costs"
"$mprof" diff old.heap mine.data >difference
has "diff with what mprof recorded: what a file is" difference '^Before +old\.heap: program not known \(imported: heap profile of jemalloc; '
hasnt "... and nothing that it does not have" difference 'still running|machine|^Programs '
"$mprof" diff --json old.heap new.heap >difference
hasnt "diff, for programs" difference '"(peak|peak_bytes|temporary)"'
run "$mprof" check --max-peak=1G new.heap
is "check: no limit of the peak" "$status $(cat err)" "2 mprof: --max-peak=1G, of what another tool wrote: not known"
run "$mprof" check --max-bytes=1G new.heap
is "check: nor of what was allocated" "$status $(cat err)" "2 mprof: --max-bytes=1G, of what another tool wrote: not known"
run "$mprof" check -q --max-kept=499 new.heap
is "check: of what is kept" "$status $(sed -n '1s/,.*//p' out)" "1 OVER      --max-kept=499: 500 bytes are kept"
run "$mprof" check --baseline=old.heap new.heap
is "check: as before, of what is kept only" "$status $(grep -c . out) $(sed -n '1s/, .*//p' out)" \
    "1 2 OVER      --baseline=old.heap: kept: 500 bytes are kept"
refuses "merge: refused" 1 '^mprof: ' "$mprof" merge -o sum.data old.heap new.heap
"$mprof" totals --json new.heap >totals.json
has "JSON: null" totals.json '"peak":null'
has "JSON: what is missing" totals.json '"dropped":null'
"$mprof" export -F dhat new.heap >new.dhat
has "dhat: without lifetimes" new.dhat '"bklt":false'
hasnt "dhat: ... and without a peak" new.dhat '"(gb|eb|mb)":'
"$mprof" export -F massif new.heap >new.massif
hasnt "massif: no peak" new.massif '^heap_tree=peak'
"$mprof" findings new.heap >findings
has "findings: of what is known" findings 'of the figures that are known\.$'

# ------------------------------------------------------------------ damaged files
head -c $(($(wc -c <costs.heap) - 20)) costs.heap >cut.heap
refuses "cut" 1 '^mprof: cut\.heap: file ends too early$' "$mprof" report cut.heap
head -n 3 costs.heap >cut.heap
"$mprof" report cut.heap >report
has "cut at the end of a line: what is missing is said" report '^Imported .*; chains of [0-9,]+ bytes, .* were left out by it; it has no list'
sed 's/MAPPED_LIBRARIES/1: 2 [1: 2] @ 0x1z\n&/' old.heap >bad.heap
refuses "no address" 1 '^mprof: bad\.heap: heap profile: .*: damaged file, at byte [0-9]+$' "$mprof" report bad.heap
{ echo "heap profile: 1: 2 [1: 2] @ heapprofile" && echo " 2: 20 [1: 10] @ 0x1234" && echo "MAPPED_LIBRARIES:"; } >bad.heap
refuses "more in use than there was" 1 'more is in use than was allocated: damaged file, at byte 40$' "$mprof" report bad.heap
sed 's/20/99999999999999999999/' bad.heap >large.heap
refuses "a number that is too large" 1 'a number beyond all bounds: damaged file' "$mprof" report large.heap
sed 's/@ heapprofile/@ delayz/' bad.heap >delay.heap
sed 's/2: 20 \[1: 10/1: 10 [1: 10/; s/\[1: 2\]/[3: 30]/' bad.heap >short.heap
"$mprof" report short.heap >report
has "what gperftools had no room for" report '^Imported .*; chains of 20 bytes, 0 of them in use, were left out by it$'
refuses "of something else" 1 'not of blocks of memory, or sampled in a way that is not known' "$mprof" report delay.heap
sed 's/@ heapprofile/@ heap_v2\/0/' bad.heap >distance.heap
refuses "samples at no distance" 1 'samples at a distance that cannot be' "$mprof" report distance.heap
echo "heap profile: 1: 2" >bad.heap
refuses "half a line" 1 '^mprof: bad\.heap: heap profile: .*: damaged file, at byte 0$' "$mprof" report bad.heap
plan
# SPDX-License-Identifier: MIT
