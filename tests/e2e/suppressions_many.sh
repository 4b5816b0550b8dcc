#!/bin/sh
# mprof check with 1,000 suppressions of several kinds needs at most two and a half times the instructions that it needs
# without any.
# Twice the depth of recursive chains takes at most about twice the instructions.
. "${srcdir:-.}/tests/e2e/lib.sh"

needs "instructions of mprof check" valgrind

# instructions ARGUMENT...: prints how many instructions `mprof check ARGUMENT...` takes.
instructions()
{
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "$mprof" check --no-leaks "$@" 2>&1 >/dev/null |
        sed -n 's/.*Collected : \([0-9]*\)$/\1/p'
}

# thousand KIND: prints 1,000 different suppressions. The chains of the program go from main through six of eight functions,
# zero to seven, with on_chain between them, to at_end.
thousand()
{
    awk -v kind="$1" '
        function rule(frames)
        {
            gsub(/ /, "\n", frames)
            print "{\nrule\nMemcheck:Leak\n" frames "\n}"
        }
        function digit(i) { return name[int(i) % 8] }
        BEGIN {
            split("one two three four five six seven", name)
            name[0] = "zero"
            for (i = 0; i < 1000; i++) {
                stars = sprintf("%" int(i / 8) "s", "")
                gsub(/ /, "*", stars)
                path = ""
                for (j = 1; j <= 512; j *= 8)
                    path = path " fun:on_chain fun:" digit(i / j)
                rests = path
                gsub(/ fun:on_chain/, " ...", rests)
                if (kind == "absent")
                    rule("fun:function_" i " fun:main")
                else if (kind == "inside")
                    rule("fun:*x" i "*")
                else if (kind == "object")
                    rule("obj:*/lib" i ".so* ... fun:main")
                else if (kind == "line")
                    rule("src:contexts.c:" i + 1000)
                else if (kind == "chain")
                    rule("fun:malloc fun:at_end" path " fun:on_chain fun:on_chain")
                else if (kind == "wildcards")
                    rule("fun:at_*" path " fun:*" stars "e" digit(i) "*" " fun:*_chain")
                else if (kind == "rests")
                    rule("fun:at_end" rests " ... fun:" digit(i / 7) " ... fun:" digit(i / 5) " fun:main")
                else if (kind == "everything")
                    print "leak:at_*" stars "e" stars digit(i)
                else if (kind == "leak")
                    print "leak:" (i % 2 ? "^" : "") digit(i) i (i % 3 ? "$" : "")
            }
        }'
}

# Results of reading debug information are in the cache, so that they do not count.
unset MPROF_CACHE
XDG_CACHE_HOME=$tmp/cache
export XDG_CACHE_HOME
profile data "$programs/contexts" 4096 6 1
returns "a first run" 1 "$mprof" check --no-leaks data
without=$(instructions data)
for kind in absent inside object line chain wildcards rests everything leak; do
    thousand $kind >$kind
    with=$(instructions --suppressions=$kind data)
    at_most "1,000 suppressions, $kind: instructions" "$with" $((5 * without / 2))
    echo "# $with"
done
echo "# $without instructions without suppressions"
sed 's/^fun:on_chain$/.../' chain >some
run "$mprof" check --no-leaks --suppressions=some data
has "suppressions are found among many" out '^suppressed: '

# deep chains
for depth in 3000 6000; do
    profile data.$depth "$programs/contexts" 8 $depth 1
    printf '{\nrule\nMemcheck:Leak\nfun:at_end\n...\nfun:zero\n...\nfun:one\n...\nfun:z*\n...\nfun:main\n}\n' >deep
    instructions --suppressions=deep data.$depth >deep.$depth
done
at_most "twice the depth: instructions" "$(cat deep.6000)" $((5 * $(cat deep.3000) / 2))
plan
# SPDX-License-Identifier: MIT
