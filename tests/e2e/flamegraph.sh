#!/bin/sh
# mprof flamegraph: boxes are in the right places, with known figures; pictures are well-formed whatever names
# contain, bounded whatever the program did, and complete or absent.
. "${srcdir:-.}/tests/e2e/lib.sh"

needs "flame graphs" python3

# draw FILE OPTION...: draws FILE, and writes its boxes to the file `boxes`.
draw()
{
    file=$1
    shift
    run "$mprof" flamegraph -o picture.svg "$@" "$file"
    grep '^<text' picture.svg >texts
    "$python" "$src/tests/e2e/flamegraph.py" picture.svg >boxes 2>problem || echo "wrong: $(tail -n 1 problem)" >boxes
}

profile data "$programs/costs"
is "runs" "$status" 0

# ------------------------------------------------------------------ inwards
draw data
is "bytes: status" "$status $(cat err)" "0 "
has "the root is the total" boxes '^0 100 484,988 bytes allocated \(100\.0 %\)$'
has "a caller" boxes '^1 100 main \| costs, costs\.c \| 484,288 bytes allocated \(99\.[89] %\)$'
has "a callee" boxes '^2 37 spend \| costs, costs\.c \| 180,000 bytes allocated \(37\.1 %\)$'
hasnt "a wrapper has no box" boxes '^[0-9]+ [0-9]+ get '
is "the widest is the first" "$(sed -n 's/^2 [0-9]* \([a-z]*\) .*/\1/p' boxes | head -n 4 | tr '\n' ' ')" \
    "spend phase churn gather "
draw data --no-skip
has "--no-skip: who allocates" boxes '^3 37 get \| costs, costs\.c \| 180,000 bytes allocated \(37\.1 %\)$'
for cost in allocs:gather kept:keep peak:phase temporary:churn; do
    draw data --cost="${cost%:*}"
    is "--cost=${cost%:*}: the widest" "$(sed -n 's/^2 [0-9]* \([a-z]*\) .*/\1/p' boxes | head -n 1)" "${cost#*:}"
done
has "what the figures are" texts '>costs: temporary allocations</text>'

# ---------------------------------------------------------------- in reverse
draw data --reverse
has "reverse: first who allocates" boxes '^1 37 spend \| costs, costs\.c \| 180,000 bytes allocated'
has "... then the caller" boxes '^2 37 main \| .* 180,000 bytes allocated'
draw data --reverse --no-skip
has "reverse: first the wrapper" boxes '^1 100 get \| costs, costs\.c \| 484,700 bytes allocated'
has "... then the caller" boxes '^2 37 spend \| .* 180,000 bytes allocated'
has "... and its caller" boxes '^3 37 main \|'

# ------------------------------------------------------------------- a part
draw data --function=churn
has "a part: the total" boxes '^0 100 80,000 bytes allocated'
has "a part: says so" texts 'Only what was allocated of --function=churn\.'
draw data --function='<nobody & "no one">'
is "a part that is nothing" "$status $(cat err)" \
    '1 mprof: --function=<nobody & "no one">: nothing of it was allocated'

# ----------------------------------------------------------------- every file
for file in "$src"/tests/data/*.data; do
    draw "$file"
    hasnt "$(basename "$file")" boxes '^wrong'
    draw "$file" --reverse --cost=kept --full-names
    hasnt "$(basename "$file"), in reverse" boxes '^wrong'
done

# ------------------------------------------------------------- hostile names
cat >hostile.c <<'END'
#include <stdlib.h>
void *kept;
void f(void) __asm__("</title><script>alert(1)</script>&amp;\"'\357\277\277\303\251");
__attribute__((noinline)) void f(void) { kept = malloc(1000); }
int main(void) { f(); return kept == NULL; }
END
if ${CC:-gcc} -O1 -o 'a&<b>"c.exe' hostile.c 2>cc.err; then
    profile hostile.data ./'a&<b>"c.exe'
    draw hostile.data
    has "hostile names stand for themselves" boxes "^2 100 </title><script>alert\\(1\\)</script>&amp;\"'.*é"
    hasnt "... and are nothing else" picture.svg '<script'
else
    skip "hostile names" "the assembler takes no such name"
fi

# --------------------------------------------------------------------- bounds
profile deep.data "$programs/deep" 2000
draw deep.data
hasnt "a deep recursion" boxes '^wrong'
has "... is drawn to its bound" boxes '^256 '
hasnt "... and no further" boxes '^257 '
has "... which is said" texts 'Only 256 functions of a chain are drawn; further in: '

# ---------------------------------------------------------------------- files
umask 027
run "$mprof" flamegraph -o new.svg data
is "a new file has the usual mode" "$status $(stat -c %a new.svg)" "0 640"
ln -s new.svg link.svg
echo old >new.svg
chmod 604 new.svg
run "$mprof" flamegraph -o link.svg data
is "through a link, into a file that has its mode" \
    "$status $(readlink link.svg) $(stat -c %a new.svg) $(head -c 5 new.svg)" "0 new.svg 604 <?xml"
run "$mprof" flamegraph -o "$tmp/none/new.svg" data
is "no such directory: one line" "$status $(cat err)" "1 mprof: $tmp/none/new.svg: No such file or directory"
mkfifo pipe
cat pipe >piped &
run "$mprof" flamegraph -o pipe data
wait
is "into a pipe, which stays one" "$status $(test -p pipe && cmp piped new.svg && echo same)" "0 same"
run "$mprof" flamegraph data
ok "to standard output" cmp out new.svg
is "nothing is left over" "$(find . -name '*.tmp-*')" ""
says "an unknown cost" "2 mprof: --cost=time: bytes, allocs, kept, peak or temporary; see mprof flamegraph --help" \
    "$mprof" flamegraph --cost=time data
if need script; then
    script -qec "$mprof flamegraph data" /dev/null </dev/null >said 2>&1
    has "not to a terminal" said '^mprof: the picture cannot be printed on a terminal; use -o FILE\.svg'
else
    skip "not to a terminal" "$missing"
fi

# ---------------------------------------------------------------------- the call graph
profile widgets.data "$top/examples/widgets"
returns "graph: what dot draws" 0 "$mprof" report --graph=dot widgets.data
# Prints boxes as NAME, and arrows as FROM TO BYTES.
"$python" -c '
import re, sys
text = sys.stdin.read()
names = dict(re.findall(r"^n(\d+) \[fontsize=[^ ]* label=\"(\w+)\\n", text, re.M))
for caller, callee, size in re.findall(r"^n(\d+) -> n(\d+) \[label=\" ([0-9,]+)\"", text, re.M):
    print(names[caller], names[callee], size.replace(",", ""))' <out >arrows
is "graph: arrows are calls, with the bytes of table 4" "$(sort arrows)" "$(
    printf '%s\n' "main make_blue_widget $(books inclusive make_blue_widget widgets.data | cut -d' ' -f2)" \
        "main make_red_widget $(books inclusive make_red_widget widgets.data | cut -d' ' -f2)" \
        "make_blue_widget make_widget $(books inclusive make_blue_widget widgets.data | cut -d' ' -f2)" \
        "make_red_widget make_widget $(books inclusive make_red_widget widgets.data | cut -d' ' -f2)" | sort)"
"$mprof" report --graph=dot --sort=kept --max=1 widgets.data >out
has "graph: another figure, and fewer functions" out 'bytes kept\\l.* functions left out\\l'
printf 'heap profile: 1: 5 [1: 5] @ heap/2\n1: 5 [1: 5] @ 0x10\n#\t0xf\ta"b\\N+0x1\t/x.go:1\n' >quotes.heap
prints "graph: names are escaped" 'label="a\\"b\\\\N\\n' "$mprof" report --graph=dot quotes.heap
mkdir no
run env PATH="$tmp/no" "$mprof" report --graph=svg widgets.data
is "graph: no Graphviz: that is said" "$status $(cat out err)" "1 mprof: --graph=svg: the program dot, which draws it, \
is not installed; it is part of Graphviz.  --graph=dot writes what it draws"
printf '#!/bin/sh\nexit 3\n' >no/dot
chmod +x no/dot
run env PATH="$tmp/no:$PATH" "$mprof" report --graph=svg widgets.data
is "graph: dot fails: that is said" "$status $(cat err)" "1 mprof: dot failed with status 3"
for option in --json --table=bins --lines --chain=3; do
    says "graph: not with $option" "2 mprof: --graph cannot be combined with options for tables and text; see mprof report --help" \
        "$mprof" report --graph=dot $option widgets.data
done
if need dot; then
    for file in widgets.data quotes.heap; do
        says "graph: $file, an SVG" "0 " "$mprof" report --graph=svg $file
        ok "graph: ... that is XML" "$python" -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])' out
    done
    has "graph: ... with the names" out 'a&quot;b'
else
    skip "graph" "$missing"
fi
plan
# SPDX-License-Identifier: MIT
