#!/bin/sh
# mprof check with files of limits and suppressions, the files of results that it writes, and what it refuses.
. "${srcdir:-.}/tests/e2e/lib.sh"

profile data "$programs/costs"
profile other.data "$programs/api" second.data

# ------------------------------------------------------------------- limits
cat >limits.toml <<'END'
# of all
max-peak = "1M"             # one MiB
no-leaks = false

[costs]
max-temporary = 5000
limit-function = ["^keep$:kept=10000", "gather:kept=0"]

["ap?"]
max-kept = 100K
END
returns "each program has its limits" 1 "$mprof" check --limits=limits.toml data other.data
is "those of costs" "$(sed -n '1,/^$/p' out | grep -cE '^(OVER|within)')" 4
is "those of api" "$(sed '1,/^$/d' out | grep -cE '^(OVER|within)')" 2
has "whose they are" out '^costs \(data\)$'
has "one is over" out '^OVER      --max-temporary=5000: '
run "$mprof" check --limits=limits.toml --max-bytes=1 other.data
is "with those of the command line" "$status $(grep -cE '^(OVER|within)' out)" "1 3"

# refuse TEXT MESSAGE: tests that a file of limits with the content TEXT is refused with MESSAGE.
refuse()
{
    printf '%s\n' "$1" >bad.toml
    says "refused: $1" "2 mprof: bad.toml$2" "$mprof" check --limits=bad.toml data
}

refuse 'max-kept 4K' ":1: a = is missing"
refuse 'max-kept = "4K' ":1: a quote is missing"
refuse 'function = [f:kept=0]' ":1: a value in quotes is wanted"
refuse '[costs' ":1: a section is a program's name in brackets"
refuse 'max-kept = 4K
max-kept = x' ": --max-kept=x: not a number of bytes (K, M, G: units of 1024); see mprof check --help"
refuse 'help = true' ": unrecognized option '--help'; see mprof check --help"
refuse 'max-age = 3' ": unrecognized option '--max-age=3'; see mprof check --help"
says "no such file" "2 mprof: none.toml: No such file or directory" "$mprof" check --limits=none.toml data

# ------------------------------------------------------------------ results
run "$mprof" check --max-temporary=5000 --max-kept=1M --junit=junit.xml --gitlab=quality.json data other.data
is "results: status" "$status" 1
if need python3; then
    cat >read.py <<'END'
import json
import sys
import xml.etree.ElementTree as xml

for suite in xml.parse('junit.xml').getroot():
    print(suite.get('name'), suite.get('tests'), suite.get('failures'))
    for case in suite:
        print(' ', case.get('name'), [part.tag for part in case])
        for part in case:
            print('   ', part.get('message'), part.text.strip().count('\n') + 1)
for issue in json.load(open('quality.json')):
    print(issue['check_name'], issue['location']['path'].split('/')[-1],
          issue['location']['lines']['begin'] > 0, len(issue['fingerprint']), issue['severity'])
    break
END
    "$python" read.py >got
    cat >wanted <<'END'
costs 2 1
  --max-temporary=5000 ['failure']
    5,003 blocks are temporary, 5,000 allowed 4
  --max-kept=1M []
api 2 0
  --max-temporary=5000 []
  --max-kept=1M []
mprof --max-temporary=5000 costs.c True 16 major
END
    ok "JUnit and GitLab" diff wanted got
else
    skip "JUnit and GitLab" "$missing"
fi
mkdir -p sources/deep
printf '%s\n' '#include <stdlib.h>' 'int main(void)' '{' '    char *volatile leak = malloc(10);' \
    '    return leak == NULL;' '}' >sources/deep/leak.c
(cd sources && gcc -g -fno-builtin -o ../leak "$tmp/sources/deep/leak.c")
profile leak.data ./leak
cd sources || exit 99
run "$mprof" check --no-leaks --github ../leak.data
has "GitHub: at the line, by its place here" "$tmp/out" \
    '^::error file=deep/leak\.c,line=4,title=mprof::--no-leaks: 1 blocks are kept, 0 allowed; 1 block of it here: main \(leak\.c:4\)$'
cd .. || exit 99
mkdir 'sources/##[group]'
cp sources/deep/leak.c 'sources/##[group]/leak.c'
cc -g -fno-builtin -o leak "$tmp/sources/##[group]/leak.c"
profile group.data ./leak
run "$mprof" check --no-leaks --github group.data
has "GitHub: what older runners take for a command" out '^::error file=.*/##%5Bgroup\]/leak\.c,line=4,'
cc -g -fno-builtin -o leak "$tmp/sources/deep/leak.c"

# Each of several processes of a program is named, and no two faults have the same number.
for i in 1 2 3; do
    profile "leak$i.data" ./leak
done
run "$mprof" check --no-leaks --github --junit=junit.xml --gitlab=quality.json leak1.data leak2.data leak3.data data
is "several: status" "$status" 1
is "... said of each, with its file" "$(grep -E '^[a-z]+ \(' out | paste -sd' ' -)" \
    "leak (leak1.data) leak (leak2.data) leak (leak3.data) costs (data)"
is "... GitHub" "$(grep -c '^::error .*::leak (leak[123]\.data): --no-leaks: 1 blocks are kept' out)" 3
is "... JUnit: one name for each" "$(grep -o '<testsuite name="[^"]*"' junit.xml | cut -d'"' -f2 | paste -sd, -)" \
    "leak (leak1.data),leak (leak2.data),leak (leak3.data),costs"
if need jq; then
    is "... GitLab: no two numbers are the same" "$(jq '(map(.fingerprint) | unique | length) == length' quality.json)" true
    is "... and each says whose it is" "$(jq -r '.[].description' quality.json | cut -d: -f1 | uniq | paste -sd, -)" \
        "leak (leak1.data),leak (leak2.data),leak (leak3.data),costs"
    jq -r '.[0].fingerprint' quality.json >of_several
    run "$mprof" check --no-leaks --gitlab=quality.json leak2.data
    is "... the first is that of one alone" "$(jq -r '.[0].fingerprint' quality.json)" "$(cat of_several)"
else
    skip "... GitLab" "$missing"
fi

# -------------------------------------------------------------- suppressions
# refuse_suppression TEXT MESSAGE: tests that a file of suppressions with the content TEXT is refused with MESSAGE.
refuse_suppression()
{
    printf '%s\n' "$1" >bad.supp
    run "$mprof" check --no-leaks --suppressions=bad.supp data
    is "suppressions: $(echo "$1" | tr '\n' ' ')" "$status $(cat err)" \
        "2 mprof: bad.supp:$2; see mprof check --help"
}

refuse_suppression 'leek:f' "1: neither leak:PATTERN nor a suppression of valgrind's"
refuse_suppression 'leak:^$' "1: leak: without a pattern"
refuse_suppression '{
 a
 Memcheck:Leak
 fun:f' "4: the last suppression has no }"
refuse_suppression '{
 a
 Memcheck:Leak
}' "4: a suppression without frames"
refuse_suppression '{
 a
 Memcheck:Leak
 f
}' "4: neither fun:, obj:, src: nor ..."

# ------------------------------------------------------------------- refused
# usage MESSAGE OPTION...: tests that the options are refused with MESSAGE.
usage()
{
    message=$1
    shift
    says "check $*" "2 mprof: $message; see mprof check --help" "$mprof" check "$@" data
}

usage "no limit is given, such as --max-kept=4K"
usage "--max-kept=4X: not a number of bytes (K, M, G: units of 1024)" --max-kept=4X
usage "--max-allocs=4K: not a number of blocks" --max-allocs=4K
usage "--limit-function=f: a function and its limit are wanted, as NAME:kept=4K" --limit-function=f
usage "--limit-function=f:keep=4: limits are bytes=N, allocs=N, kept=N, peak=N and temporary=N, with commas between them" --limit-function=f:keep=4
usage "--tolerance=-1: not a percentage" --tolerance=-1 --no-leaks
usage "--suggest=x: valgrind or lsan" --suggest=x
says "no such data file" "2 mprof: cannot open nothing.data: No such file or directory" "$mprof" check --no-leaks nothing.data
says "no such baseline" "2 mprof: cannot open nothing.data: No such file or directory" "$mprof" check --baseline=nothing.data data
run "$mprof" check --no-leaks --junit=none/junit.xml data
is "results that cannot be written" "$status $(cat err)" "2 mprof: none/junit.xml: No such file or directory"
plan
# SPDX-License-Identifier: MIT
