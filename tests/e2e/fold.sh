#!/bin/sh
# --fold-recursion: fewer contexts; the tables have the same figures for each function and each pair of caller and
# callee.
. "${srcdir:-.}/tests/e2e/lib.sh"

# tables FILE: prints the tables without the number of recursive calls, which depends on the whole chains, and without
# the head, which follows them.
tables()
{
    "$mprof" report -v --noleaktable "$1" |
        sed -e '1,/^TABLE 1/d; /^MPROF: /,$d' -e 's,\([0-9]\)/[0-9]* *,\1 ,' -e '/^---/d' | tr -s ' '
}

# folded NAME MOST PROGRAM...: tests that there are at most MOST contexts with folding, and more without.
folded()
{
    name=$1
    most=$2
    shift 2
    "$mprof" run -q -o whole.data -- "$@" >"$tmp/whole" 2>&1 </dev/null
    "$mprof" run -q --fold-recursion -o folded.data -- "$@" >"$tmp/printed" 2>&1 </dev/null
    is "$name: status" "$?" 0
    is "$name: prints the same" "$(cat printed)" "$(cat whole)"
    for figure in allocs bytes frees freed kept temporary threads cut dropped; do
        is "$name: $figure" "$(total $figure folded.data)" "$(total $figure whole.data)"
    done
    is "$name: folded" "$(total folded folded.data), before $(total folded whole.data)" "1, before 0"
    at_most "$name: contexts" "$(total contexts folded.data)" "$most"
    at_least "$name: more before" "$(total contexts whole.data)" $((most + 1))
    tables whole.data >whole.text
    tables folded.data >folded.text
    ok "$name: the tables are the same" diff whole.text folded.text
}

folded trees 100 "$programs/trees" 12 2
"$mprof" report folded.data >text
has "trees: the head says it" text '^Recursion  *folded while recording$'
for name in build even odd get; do
    is "trees: made by $name" "$(books inclusive $name folded.data)" \
        "$(books inclusive $name whole.data)"
done
is "trees: who calls build" "$("$mprof" export -F chains folded.data | sed -n 's/.* //; /;build$/p' | sort -u)" \
    "main;build
main;build;build"
is "trees: who calls get" "$("$mprof" export -F chains folded.data | sed -n 's/.* //; /;get$/p' | sort -u)" \
    "main;even;get
main;even;odd;even;get
main;even;odd;even;odd;get
main;even;odd;get"

"$mprof" run -q -o few.data "$programs/trees" 8 1 >out
"$mprof" findings few.data >text
hasnt "trees: few chains need no remark" text 'Recursion made'

folded "deep, of four functions" 5000 "$programs/deep" 5000
folded cycles 40 "$programs/cycles"
folded "in a thread, 3,000 frames" 60 "$programs/abyss" 3000 10
if need lua5.4; then
    cat >tree.lua <<'EOF'
local function tree(n)
    local node, ok = { n }
    if n > 0 then
        ok, node[1] = pcall(tree, n - 1)
        string.gsub("x", "x", function() node[2] = tree(n - 1) end)
    end
    return node
end
local function size(t) return type(t) == "table" and 1 + size(t[1]) + size(t[2]) or 0 end
print(size(tree(10)))
EOF
    folded "lua, recursive through C" 6000 lua5.4 tree.lua
else
    skip "lua, recursive through C" "$missing"
fi

# The report of whole chains predicts what folding saves.
"$mprof" run -o whole.data "$programs/trees" 16 1 >out 2>summary
"$mprof" run -q --fold-recursion -o folded.data "$programs/trees" 16 1 >out
"$mprof" findings whole.data >text
saved="$(($(total contexts whole.data) - $(total contexts folded.data))) $(total contexts whole.data)"
for file in summary text; do
    tr -s ' \n' ' ' <$file >line
    is "the $file's sentence is right" "$(sed -n 's/.*Recursion made \([0-9,]*\) of the \([0-9,]*\) contexts: mprof run --fold-recursion leaves .*/\1 \2/p' line | tr -d ,)" "$saved"
done
"$mprof" findings folded.data >text
hasnt "nothing is saved twice" text 'Recursion made'
"$mprof" findings --function=get whole.data >text
hasnt "nor by a part" text 'Recursion made'

# With the other unwinders, --fold-recursion makes few contexts and the same figures, too.
"$mprof" run -q -o whole.data "$programs/trees" 12 2 >out
for unwinder in libunwind fp; do
    "$mprof" run -q --fold-recursion --unwinder=$unwinder -o other.data "$programs/trees" 12 2 >out
    at_most "$unwinder: contexts" "$(total contexts other.data)" 100
    is "$unwinder: made by build" "$(books self build other.data)" "$(books self build whole.data)"
done
plan
# SPDX-License-Identifier: MIT
