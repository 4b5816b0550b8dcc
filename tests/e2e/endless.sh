#!/bin/sh
# Files that options name and that never end, and expressions that grow without bound: clear errors, little memory.
. "${srcdir:-.}/tests/e2e/lib.sh"

"$mprof" run -q -o a.data "$programs/killme" 100 exit >/dev/null

# refused NAME STATUS PATTERN COMMAND...: with little memory, a line says why.
refused()
{
    name=$1 expected=$2 pattern=$3
    shift 3
    (
        # shellcheck disable=SC3045
        ulimit -v 1000000
        exec timeout 120 "$@"
    ) >out 2>err </dev/null
    is "$name: status and lines" "$? $(wc -l <err)" "$expected 1"
    has "... why" err "$pattern"
}

yes fun:x | head -c 7000 >large
no='/dev/zero: not a text file(; see mprof .*)?$'
refused "suppressions" 2 "^mprof: $no" "$mprof" check --no-leaks --suppressions=/dev/zero a.data
refused "suppressions of leaks" 2 "^mprof: .*$no" "$mprof" leaks --suppressions=/dev/zero a.data
refused "limits" 2 "^mprof: $no" "$mprof" check --limits=/dev/zero a.data
refused "a list of files" 1 "^mprof: $no" "$mprof" merge -o merged.data @/dev/zero
printf 'leak:x\n' | cat - large >suppressions
refused "large suppressions" 2 '^mprof: suppressions:2: ' "$mprof" check --no-leaks --suppressions=suppressions a.data
yes | tr -d '\n' | head -c 70000000 >line
refused "a large line" 2 '^mprof: line: larger than 64 MiB' "$mprof" check --no-leaks --suppressions=line a.data
if grep -q '^#define HAVE_LIBCURL 1' "$top/config.h"; then
    refused "headers" 2 "^mprof: --header=@$no" "$mprof" push --header=@/dev/zero http://localhost a.data
fi

nested='((((a{200}){200}){200}){200})'
for option in function root module file thread skip; do
    refused "--$option" 2 "^mprof: --$option=.*: too large: " "$mprof" report "--$option=$nested" a.data
done
refused "a back-reference" 2 'back-references' "$mprof" report '--function=(a*)*b\1' a.data
refused "of a limit" 2 'too large' "$mprof" check "--limit-function=$nested:kept=0" a.data
plan
