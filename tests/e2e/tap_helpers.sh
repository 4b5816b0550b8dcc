#!/bin/sh
# Each function of tap.sh and of the *lib.sh scripts that makes a test fails when it must, so no test passes whatever
# happens. A list of these functions is made from the scripts.
. "${srcdir:-.}/tests/e2e/lib.sh"

echo "a line" >file
: >empty
profile data "$programs/contexts" 50 0 1
mv out figures
mkdir bin
# A stand-in for valgrind that finds a lost block in every program, and one for the browser, which no test starts.
printf '%s\n' '#!/bin/sh' 'for class in definitely indirectly possibly; do' \
    'echo "==1==    $class lost: 16 bytes in 1 blocks" >&2; done' >bin/valgrind
cp bin/valgrind bin/chromium
chmod +x bin/*
PATH=$tmp/bin:$PATH

# holds TEXT COMMAND...: tests that COMMAND succeeds, without the functions that this script tests.
n=0
wrong=0
holds()
{
    what=$1
    shift
    n=$((n + 1))
    result=ok
    "$@" || result="not ok" wrong=$((wrong + 1))
    echo "$result $n - $what"
}

# fails LIBRARY FUNCTION COMMANDS...: each of COMMANDS calls FUNCTION of LIBRARY. Tests that each prints a failed test,
# or ends its script.
fails()
{
    script=$1
    echo "${1#*/} $2" >>"$tmp/tried"
    shift 2
    for commands; do
        printf '. "%s/tests/%s"\n' "$src" "${script%%+*}" >case
        [ "${script#*+}" = "$script" ] || printf '. "%s/tests/%s"\n' "$src" "${script#*+}" >>case
        printf 'cd "%s"\n%s\nplan\n' "$tmp" "$commands" >>case
        (cd "$top" && srcdir=$src sh "$tmp/case") >printed 2>errors
        ended=$?
        holds "${script##*/}: $commands" eval '[ $ended -ne 0 ] && grep -qE "^(not ok|Bail out!) " printed'
    done
}

fails e2e/tap.sh ok 'ok x false' 'ok x' 'ok' 'ok x ""' 'ok x test -s empty' 'ok x no-such-command'
fails e2e/tap.sh is 'is x a b' 'is x ""' 'is x' 'is' 'is x a a a'
fails e2e/tap.sh has 'has x file "^line"' 'has x absent a' 'has x file "("' 'has x file' 'has x empty ""' 'has x empty a' \
    'has x . a'
fails e2e/tap.sh hasnt 'hasnt x file "a line"' 'hasnt x absent b' 'hasnt x file "b("' 'hasnt x file "[b"' 'hasnt x file' \
    'hasnt x empty ""' 'hasnt x . b' 'hasnt x "" b'
fails e2e/tap.sh empty 'empty x file' 'empty x absent' 'empty x' 'empty x .'
fails e2e/tap.sh given 'given 1 x' 'given 2 x y ""'
fails e2e/tap.sh returns 'returns x 1 true' 'returns x 0 no-such-command' 'returns x 0' 'returns x'
fails e2e/tap.sh says 'says x "0 " false' 'says x "0 " sh -c "echo e >&2"' 'says x "0 "' 'says x "1 b" ls absent'
fails e2e/tap.sh prints 'prints x b echo a' 'prints x a false' 'prints x "(" echo a' 'prints x a' 'prints x "" echo a'
fails e2e/tap.sh complains 'complains x b echo b' 'complains x b sh -c "echo a >&2"' 'complains x "(" ls absent' 'complains x a'
fails e2e/tap.sh refuses 'refuses x 1 b sh -c "echo mprof: b >&2"' 'refuses x 1 b sh -c "echo a; echo mprof: b >&2; exit 1"' \
    'refuses x 1 b sh -c "echo b >&2; exit 1"' 'refuses x 1 b sh -c "echo mprof: a >&2; exit 1"' 'refuses x 1 b false' \
    'refuses x 1 b sh -c "echo mprof: b >&2; echo mprof: b >&2; exit 1"' 'refuses x 1 "(" sh -c "echo mprof: b >&2; exit 1"' \
    'refuses x 1 b'
fails e2e/tap.sh refused 'mprof=$top/mprof; refused 0 . totals absent' 'refused 1 b' \
    'mprof=$top/mprof; refused 2 nothing-of-that totals absent'
fails e2e/tap.sh skip 'skip x' 'skip x ""'
fails e2e/tap.sh skip_all 'skip_all x ""' 'fail x; skip_all x y'
fails e2e/tap.sh until_true 'ok x until_true 0 false' 'ok x until_true 0 no-such-command'
fails e2e/tap.sh fail 'fail x'
fails e2e/tap.sh plan 'ok x false; plan && pass x' 'plan || fail x'

fails e2e/lib.sh at_least 'at_least x 1 2' 'at_least x "" 0' 'at_least x no-a 0' 'at_least x 0' 'at_least x 1 ""'
fails e2e/lib.sh at_most 'at_most x 2 1' 'at_most x "" 0' 'at_most x no-a 0' 'at_most x 0' 'at_most x 1 ""'
fails e2e/lib.sh within 'within x 1 2 3' 'within x 4 2 3' 'within x "" 0 1' 'within x 0 0' 'within x a 0 1' 'within x 1 1 ""'
fails e2e/lib.sh need 'ok x need true no-such-command'
fails e2e/lib.sh needs 'fail x; needs x no-such-command'
fails e2e/lib.sh same 'same x sh -c "echo \$LD_PRELOAD"' 'same x sh -c "echo \$LD_PRELOAD >&2"' \
    'same x sh -c "exit \${LD_PRELOAD:+1}"' 'same x no-such-command'
fails e2e/lib.sh total 'is x "$(total allocs absent)" "$(expected allocs absent)"' 'is x "$(total a data)" "$(expected a file)"' \
    'is x "$(total allocs absent)" 0'
fails e2e/lib.sh books 'is x "$(books self f absent)" "0 0 0 0 0 0 0"'
fails e2e/lib.sh rules 'is x "$(rules absent)" ""'
fails e2e/lib.sh observed 'until_true() { return 1; }; mprof=true; observed x'

fails e2e/control_lib.sh order 'until_true() { return 1; }; answered=0; order x 8>/dev/null'
fails e2e/events_lib.sh exact 'cp figures out; exact x main data' 'cp figures out; exact x at_end absent' \
    'rm out; exact x at_end data'
fails e2e/events_lib.sh between 'between x at_end data' 'between x at_end absent' \
    'programs=.; echo "echo allocs-begun 9; echo frees-begun 9" >books_read; chmod +x books_read; between x at_end data' \
    'programs=.; sum() { :; }; between x at_end data'
fails e2e/events_lib.sh whole 'whole x' 'whole x absent' 'whole x data absent' 'mprof=false; whole x data'
fails e2e/chains_lib.sh chains 'chains x 1 1 false' 'chains x 1 1 true' 'chains x 0 0 no-such-command; fail x'
fails e2e/oracle_lib.sh bare 'bare x no-such-command' 'bare x sh -c "echo >>n; wc -l <n"' \
    'bare x sh -c "echo >>n; wc -l <n >&2"' 'bare x sh -c "echo >>n; exit \$(wc -l <n)"'
fails e2e/oracle_lib.sh compare 'compare x 1 true' 'compare x 0 no-such-command; fail x'
fails e2e/oracle_lib.sh compare_script 'compare_script x 1 1 2 true' 'compare_script x 0 1 2 no-such-command; fail x'
fails e2e/leaks_lib.sh both 'valgrind() { :; }; both true' 'both no-such-command; fail x'
fails e2e/leaks_lib.sh same 'same true'
fails e2e/leaks_lib.sh same_but_possible 'same_but_possible true'
fails e2e/leaks_lib.sh near 'near true'
fails e2e/log_lib.sh logged 'logged x logged.data false' 'logged x logged.data no-such-command; fail x'
fails e2e/same_lib.sh same 'same x sh -c "echo \$\$"' 'same x sh -c "echo \$\$ >&2"' \
    'same x sh -c "echo >>../n; exit \$(wc -l <../n)"' \
    'same x no-such-command'
fails e2e/same_lib.sh whole 'same -n 9 x sh -c :' 'least=1; name=x; whole'
fails e2e/same_lib.sh repeated 'same -r x sh -c "echo >>../n; [ \$(wc -l <../n) -lt 3 ] || exec ls"'
fails e2e/same_lib.sh not_started 'not_started x true' 'not_started x'
fails e2e/same_lib.sh optional 'ok x optional no-such-command'
fails e2e/lib.sh+html/html_lib.sh record 'record x false' 'record x no-such-command'
fails e2e/lib.sh+html/html_lib.sh page 'page absent'
if grep -q '^#define MP_HAVE_ECL 1' "$top/config.h"; then
    fails e2e/ecl_lib.sh exact_heap 'exact_heap x data'
    fails e2e/ecl_lib.sh checked 'checked x 1'
    fails e2e/lisp_lib.sh made_checks 'status=0; echo "not ok 1 - a" >out; : >err; made_checks x'
    fails e2e/lisp_lib.sh test_files 'ecl=false; test_files x'
    fails e2e/lisp_lib.sh test_system 'test_system x'
    fails e2e/replay_lib.sh json 'json absent'
    fails e2e/replay_lib.sh real 'real absent absent --largest'
    fails e2e/replay_lib.sh policy 'ecl=false; mprof=false; policy absent'
    fails e2e/ecl_lib.sh objects 'is x "$(objects CONS F absent)" 0'
    fails e2e/ecl_lib.sh lisp_sum 'is x "$(lisp_sum 1 F absent)" 0'
else
    printf '%s\n' 'ecl_lib.sh exact_heap' 'ecl_lib.sh checked' 'lisp_lib.sh made_checks' \
        'lisp_lib.sh test_files' 'lisp_lib.sh test_system' 'replay_lib.sh json' 'replay_lib.sh real' 'replay_lib.sh policy' >>tried
fi

# Prints "LIBRARY FUNCTION" for each function that calls fail, or a function that does.
awk '
    FNR == 1 { library = FILENAME; sub(/.*\//, "", library) }
    /^[a-z_]+\(\)$/ { name = library " " substr($1, 1, length($1) - 2); next }
    /^}/ { name = "" }
    name && !/^ *#/ { body[name] = body[name] "\n" $0 }
    END {
        tests = "fail"
        do {
            more = 0
            for (name in body) {
                split(name, part, " ")
                if (!(name in makes) && part[2] != "given" && body[name] ~ "(^|\n|[;&|!] ?|then |else )[ \t]*(" tests ")( |\n|$)") {
                    makes[name]
                    more = 1
                    if (index("|" tests "|", "|" part[2] "|") == 0)
                        tests = tests "|" part[2]
                }
            }
        } while (more)
        for (name in makes)
            print name
    }' "$src"/tests/e2e/tap.sh "$src"/tests/e2e/*_lib.sh "$src/tests/e2e/lib.sh" "$src"/tests/html/*_lib.sh |
    LC_ALL=C sort >makers
holds "the functions are found" grep -qx 'lib.sh within' makers
holds "... also those that use others" grep -qx 'leaks_lib.sh near' makers
sed 's/.*html_lib/html_lib/' tried | LC_ALL=C sort -u >known
LC_ALL=C comm -23 makers known >untested
sed 's/^/# not tested: /' untested
holds "each function that makes a test is tested here" test ! -s untested
echo "1..$n"
[ $wrong -eq 0 ]
# SPDX-License-Identifier: MIT
