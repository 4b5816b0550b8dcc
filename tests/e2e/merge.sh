#!/bin/sh
# mprof merge makes one data file of many. Sums are those of the files, to the byte; the order does not matter; parts
# can be told apart; files that cannot be merged lead to an error.
. "${srcdir:-.}/tests/e2e/lib.sh"

copies=$src/tests/e2e/merge_copies.py

# sums FILE...: prints the seven figures of mprof export -F chains by chain. In a merged file, a function with the
# same name as one of another program is called program!name; here the program is removed.
sums()
{
    for file; do
        "$mprof" export -F chains "$file"
    done | awk '{
            figures = $1
            for (i = 1; i <= 7; i++) {
                number[i] = $1
                sub(/^[^ ]+ /, "")
            }
            gsub(/[^;]*!/, "")
            gsub(/@[^;]*/, "")
            for (i = 1; i <= 7; i++)
                sum[$0, i] += number[i]
            chains[$0]
        }
        END {
            for (chain in chains) {
                printf "%s", chain
                for (i = 1; i <= 7; i++)
                    printf " %.0f", sum[chain, i]
                print ""
            }
        }' | LC_ALL=C sort
}

# same_sums TITLE MERGED FILE...: tests that the sums of MERGED are those of the files.
same_sums()
{
    title=$1 merged=$2
    shift 2
    sums "$@" >expected
    sums "$merged" >got
    ok "$title: there are chains" test -s expected
    ok "$title: each chain has the sum of the files" cmp expected got
}

merge()
{
    run "$mprof" merge "$@"
    [ "$status" = 0 ] || sed 's/^/# /' err
}

# ------------------------------------------------------------- a shell with a pipeline, by mprof run -f
cat >job <<'END'
seq 300 | sort -n | awk '{ s += $1 } END { print s }'
ls / | wc -l
END
"$mprof" run -q -f -o job.data.%p sh job >out 2>err
n=$(find . -name 'job.data*' | wc -l)
at_least "mprof run -f wrote many files" "$n" 6
merge -o all.data job.data*
is "status" "$status" 0
has "how many processes is said" err "^mprof: $n processes of [0-9]+ programs: .* of data in all\\.data\$"
has "and what is told apart" err '^mprof:   distinguished by process$'
same_sums "job" all.data job.data*
"$mprof" totals job.data* | grep -Ev '^(files|contexts|stack) ' >expected
"$mprof" totals all.data | grep -Ev '^(processes|contexts|stack) ' >got
ok "mprof totals says the same of the merged file as of all" cmp expected got
is "of so many processes" "$("$mprof" totals all.data | sed -n 's/^processes //p')" "$n"

"$mprof" report --table=processes --verbose all.data >out
has "the head: processes" out "^Merged +$n processes of [0-9]+ programs on 1 host\$"
has "the head: the sum of peaks is no peak" out '^Sum of peaks .* each process at its own time; the largest: [0-9,]+ bytes, '
hasnt "the head has no other peak" out '^Peak '
hasnt "nor a process id" out '^Process '
has "all that sort has allocated is in its row" out " sort\\[[0-9]+\\] +exit status 0 +job\\.data"
is "a row for each" "$(grep -c ' job\.data' out)" "$n"
largest=$(for file in job.data*; do total peak "$file"; done | sort -n | tail -1)
is "the largest peak" "$(sed -n 's/^Sum of peaks .*largest: \([0-9,]*\) bytes.*/\1/p' out | tr -d ,)" "$largest"
is "the sum of peaks" "$(sed -n 's/^Sum of peaks  *[0-9,]*  *\([0-9,]*\) bytes.*/\1/p' out | tr -d ,)" \
    "$(for file in job.data*; do total peak "$file"; done | awk '{ s += $1 } END { print s }')"

awk_data=
for file in job.data*; do
    "$mprof" report --table=tree "$file" | grep -q '^Program .*awk$' && awk_data=$file
done
bytes=$(total bytes "$awk_data")
"$mprof" report --table=leaks --process="$awk_data\$" all.data >out
has "--process=FILE: its bytes of all" out "^Only what was allocated of --process=.*: $(printf '%s' "$bytes" |
    sed -e :a -e 's/\([0-9]\)\([0-9]\{3\}\)\(,\|$\)/\1,\2\3/;ta') of "
sums "$awk_data" | awk '{ s += $(NF - 5) } END { print s }' >expected
is "... which are the file's" "$(cat expected)" "$bytes"
"$mprof" export -F collapsed --by-process all.data >out
for file in job.data*; do
    "$mprof" totals "$file" | sed -n 's/^bytes //p'
done | LC_ALL=C sort >expected
awk '{ n = $NF; sub(/;.*/, ""); sum[$0] += n } END { for (process in sum) print sum[process] }' out |
    LC_ALL=C sort >got
ok "--by-process: chains begin with the process, and its bytes are its file's" cmp expected got
printed=$(sed 's/;.*//' out | sort -u | head -n 1)
run "$mprof" report --table=leaks --process="$printed" all.data
is "--process: as it is printed" "$status $(sed -n 's/^Only what was allocated of .*: \([0-9,]*\) of .*/\1/p' out | tr -d ,)" \
    "0 $("$mprof" export -F collapsed --by-process all.data | awk -v name="$printed" '{ n = $NF; sub(/;.*/, "") } $0 == name { s += n } END { print s }')"
"$mprof" export -F collapsed all.data >out
hasnt "without it they do not" out '\[[0-9]+\]'
for bad in --process=nobody --program=/no/such --host=elsewhere.example; do
    refuses "$bad" 1 "^mprof: $bad: there is no such process" "$mprof" report "$bad" all.data
done
refuses "--process of a file that has another one" 1 '^mprof: --process=sort: there is no such process' \
    "$mprof" report --process=sort "$awk_data"

# ------------------------------------------------------------------------- order, merges of merges, levels
set -- job.data*
a=$1 b=$2
shift 2
merge -o other.data "$b" "$@" "$a"
ok "any order: the same bytes" cmp all.data other.data
merge -o two.data "$a" "$b"
merge -o other.data "$@" two.data
ok "merges of merges: the same bytes" cmp all.data other.data
merge -o other.data all.data
ok "the merge of a merge: the same bytes" cmp all.data other.data
merge -o one.data "$a"
is "one file: the same tables" "$("$mprof" report one.data | sed -n '/^TABLE/,/^MPROF/p')" \
    "$("$mprof" report "$a" | sed -n '/^TABLE/,/^MPROF/p')"
for level in process program host none; do
    merge --by="$level" -o "$level.data" job.data*
    same_sums "--by=$level" "$level.data" job.data*
done
merge --by=program -o other.data "$@" two.data
ok "a finer merge in a coarser one: the same bytes as without" cmp program.data other.data
merge -o other.data "$@" "$a" program.data --keep-going
merge --by=process -o other.data host.data
has "what is not told apart any more, is not" err '^mprof:   distinguished by host, as in one of the merged files$'
refuses "--program where only hosts are told apart" 1 '^mprof: the file does not tell these processes apart' \
    "$mprof" report --program=sort host.data

# --------------------------------------------------------------------------------- directories and lists
mkdir -p tests/one tests/two
cp "$a" tests/one/mprof.data
cp "$b" tests/two/mprof.data
echo text >tests/one/log.txt
merge -o tests/all.data tests
ok "a directory stands for the data files below it" test -s tests/all.data
is "... and the output is none of them" "$(total bytes tests/all.data)" "$(total bytes two.data)"
merge -o tests/all.data tests/
has "... if it is there already, which is said" err '^mprof: tests/all\.data is the output file and is not merged$'
cp "$a" own.data
merge -o own.data own.data "$b"
is "a recording is not replaced by a sum with itself" "$status $(cat err)" \
    "1 mprof: own.data: is among the files to merge, and would be replaced; choose another name for the output"
ok "... it is as before" cmp "$a" own.data
mv own.data tests/own.data
merge -o tests/own.data tests
is "... nor found in a directory" "$status $(wc -l <err)" "1 1"
ok "... as before, too" cmp "$a" tests/own.data
rm tests/own.data
printf '%s\n' "$a" '' "$b" >list
merge -o other.data @list
ok "a list of files" cmp two.data other.data
"$mprof" merge -o other.data @- <list 2>err
ok "on the standard input" cmp two.data other.data
ln "$a" again.data
merge -o other.data "$a" "./$a" again.data "$b"
is "a file by several names is one file" "$(total bytes other.data)" "$(total bytes two.data)"

# ------------------------------------------------------------------------------------- what cannot be merged
head -c 200 "$b" >short.data
printf 'no data file' >text.data
cp "$a" copy.data
"$mprof" run -q --sample=1000 -o sampled.data sort job >out 2>err
rm -f none.data
for bad in short.data text.data nothing.data copy.data sampled.data; do
    refuses "$bad: status and one line" 1 '^mprof: ' "$mprof" merge -o none.data "$a" "$b" $bad
    has "$bad: which" err "$bad"
    ok "$bad: nothing is written" test ! -e none.data
done
returns "--keep-going: status" 0 "$mprof" merge -k -o some.data "$a" "$b" short.data text.data nothing.data
is "--keep-going: each is said" "$(grep -c '^mprof: left out: ' err)" 3
has "--keep-going: and counted" err '^mprof:   3 files left out$'
"$mprof" report some.data >out
has "--keep-going: in the file, too" out '^Left out +3  files that could not be merged$'
same_sums "--keep-going" some.data "$a" "$b"
run "$mprof" merge -k -o none.data short.data text.data
is "nothing can be merged" "$status $(tail -1 err)" "1 mprof: none of the files can be merged"
cp text.data kept.txt
run "$mprof" merge -o kept.txt "$a"
is "what is no data file is not overwritten" "$status $(cat kept.txt)" "1 no data file"
for bad in "" "-o x.data" "-o x.data --by=who $a" "$a"; do
    # shellcheck disable=SC2086
    refuses "mprof merge $bad" 2 '^mprof: ' "$mprof" merge $bad
done

# ----------------------------------------------------------------------------------- others: samples, old files
"$mprof" run -q --sample=1000 -o sampled2.data sort job >out 2>err
merge -o samples.data sampled.data sampled2.data
is "samples are merged with samples" "$(total samples samples.data)" \
    "$(($(total samples sampled.data) + $(total samples sampled2.data)))"
is "... and allocations are exact" "$(total bytes samples.data)" \
    "$(($(total bytes sampled.data) + $(total bytes sampled2.data)))"
set -- "$src"/tests/data/sealed-widgets.data "$src"/tests/data/sealed-lisp.data "$src"/tests/data/1.0/c.data
merge -o old.data "$@"
is "files of different programs" "$status $(total bytes old.data)" "0 $(for i; do
    total bytes "$i"; done | awk '{ s += $1 } END { print s }')"
LD_PRELOAD=$library MPROF_FILE=$tmp/running.data sleep 60 &
pid=$!
ok "a process that runs" until_true 30 "$mprof" totals running.data
merge -o live.data running.data "$a"
is "... is merged as it is now" "$status $("$mprof" totals live.data | sed -n 's/^processes //p')" "0 2"
"$mprof" report --table=processes --verbose live.data >out
has "... which is said" out ' sleep\[[0-9]+\] +still running .* running\.data'
kill "$pid"
wait "$pid" 2>/dev/null

# ------------------------------------------------------------------------------- labels that were not recorded
"$mprof" run -q -o set1.data sort /dev/null
"$mprof" run -q -o set2.data sort /dev/null
"$mprof" run -q -o set3.data sort /dev/null
merge --by=program -o set.data --label=host=web set1.data --label=host=mail --label=program=queue set2.data \
    --label=host= --label=program= set3.data
is "labels are set: status" "$status" 0
same_sums "labels are set" set.data set1.data set2.data set3.data
if need jq; then
    "$mprof" report --json set.data | jq -r '.processes[] | "\(.data) \(.host) \(.program)"' | LC_ALL=C sort >got
    is "... of the files behind them" "$(sed 's, /.*/, ,' got)" "set1.data web sort
set2.data mail queue
set3.data $(hostname) sort"
    for each in "web 1" "mail 2" "$(hostname) 3"; do
        is "... and what these allocated: ${each% *}" \
            "$("$mprof" report --json --host="${each% *}" --table=direct -v set.data |
                jq '[.tables.direct.rows[] | select(.is == "item").values.bytes] | add')" \
            "$(total bytes "set${each#* }.data")"
    done
    merge -o first.data --label=host=one set1.data --label=host=other set1.data
    is "a file that is named twice is what it is said to be first" \
        "$status $("$mprof" report --json first.data | jq -r '.process.host')" "0 one"
else
    skip "... of the files behind them" "$missing"
fi
cp set1.data copy.data
run "$mprof" merge -o twice.data --label=host=one set1.data --label=host=other copy.data
has "a process is the one that was recorded, whatever it is said to be" err \
    '^mprof: set1\.data: process [0-9]+ is there already, from copy\.data$'
is "... nothing is written" "$(ls twice.data 2>/dev/null)" ""
for bad in none=x host host=a/b; do
    run "$mprof" merge -o bad.data --label=$bad set1.data
    is "--label=$bad" "$status $(cat err)" \
        "2 mprof: --label=$bad: expected host=NAME or program=NAME; see mprof merge --help"
done

# ----------------------------------------------------------------------------------------------- make -j2
if need make cc; then
    printf 'all: a.o b.o c.o\n.SUFFIXES: .c .o\n.c.o:\n\tcc -c -o $@ $<\n' >Makefile
    for name in a b c; do
        printf '#include <stdio.h>\nint %s(void) { return puts("%s"); }\n' $name $name >$name.c
    done
    "$mprof" run -q -f -o build.data make -j2 >out 2>err
    merge -o made.data build.data*
    same_sums "make -j2" made.data build.data*
    "$mprof" report made.data >out
    has "make -j2: programs" out '^Programs .*(cc1|clang)'
else
    skip "make -j2" "$missing"
fi

# --------------------------------------------------------------------------------------- a thousand files
if [ -x "$python" ] && need jq; then
    mkdir many
    "$mprof" run -q -f --only=sort,awk -o part.data sh job >out 2>err
    part=$(find . -name 'part.data*' | LC_ALL=C sort | tail -1)
    "$python" "$copies" "$part" 1000 many
    is "a thousand files are made" "$(find many -type f | wc -l)" 1000
    # The address space is limited to 204800 kB, of which libraries also take a part.
    (ulimit -v 204800 && "$mprof" merge -o many.data many 2>err)
    is "they are merged within 200 MB" "$?" 0
    is "and have their sums" "$(total bytes many.data)" "$((1000 * $(total bytes "$part")))"
    has "of one program" err '^mprof:   distinguished by program and host, because there are more than 32; see --by$'
    is "the table of processes has them all" \
        "$("$mprof" report --table=processes --verbose many.data | grep -c ' many/')" 1000

    # A report of 1,000 processes in one file, as one, needs little more memory than the file's size.
    # most COMMAND...: prints the peak memory of `mprof COMMAND`, which maps its largest pieces.
    most()
    {
        "$mprof" run -q -o most.data "$mprof" "$@" >out 2>err
        mapped=$("$mprof" report --table=mappings --json most.data |
            jq '[.tables.mappings.rows[].values.peak_share.whole] | max // 0')
        echo $(($(total peak most.data) + mapped))
    }
    "$mprof" merge --by=process -o each.data many 2>err
    file=$(most totals each.data)
    at_least "the file is large" "$file" 3000000
    at_most "memory of all processes together" "$(($(most report --no-findings each.data) * 100 / file))" 165
    at_most "memory of processes by themselves" "$(($(most report --no-findings --by-process each.data) * 100 / file))" 500
else
    skip "a thousand files" "there is no $python, or no jq"
fi
plan
# SPDX-License-Identifier: MIT
