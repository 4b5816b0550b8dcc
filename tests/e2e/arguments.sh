#!/bin/sh
# Arguments of programs may be secret; mprof run, merge and export omit them with --no-arguments.
. "${srcdir:-.}/tests/e2e/lib.sh"

secret=hunter2secret

# reveals FILE: prints YES if FILE contains the secret, also compressed or in base64, otherwise NO.
reveals()
{
    "$python" - "$1" "$secret" <<'END'
import base64
import gzip
import re
import sys

data = open(sys.argv[1], "rb").read()
if data[:2] == b"\x1f\x8b":
    data = gzip.decompress(data)
for text in re.findall(rb"(?:[A-Za-z0-9+/]{4}){16,}", data):
    data += base64.b64decode(text)
print("YES" if sys.argv[2].encode() in data else "NO")
END
}

# shown YES|NO NAME FILE: tests whether FILE reveals the secret.
shown()
{
    is "$2: $([ "$1" = YES ] || echo 'no ')arguments" "$(reveals "$3")" "$1"
}

# outputs YES|NO NAME DATA OPTION...: tests all exports of DATA, made with OPTION; without OPTION, also the output of
# all other commands.
outputs()
{
    expected=$1 name=$2 data=$3
    shift 3
    for format in $("$mprof" export --formats | awk '{ print $1 }'); do
        case $format in
        speedscope | csv | ndjson | collapsed | chains | ids | lifetimes) continue ;;     # these contain no command line
        sqlite) grep -q '^#define MP_HAVE_SQLITE 1' "$top/config.h" || continue ;;
        esac
        rm -f out
        returns "$name: $format: status" 0 "$mprof" export "$@" -F "$format" -o out.export "$data"
        shown "$expected" "$name: $format" out.export
        rm out.export
    done
    [ $# -eq 0 ] || return
    "$mprof" report "$data" >out.text
    shown "$expected" "$name: report" out.text
    "$mprof" report --json "$data" >out.json
    shown "$expected" "$name: report --json" out.json
    "$mprof" html "$data" -o out.html
    shown "$expected" "$name: html" out.html
    "$mprof" diff "$data" "$data" >out.diff
    shown "$expected" "$name: diff" out.diff
}

run "$mprof" run -o with.data "$programs/killme" 10 exit "$secret"
outputs YES with with.data
outputs NO "export --no-arguments" with.data --no-arguments
"$mprof" export --no-arguments -F callgrind with.data >out
has "... the program's path instead" out "^cmd: .*/killme\$"
returns "... csv" 0 "$mprof" export --no-arguments -F csv -o out.export with.data
shown NO "... csv" out.export

returns "merge --no-arguments: status" 0 "$mprof" merge --no-arguments -o merged.data with.data
outputs NO "merge --no-arguments" merged.data
is "... the same figures" "$("$mprof" totals merged.data | grep -E '^(allocs|bytes|kept) ')" \
    "$("$mprof" totals with.data | grep -E '^(allocs|bytes|kept) ')"
run "$mprof" run -q -o other.data "$programs/killme" 10 exit "$secret"
"$mprof" merge -o both.data with.data other.data 2>/dev/null
"$mprof" report --json both.data >out
shown YES "merged of two" out
returns "a merged file is merged again" 0 "$mprof" merge --no-arguments -o clean.data both.data
"$mprof" report --json clean.data >out
shown NO "... without arguments" out

run "$mprof" run --no-arguments -o without.data "$programs/killme" 10 exit "$secret"
outputs NO "run --no-arguments" without.data
"$mprof" report without.data >out
has "... the program is named" out '^Program .*/killme$'
hasnt "... and no command" out '^Command '

# The option also applies to started and forked processes, and the environment variable has the same effect.
run "$mprof" run -f --no-arguments -o tree.data sh -c "'$programs/killme' 10 exit $secret; '$programs/killme' 20 exit $secret"
has "the summary names the programs" err 'killme\[[0-9]*\] .* allocations'
hasnt "... without arguments" err "$secret"
is "there is their file" "$(echo tree.data.*)" tree.data.children
for file in tree.data tree.data.*; do
    "$mprof" report --json "$file" >out
    shown NO "started programs" out
done
run env MPROF_ARGUMENTS=0 "$mprof" run -q -o env.data "$programs/killme" 10 exit "$secret"
"$mprof" report --json env.data >out
shown NO "MPROF_ARGUMENTS=0 mprof run" out

# Live files, whose bytes are searched as they are.
profile live.data "$programs/killme" 10 exit "$secret"
shown YES "LD_PRELOAD" live.data
MPROF_ARGUMENTS=0 profile live2.data "$programs/killme" 10 exit "$secret"
is "MPROF_ARGUMENTS=0: status" "$status" 7
shown NO "MPROF_ARGUMENTS=0" live2.data
is "... the rest is recorded" "$(total allocs live2.data)" "$(total allocs live.data)"
plan
# SPDX-License-Identifier: MIT
