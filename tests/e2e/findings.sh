#!/bin/sh
# mprof findings: each rule reports something for a program that has the fault and nothing for one without it; the
# manual contains the rules; printed commands work; where the report contains findings and where not.
. "${srcdir:-.}/tests/e2e/lib.sh"

program=$programs/findings

# record NAME: records the program with that fault, with a time line.
record()
{
    run "$mprof" run -q -o "$1.data" "$program" "$1"
    [ "$status" -eq 0 ] || fail "run $1: status $status"
}

# ----------------------------------------------------------------- the rules
for case in 'leak kept make_record' 'no-leak' 'keep-once' 'churn churn churn' 'no-churn' 'tiny tiny tiny' 'no-tiny' \
    'across across make_all' 'no-across' 'steps steps add_room' 'no-steps' 'rounds churn make_word'; do
    name=${case%% *}
    expected=${case#"$name"}
    record "$name"
    is "$name" "$(rules "$name.data")" "${expected# }"
done
"$mprof" findings leak.data >out
has "kept: the sentence" out ' 1\. Never freed\. make_record allocated 5,000 blocks, of 200 bytes, and freed none: 1\.0 MB in 5,000 blocks are kept'
has "kept: the chain" out '^    main \(findings\.c:[0-9]+\) > leak \(findings\.c:[0-9]+\) > make_record \(findings\.c:[0-9]+\)$'
hasnt "all was seen: no caveat" out 'incomplete'
if need gcc; then
    cat >unseen.c <<'END'
#include <stdlib.h>
extern void *__libc_malloc(size_t size);        /* mprof does not see its calls */
int main(void)
{
    for (int i = 0; i < 3000; i++)
        if (!malloc(200) || i % 1000 != 0)
            continue;
        else
            free(__libc_malloc(100));
    return 0;
}
END
    gcc -o unseen unseen.c
    run "$mprof" run -q -o unseen.data ./unseen
    "$mprof" report unseen.data >out
    has "unknown frees are in the head" out '^Unknown frees  *3 '
    "$mprof" findings unseen.data >out
    has "unknown frees: figures may be incomplete" out '^Figures may be incomplete, because 3 freed blocks were never seen\.$'
    is "unknown frees: as JSON" "$("$mprof" findings --json unseen.data | jq -r .tables.findings.note)" \
        "Figures may be incomplete, because 3 freed blocks were never seen."
else
    skip "unknown frees" "$missing"
fi
for case in 'leak lost make_record' 'no-leak' 'leak-half lost make_record'; do
    name=${case%% *}
    expected=${case#"$name"}
    run "$mprof" run -q --leaks -o "scanned-$name.data" "$program" "$name"
    is "$name, with a search for leaks" "$(rules "scanned-$name.data")" "${expected# }"
done
"$mprof" findings scanned-leak-half.data >out
has "lost: how much of how much" out '^ 1\. Lost\. make_record \(findings\.c:[0-9]+\), called by leak_half \(findings\.c:[0-9]+\), allocated 4,99[0-9] blocks, 99[0-9]\.[0-9] kB in all, that nothing .* It allocated 10,000, of 64 to 200 bytes, and freed 5,000\.$'
shows_lost=$(sed -n 's/^ *\(mprof leaks .*\)/\1/p' out)
is "lost: the command shows more" "$(eval "'$mprof' ${shows_lost#mprof }" | grep -c 'make_record')" 1
record leak-half
"$mprof" findings leak-half.data >out
has "kept: sizes are those of all blocks that were allocated" out ' make_record allocated 10,000 blocks, of 64 to 200 bytes, and freed 5,000: '
"$mprof" findings tiny.data >out
has "tiny: what malloc takes" out 'malloc of glibc takes 6\.4 MB for these 1\.6 MB, reckoned by its rule for such sizes: 75 % are overhead'
"$mprof" findings across.data >out
has "across: how many" out 'make_all allocated 180,000 blocks, of which at least 180,000 were freed by other threads'
"$mprof" findings steps.data >out
has "steps: how many, and how small" out 'realloc, called by add_room \(findings\.c:[0-9]+\), called by add_line \(findings\.c:[0-9]+\), 119,940 times made a block larger that it had allocated before: from 50,000 bytes to 50,050, on average\.'
"$mprof" run -q --sample=4096 -o sampled.data "$program" steps
is "steps: of a sampled recording they are unknown" "$(rules sampled.data)" "peak add_room"
"$mprof" findings no-leak.data >out
has "a program without a fault: it is said" out '^None'

for name in grow drip no-grow phase no-phase; do
    record "$name"
done
"$mprof" findings rounds.data >out
has "churn: how many" out 'make_word \(findings\.c:[0-9]+\), called by in_rounds \(findings\.c:[0-9]+\), allocated 300,000 blocks, of 64 to 96 bytes, 100 % of all allocations; 100 of them lived at the peak\.'
is "grow" "$(rules grow.data)" "grows make_record"
is "drip" "$(rules drip.data)" "grows make_record"
is "no-grow" "$(rules no-grow.data)" "again make_record"
for name in grow drip no-grow phase no-phase; do
    profile "alone-$name.data" "$program" "$name"
    is "$name, of a recording that nobody observed" "$(rules "alone-$name.data")" "$(rules "$name.data")"
done
is "phase" "$(rules phase.data)" "phase copy_all"
is "no-phase" "$(rules no-phase.data)" "peak copy_all"

# ---------------------------------------------------------------- its options
shows_more()
{
    eval "'$mprof' report $command" >report && grep -q '^Only what was allocated of --function' report
}

for name in leak churn tiny across steps rounds grow phase; do
    command=$("$mprof" findings "$name.data" | sed -n 's/^    mprof report //p')
    ok "$name: the command works" shows_more
done
is "of a part" "$(rules leak.data --function='^leak$')" "kept make_record"
returns "of a part that is not there: status" 1 "$mprof" findings --function='^nowhere$' leak.data
has "it is said" err '^mprof: '
returns "no file: status" 1 "$mprof" findings nowhere.data
has "no file: one line" err '^mprof: .*nowhere\.data'
returns "two files: status" 2 "$mprof" findings leak.data tiny.data

# ----------------------------------------------------------------- the report
"$mprof" report leak.data >out
has "in a report" out '^FINDINGS'
"$mprof" report --table=findings leak.data >out
has "but where they are wanted" out ' 1\. Never freed'
"$mprof" leak.data >out
hasnt "not in the form of 1988" out '^FINDINGS'
if need script; then
    on_terminal()
    {
        TERM=vt100 script -qec "$*" /dev/null </dev/null 2>&1 | tr -d '\r' >out
    }
    on_terminal "$mprof" report --no-pager --color=never leak.data
    is "the first section on a terminal" "$(grep -E '^[A-Z 0-9]+(:.*)?$' out | sed -n 1p)" "FINDINGS"
    on_terminal "$mprof" report --no-pager --color=never --no-findings leak.data
    hasnt "--no-findings" out '^FINDINGS'
    on_terminal "$mprof" report --no-pager --color=never --at=peak leak.data
    hasnt "not of a moment" out '^FINDINGS'
    on_terminal "$mprof" --no-pager --color=never leak.data
    hasnt "not in the form of 1988 on a terminal" out '^FINDINGS'
else
    skip "a terminal" "$missing"
fi

# ----------------------------------------------------------------- the manual
# one_a_line: prints the rules one a line, with single blanks between words.
one_a_line()
{
    tr -s '\n ' '  ' | sed 's/ \([a-z-]*: [A-Z]\)/\n\1/g; s/^ //; s/ $//'
}

"$mprof" findings --rules | one_a_line >ours
sed -n '/^\.Sh RULES/,/^\.Sh /p' "$src/man/mprof-findings.1" |
    sed '1,/^\.Bl/d; /^\.El/,$d; s/^\.It Cm \(.*\)$/\1:/; s/\\&//g' | one_a_line >theirs
at_least "there are rules" "$(wc -l <ours)" 10
ok "mprof-findings(1) has the rules, with their figures" diff theirs ours
plan
# SPDX-License-Identifier: MIT
