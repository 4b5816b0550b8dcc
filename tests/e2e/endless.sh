#!/bin/sh
# Endless files as arguments of options, and expressions that grow without bound, lead to clear errors and need little
# memory.
. "${srcdir:-.}/tests/e2e/lib.sh"

"$mprof" run -q -o a.data "$programs/killme" 100 exit >/dev/null

# limited COMMAND...: runs COMMAND with little memory.
limited()
{
    (
        # shellcheck disable=SC3045
        ulimit -v 1000000
        exec timeout 120 "$@"
    )
}

yes fun:x | head -c 7000 >large
no='/dev/zero: not a text file(; see mprof .*)?$'
refuses "suppressions" 2 "^mprof: $no" limited "$mprof" check --no-leaks --suppressions=/dev/zero a.data
refuses "suppressions of leaks" 2 "^mprof: .*$no" limited "$mprof" leaks --suppressions=/dev/zero a.data
refuses "limits" 2 "^mprof: $no" limited "$mprof" check --limits=/dev/zero a.data
refuses "a list of files" 1 "^mprof: $no" limited "$mprof" merge -o merged.data @/dev/zero
printf 'leak:x\n' | cat - large >suppressions
refuses "large suppressions" 2 '^mprof: suppressions:2: ' limited "$mprof" check --no-leaks --suppressions=suppressions a.data
yes | tr -d '\n' | head -c 70000000 >line
refuses "a large line" 2 '^mprof: line: larger than 64 MiB' limited "$mprof" check --no-leaks --suppressions=line a.data

nested='((((a{200}){200}){200}){200})'
for option in function root module file thread skip; do
    refuses "--$option" 2 "^mprof: --$option=.*: too large: " limited "$mprof" report "--$option=$nested" a.data
done
refuses "a back-reference" 2 'back-references' limited "$mprof" report '--function=(a*)*b\1' a.data
refuses "of a limit" 2 'too large' limited "$mprof" check "--limit-function=$nested:kept=0" a.data
plan
# SPDX-License-Identifier: MIT
