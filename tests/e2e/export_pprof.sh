#!/bin/sh
# mprof export -F pprof and pprof-legacy: the real readers find the figures of the report, to the byte.
. "${srcdir:-.}/tests/e2e/lib.sh"

HOME=$tmp                       # the readers write what they keep to it
export HOME
PPROF_TMPDIR=$tmp
export PPROF_TMPDIR

# reported FILE OPTION...: prints "FLAT-BYTES BYTES-WITH-CALLEES OBJECTS KEPT FUNCTION" for each allocating function
# of the report.
reported()
{
    file=$1
    shift
    "$mprof" report -v --table=flat --full-names "$@" "$file" | awk '
        at && /^ *[0-9]/ && !/<TOTAL>$/ {
            name = substr($0, at)
            $0 = substr($0, 1, at - 1)
            gsub(/\( *[0-9]+\)/, "")     # shares, which may be blank
            print $1, $4, $2, $3, name
        }
        /^ *bytes +\(%\) / { at = index($0, "function") }' | LC_ALL=C sort
}

# dumped FILE: prints "FLAT CUM FUNCTION" in bytes, for all functions on chains.
dumped()
{
    "$mprof" export -F collapsed --full-names --no-skip "$1" | awk '{
        value = $NF
        sub(/ [0-9]+$/, "")
        n = split($0, frames, ";")
        flat[frames[n]] += value
        for (i = 1; i <= n; i++)
            if (last[frames[i]] != NR) {
                cum[frames[i]] += value
                last[frames[i]] = NR
            }
    }
    END { for (name in cum) printf "%.0f %.0f %s\n", flat[name], cum[name], name }' | LC_ALL=C sort
}

# go_top FILE TYPE OPTION...: prints "FLAT CUM FUNCTION" from go tool pprof.
go_top()
{
    file=$1 type=$2
    shift 2
    go tool pprof -top -unit=B -nodecount=1000000 -nodefraction=0 -symbolize=none "-sample_index=$type" "$@" "$file" 2>go.err |
        awk '
            table { flat = $1 + 0; cum = $4 + 0
                    sub(/^ *[^ ]+ +[^ ]+ +[^ ]+ +[^ ]+ +[^ ]+ +/, ""); sub(/ \((partial-)?inline\)$/, "")
                    printf "%.0f %.0f %s\n", flat, cum, $0 }
            /^ *flat +flat%/ { table = 1 }' | LC_ALL=C sort
}

# same WHAT FILE OPTION...: tests that go tool pprof and the report agree.
same()
{
    what=$1 file=$2
    shift 2
    reported "$file" "$@" >reported
    "$mprof" export -F pprof -o same.pb.gz --full-names "$@" "$file"
    ok "$what: there are functions" test -s reported
    for figure in alloc_space:1 alloc_objects:3 inuse_space:4; do
        type=${figure%:*}
        go_top same.pb.gz "$type" | awk -v type="$type" '$1 != 0 {
            if (type != "alloc_space")      # for other types, the report has no figure with callees
                sub(/ -?[0-9]+ /, " ")
            print
        }' | LC_ALL=C sort >got
        awk -v column="${figure#*:}" '{
            some = $column != 0
            values = column == 1 ? $1 " " $2 : $column
            sub(/^[^ ]+ [^ ]+ [^ ]+ [^ ]+ /, "")
            if (some)
                print values, $0
        }' reported | LC_ALL=C sort >expected
        if cmp -s got expected; then
            pass "$what: $type"
        else
            fail "$what: $type"
            diff got expected | sed 's/^/# /'
        fi
    done
}

profile data "$programs/costs"
is "runs" "$status" 0

# ------------------------------------------------------------- go tool pprof
if ! need go || ! go tool pprof -h >go.help 2>&1 && ! grep -q sample_index go.help; then
    skip "go tool pprof" "${missing:-go has no pprof here}"
else
    same "a program in C" data
    same "a part of it" data --function=gather
    same "from the outermost caller" data --all-frames --no-skip
    if need perl; then
        profile perl.data perl -e 'my %h; $h{$_} = [1 .. 5] for 1 .. 2000; print scalar keys %h'
        same "perl" perl.data
    else
        skip "perl" "$missing"
    fi
    profile cxx.data "$programs/symbols_cxx"
    same "inlined C++" cxx.data --no-skip
    for some in data cxx.data; do
        "$mprof" export -F pprof -o all.pb.gz --no-skip --full-names "$some"
        go_top all.pb.gz alloc_space >got
        dumped "$some" >expected
        ok "all functions of $some, with callees" cmp got expected
    done
    same "objects of Lisp" "$src/tests/data/sealed-lisp.data" --lisp --frames=all

    "$mprof" export -F pprof -o costs.pb.gz data
    go_top costs.pb.gz peak_space >top
    is "peak_space" "$(awk '{ sum += $1 } END { print sum }' top)" "$(total peak data)"
    go_top costs.pb.gz peak_objects >top
    is "peak_objects" "$(awk '{ sum += $1 } END { print sum }' top)" "$(total peak-blocks data)"
    go_top costs.pb.gz temporary_objects >top
    is "temporary_objects" "$(awk '{ sum += $1 } END { print sum }' top)" "$(total temporary data)"
    go_top costs.pb.gz inuse_objects >top
    is "inuse_objects" "$(awk '{ sum += $1 } END { print sum }' top)" "$(total kept-blocks data)"
    go tool pprof -top -unit=B costs.pb.gz >top 2>go.err
    has "bytes allocated come first" top '^Type: alloc_space$'
    has "how long it took" top '^Duration: .* Total samples = 484988B'
    has "the head of the report is in it" top '^Ended +exit status 0$'
    go tool pprof -traces -unit=B costs.pb.gz >traces 2>go.err
    has "-traces: a size" traces '^ +bytes: +16B$'
    ok "-traces: a chain" awk '/^ +80000B +churn$/ { a = NR } /^ +main$/ && NR == a + 1 { found = 1 }
        END { exit !found }' traces
    "$mprof" export -F pprof -o whole.pb.gz --no-skip data
    go tool pprof -traces -unit=B whole.pb.gz >traces 2>go.err
    ok "-traces: a chain with the wrapper" awk '/^ +80000B +get$/ { a = NR } /^ +churn$/ && NR == a + 1 { b = NR }
        /^ +main$/ && NR == b + 1 { found = 1 }
        END { exit !found }' traces
    go tool pprof -tags -unit=B costs.pb.gz >tags 2>go.err
    has "-tags: a thread" tags '^ +700(\.0)?B \( *0\.14%\): work$'
    has "-tags: the process" tags '^ +484988(\.0)?B \( *100%\): costs$'
    has "-tags: a class of sizes" tags '^ +144000(\.0)?B \( *29\.69%\): -32$'
    has "-tags: a size" tags '^ +80000(\.0)?B \( *16\.50%\): 16B$'
    go_top costs.pb.gz alloc_space -tagfocus=thread=work >top
    is "a thread by itself" "$(cat top)" "700 700 work"
    go tool pprof -raw costs.pb.gz >raw 2>go.err
    id=$(readelf -n "$programs/costs" 2>/dev/null | sed -n 's/.*Build ID: *//p')
    has "-raw: the program is the first mapping, with its build-id" raw "^1: 0x.*/costs ${id:-.*} \[FN\]\[FL\]\[LN\]\[IN\]\$"
    "$mprof" export -F pprof -o lisp.pb.gz --lisp "$src/tests/data/sealed-lisp.data"
    go tool pprof -tags lisp.pb.gz >tags 2>go.err
    has "types of Lisp" tags '^ type: Total'
    "$mprof" export -F pprof -o sampled.pb.gz "$src/tests/data/sealed-sampled.data"
    go tool pprof -raw sampled.pb.gz >raw 2>go.err
    has "a sampled recording: its period" raw '^Period: 64$'
    has "... and that it is estimated" raw '^Comment: .*estimated'

    # The profile from a checkpoint on is the profile of the whole run less the one until the checkpoint.
    profile marks.data "$programs/checkpoints" phases
    "$mprof" export -F pprof -o until.pb.gz --to="one" marks.data
    "$mprof" export -F pprof -o whole.pb.gz --from=start --to=end marks.data
    "$mprof" export -F pprof -o since.pb.gz --from="one" marks.data
    for type in alloc_space alloc_objects inuse_space; do
        go_top whole.pb.gz "$type" -diff_base=until.pb.gz | awk '$1 != 0 || $2 != 0' >differ
        go_top since.pb.gz "$type" | awk '$1 != 0 || $2 != 0' >since
        ok "-diff_base: $type" cmp differ since
    done
    ok "there is a difference" test -s since
fi

# -------------------------------------------------------------- google-pprof
# perl_top TYPE FILE: prints "FLAT CUM FUNCTION" from google-pprof, which looks up names itself.
perl_top()
{
    google-pprof --text --show_bytes --nodecount=100000 --nodefraction=0 --edgefraction=0 "--$1" "$programs/costs" "$2" 2>perl.err |
        awk 'NR > 1 { flat = $1; cum = $4; print flat, cum, $6 }' | LC_ALL=C sort
}
"$mprof" export -F pprof-legacy -o costs.heap data
"$mprof" export -F pprof-legacy -o whole.heap --no-skip data
if need google-pprof objdump nm; then
    perl_top alloc_space whole.heap >got
    hasnt "google-pprof: every address has a name" got ' 0x'
    dumped data | awk '$3 ~ /^(get|churn|gather|keep|main|phase|spend|work|run_thread)$/' >expected
    awk '$3 ~ /^(get|churn|gather|keep|main|phase|spend|work|run_thread)$/' got >found
    ok "google-pprof: alloc_space" cmp found expected
    for type in inuse_space:10700 alloc_objects:13021 inuse_objects:17; do
        perl_top "${type%:*}" whole.heap >got
        has "google-pprof: ${type%:*}" got "^${type#*:} ${type#*:} get\$"
    done
    perl_top alloc_space costs.heap >got
    is "google-pprof: the callers of the wrapper" \
        "$(awk '$3 ~ /^(get|churn|gather|keep|phase|spend|work)$/' got | paste -sd, -)" \
        "10000 10000 keep,150000 150000 phase,180000 180000 spend,64000 64000 gather,700 700 work,80000 80000 churn"
else
    skip "google-pprof" "$missing"
fi
has "legacy: all figures" costs.heap '^heap profile: +18: +10988 \[ 13022: +484988\] @ heapprofile$'

# -------------------------------------------------------------- names of C++
# pprof's graph breaks lines at dots, so a name like "table<...>::add" would take five lines.
if need go c++; then
    cat >names.cc <<'END'
template <class T> struct table {
    T *kept;
    __attribute__((noinline)) void add(T value) { kept = new T(value); }
};
table<long> numbers;
int main() { numbers.add(1); }
END
    c++ -g -O1 -o names names.cc
    "$mprof" run -q -o names.data ./names
    "$mprof" export -F pprof -o names.pb.gz names.data
    go tool pprof -dot -nodefraction=0 -symbolize=none -sample_index=alloc_space names.pb.gz >names.dot 2>go.err
    has "the graph: a short name of C++ is broken where its parts are" names.dot 'label="table<…>\\nadd\\n'
else
    skip "the graph" "$missing"
fi
plan
# SPDX-License-Identifier: MIT
