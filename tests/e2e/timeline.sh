#!/bin/sh
# The time line: mprof run and mprof watch observe a program, mprof plot shows the observations.
# tests/programs/stages.c does one thing after the other on request. In between, this script waits until the observer
# has sampled often enough, however long that takes.
. "${srcdir:-.}/tests/e2e/lib.sh"

mkfifo in || exit 99

# looker: prints the process that samples. For mprof run this is its second child.
looker()
{
    # shellcheck disable=SC2046
    set -- $(cat "/proc/$observer/task/$observer/children")
    echo "${2:-$observer}"
}

# reads: prints the number of system calls by which the observer has read something.
reads()
{
    awk '$1 == "syscr:" { print $2 }' "/proc/$(looker)/io"
}

# seen [READS]: returns whether the observer has read that often. 100 reads guarantee that one of its samples was
# complete, because one of eight samples is, and each has at most five reads.
seen()
{
    [ "$(reads)" -ge $((before + ${1:-100})) ] || ! kill -0 "$observer" 2>/dev/null
}

has_said()
{
    grep -q "^$1\$" said
}

# stage WORD: sends WORD, a stage, to the program, and waits until the observer has seen the live blocks after it.
stage()
{
    echo "$1" >&3
    until_true 60 has_said "$1" || fail "the program answers $1"
    before=$(reads)
    until_true 120 seen || fail "the observer looks"
}

# plot OPTION... FILE: writes columns to the files `points` and `parts`, without names of points in time.
plot()
{
    "$mprof" plot --data="$tmp/columns" "$@" 2>err
    status=$?
    awk '$1 == "seconds" { n++ } n == 1 && NF' columns | sed 1d >points
    awk '$1 == "seconds" { n++ } n == 2 && NF' columns >parts
    head -n 1 parts | sed 's/^seconds moment name//' | tr -d '"' >names
    sed 1d parts | sed 's/ "[^"]*"/ -/' >moments
}

# part NAME KIND: prints the bytes of the part NAME at all points in time of KIND, equal neighbours once. The observer
# may count in the middle of a stage, so values between those of two stages are left out.
part()
{
    column=$(tr ' ' '\n' <names | grep -n "^$1\$" | cut -d: -f1)
    awk -v kind="$2" -v column="$((column + 2))" '$2 == kind { print $column }' moments | uniq | awk '
        { value[NR] = $1 }
        END {
            for (i = 1; i <= NR; i++)
                if (i == NR || value[i] == 0 || (value[i] - value[i - 1]) * (value[i + 1] - value[i]) < 0)
                    printf "%s ", value[i]
        }'
}

if [ ! -r /proc/self/io ]; then
    skip "what is seen" "this system does not tell how often a process reads"
    plan
    exit 0
fi

# ----------------------------------------------------------------------- mprof run
# begin COMMAND...: starts COMMAND in the background, with words on its standard input.
begin()
{
    : >said
    "$@" <in >said 2>run.err &
    observer=$!
    exec 3>in
}

# end: closes the program's input, and waits for the end of COMMAND.
end()
{
    exec 3>&-
    wait "$observer"
    status=$?
}

begin "$mprof" run -q -o data "$programs/stages"
for word in load work tail; do
    stage $word
done
end
is "the program ends" "$status" 0
plot --by=function data
is "plot" "$status $(cat err)" "0 "
is "load over time" "$(part load seen | sed 's/^0 //')" "1000000 400000 "
is "work over time" "$(part work seen | sed 's/^0 //')" "200000 0 "
is "tail over time" "$(part tail seen)" "0 10000 "
is "at the start" "$(part load start)$(part work start)$(part tail start)" "0 0 0 "
is "at the peak, exactly" "$(part load peak)$(part work peak)$(part tail peak)" "1000000 200000 0 "
is "at the end" "$(part load end)$(part work end)$(part tail end)" "400000 0 10000 "
# The observer may also count in the middle of a stage. Points at the end of a stage have these blocks and allocations.
is "totals, each once" \
    "$(awk '$4 " " $5 ~ /^(100 100|90 150|50 160)$/ { print $2, $4, $5, $6 }' points | uniq | tr '\n' ',')" \
    "1000000 100 100 1000000,600000 90 150 1200000,410000 50 160 1210000,"
is "the last ones are those of the cells" "$(tail -n 1 points | cut -d' ' -f2-6)" "410000 0 50 160 1210000"
is "the peak is among them" "$(cut -d' ' -f2 points | sort -n | tail -n 1)" 1200000
is "times ascend" "$(cut -d' ' -f1 points | sort -n | cmp - - && cut -d' ' -f1 points | sort -nc 2>&1)" ""
has "resident memory" points ' [1-9][0-9]{4,}$'

# Other parts: --by=module, and a view.
plot --by=module data
is "by module" "$(cat names)" " stages"
plot --by=file data
is "by file" "$(sed 's|[^ ]*/||' names)" " stages.c"
plot --by=type data
is "by type" "$(cat names)" " blocks above 2,048 bytes blocks of 257 to 2,048 bytes"
plot --by=thread data
is "by thread" "$(cat names)" " main"
plot --function='^work$' --by=function data
is "a part" "$(cat names) $(part work peak)" " work 200000 "
empty "... has no totals" points
plot --from=peak --to=end --by=function data
is "from the peak on" "$(head -n 1 moments | cut -d' ' -f2) $(part load end)" "peak 400000 "

# The picture.
returns "a picture" 0 "$mprof" plot --by=function data
has "... names what is in it" out '>(load|work|tail)</text>'
has "... and the peak" out '>peak</text>'
has "... for a dark screen, too" out 'prefers-color-scheme:dark'
if need xmllint; then
    for by in type module function file thread; do
        "$mprof" plot --by=$by -o picture.svg data && ok "well formed, by $by" xmllint --noout picture.svg
    done
else
    skip "well formed" "$missing"
fi
if need gnuplot; then
    plot --by=function data
    ok "gnuplot draws the columns" gnuplot -e "data='columns'" -e "output='gnuplot.svg'" \
        "$src/examples/timeline.gnuplot"
    has "... with the names" gnuplot.svg 'work'
else
    skip "gnuplot draws the columns" "$missing"
fi

# The blocks live at a time are known from a count shortly before it. If there is none, the message names the nearest
# counts.
profile alone.data "$programs/findings" grow
refuses "a time without counts" 1 '^mprof: 1s: blocks were not counted near that time, but at 0\.000 s and at 6\.[0-9]{3} s: ' \
    "$mprof" report --at=1s alone.data
refuses "... nor as the beginning" 1 '^mprof: 1s: blocks were not counted near' "$mprof" report --from=1s alone.data
refuses "... nor of a picture" 1 '^mprof: 1s: blocks were not counted near' "$mprof" html -o page.html --at=1s alone.data
refused 1 'not counted near' report --at=5ms alone.data
prints "the start is known" 'alive at 0\.000 s: 0 bytes' "$mprof" report --no-pager --at=0s alone.data
"$mprof" plot --by=function -o alone.svg alone.data
has "what was not counted is grey" alone.svg '<title>parts were not counted</title>'
"$mprof" run -q -o grow.data "$programs/findings" grow
second=$("$mprof" plot --data grow.data | awk '$2 == "seen" && $1 > 1 { print $1; exit }')
prints "a time with a count" "alive at $(printf %.3f "$second") s: [1-9]" "$mprof" report --no-pager --at="${second}s" grow.data

# Parts are counted often in any run, and never drawn as what they are not: the first half of this program's time belongs
# to picture(), the second one to node(), and before both it makes 2,048 chains.
if need gcc; then
    cat >chains.c <<'END'
#include <stdlib.h>
#include <unistd.h>
static void *volatile held[2000];
static void deep(unsigned d, unsigned bits)
{
    if (d == 0)
        free(held[0] = malloc(24));
    else if (bits & 1)
        deep(d - 1, bits >> 1);
    else
        deep(d - 1, bits >> 1);
}
static void picture(void) { held[0] = malloc(64000000); usleep(1500000); free(held[0]); }
static void node(int i) { held[i] = malloc(10000); usleep(750); }
int main(void)
{
    for (unsigned i = 0; i < 1u << 11; i++)
        deep(11, i);
    picture();
    for (int i = 0; i < 2000; i++)
        node(i);
    return 0;
}
END
    gcc -g -O0 -o chains chains.c
    returns "many chains" 0 "$mprof" run -q -o chains.data ./chains
    plot --by=function chains.data
    at_least "... are counted often" "$(grep -c ' seen ' moments)" 6
    is "... each part where it lived" "$(part picture seen | tr ' ' '\n' | sort -un | xargs)" "0 64000000"
    is "... and nothing between" "$(awk '$2 == "seen" && $4 > 0 && $5 > 0' moments)" ""
else
    skip "many chains are counted often" "$missing"
fi

# The chart in the head of the report, on a terminal. chart OPTION...: prints its lines.
chart()
{
    MPROF_PAGER="cat" script -qec "'$mprof' $*" /dev/null </dev/null | tr -d '\r' >report
    sed -n '/^Over time/,/^ *0 s/p' report
}

if need script; then
    chart report --no-pager data >lines
    has "a chart in the head" lines '^Over time +1\.2 MB \|.*#'
    is "... of four lines" "$(wc -l <lines)" 4
    profile grow.data "$programs/findings" drip
    chart report --no-pager grow.data >lines
    has "a steady growth rises in the chart of a recording that nobody observed" lines '^ +0 \|[.]{5,20}#{25}'
    LC_ALL=C.UTF-8 chart report --no-pager data >lines
    has "... in block characters" lines '^Over time +1\.2 MB \|.*█'
    is "... not with --no-overview" "$(chart report --no-pager --no-overview data)" ""
    is "... nor of a part" "$(chart report --no-pager --function=load data)" ""
    is "... nor in the form of 1988" "$(chart "$programs/stages" data)" ""
    has "...... which is a report" report '^Allocations +160'
    run "$mprof" report data
    hasnt "... nor in a pipe" out '^Over time'
else
    skip "a chart in the head" "$missing"
fi

# Options that make no sense are refused.
for wrong in --by=colour --from=nowhere --to=-1 '--from=end --to=start'; do
    # shellcheck disable=SC2086
    run "$mprof" plot $wrong -o none.svg data
    is "$wrong" "$status $(grep -c '^mprof: --*[fbt]\|^mprof: there is no time' err) $([ -e none.svg ] || echo none)" "2 1 none"
done
says "no such folder" "1 mprof: nowhere/none.svg: No such file or directory" "$mprof" plot -o nowhere/none.svg data
returns "--timeline=off" 0 "$mprof" run -q --timeline=off -o off "$programs/stages" </dev/null
"$mprof" merge -q -o merged data off
# absent FILE WHY: tests that FILE has no time line, because of WHY.
absent()
{
    complains "no time line: $2" "^mprof: $1 has no time line: $2" "$mprof" plot -o none.svg "$1"
    complains "--from=1s, no time line: $2" "^mprof: 1s: the recording has no time line: $2" "$mprof" report --from=1s "$1"
}
absent off "nobody observed it"
absent merged "it is merged, and each process has its own times"
refuses "--timeline=some" 2 '^mprof: --timeline=some' "$mprof" run --timeline=some "$programs/stages"

# ------------------------------------------------------------ exec, kill and restart
# When the shell calls exec, the file of the program replaces that of the shell.
begin "$mprof" run -q -o chain sh -c "exec '$programs/stages'"
stage load
end
plot --by=function chain
is "after exec" "$status $(part load end)" "0 1000000 "
is "... it was observed" "$(part load seen | sed 's/^0 //')" "1000000 "

begin "$mprof" run -q -o killed "$programs/stages"
stage load
child=$(program_of "$observer")
kill -9 "$child"
end
plot --by=function killed
is "after kill -9" "$status $(part load seen | sed 's/^0 //')$(part load end)" "0 1000000 1000000 "

begin "$mprof" run -q -o first "$programs/stages"
stage load
child=$(program_of "$observer")
"$mprof" start --wait=0 -o second "$child" >/dev/null
stage work
stage tail
# follows FILE: returns whether the observer has FILE open.
follows()
{
    find "/proc/$(looker)/fd" -lname "$tmp/$1" | grep -q .
}
until_true 120 follows second || fail "the observer follows to the second recording"
end
plot --by=function first
is "a recording that was followed" "$status $(part load seen | sed 's/^0 //')" "0 1000000 "
plot --by=function second
is "... and the one that followed" "$status $(part tail seen | sed 's/^0 //')" "0 10000 "

begin "$mprof" run -q -o third "$programs/stages"
stage load
child=$(program_of "$observer")
"$mprof" stop --wait=0 "$child" >/dev/null
stage work                              # which allocates, so the recording ends
before=$(reads)
until_true 60 seen 20 || fail "the observer notices the end of the recording"
"$mprof" start --wait=0 -o later "$child" >/dev/null
stage tail
until_true 120 follows later || fail "the observer follows to a recording that begins later"
end
plot --by=function later
is "a recording that began later" "$status $(part tail seen | sed 's/^0 //')" "0 10000 "

# ------------------------------------------------- what the monitor writes by itself
# hills FILE: prints how often the live bytes rise above three quarters of the peak and then fall below a quarter.
hills()
{
    "$mprof" plot --data="$tmp/columns" "$1" >err 2>&1
    awk '$1 == "seconds" { n++; next } n == 1 && NF && $2 != "?" { time[m] = $1; live[m++] = $2; if ($2 > peak) peak = $2 }
        END { for (i = 0; i < m; i++)
                  if (live[i] > peak * .75) up = 1; else if (live[i] < peak * .25) { count += up; up = 0 }
              print count + 0 }' columns
}

for threads in 1 8; do
    profile "$tmp/alone" "$programs/hills" $threads 5 10
    is "hills without an observer, threads: $threads" "$status $(hills alone)" "0 5"
    run "$mprof" run -q -o seen "$programs/hills" $threads 5 50
    is "hills with an observer, threads: $threads" "$status $(hills seen)" "0 5"
done
is "... the time of the peak is known" "$(plot alone; awk '$2 == "peak" && $1 > 0' moments | wc -l)" 1
profile "$tmp/alone" "$programs/hills" 1 5 0
is "... as fast as the program can" "$status $(hills alone)" "0 5"
profile "$tmp/alone" "$programs/hills" 1 100 1
is "... more points than there is room for" "$status $(hills alone)" "0 100"
at_most "...... few of which are left" "$(grep -c . points)" 1100
MPROF_SAMPLE=1000 profile "$tmp/alone" "$programs/hills" 1 5 2
is "... in a sampled recording" "$status $(hills alone)" "0 5"
MPROF_LIFETIMES=1 profile "$tmp/alone" "$programs/hills" 1 5 2
is "... with lifetimes" "$status $(hills alone)" "0 5"

# --------------------------------------------------------------------- mprof watch
: >said
LD_PRELOAD=$library MPROF_FILE=$tmp/watched "$programs/stages" <in >said 2>run.err &
child=$!
exec 3>in
echo load >&3
until_true 60 has_said load
says "a process that runs has the monitor's own time line" "0 " "$mprof" plot -o picture.svg watched
"$mprof" snapshot -q -o copy "$child"
says "a copy of it, too" "0 " "$mprof" plot -o picture.svg copy
echo text >notes
for bad in notes nowhere/data; do
    refuses "watch -o $bad: said before it watches" 1 "^mprof: .*($bad|nowhere): " \
        timeout 60 "$mprof" watch -o $bad "$child"
done
"$mprof" watch "$child" >watch.out 2>&1 3>&- &
observer=$!
until_true 60 grep -q watching watch.out || fail "watch begins"
stage work
kill -INT "$observer"
wait "$observer"
is "watch, interrupted" "$?" 0
plot --by=function watched.snapshot.1
is "... leaves a copy" "$status $(part work seen | sed 's/^0 //')" "0 200000 "
"$mprof" watch -o '%e-%p.watched' watched >watch.out 2>&1 3>&- &
other=$!
"$mprof" watch watched >watch2.out 2>&1 3>&- &
observer=$!
until_true 60 grep -q watching watch2.out || fail "a second watch begins"
stage tail
exec 3>&-
wait "$observer"
is "watch to the end" "$?" 0
wait "$other"
is "watch -o: the program and the process" "$? $(head -c 8 "stages-$child.watched")" "0 MPROFDAT"
wait "$child"
plot --by=function watched
is "... seals the file" "$(head -c 8 watched) $(part tail seen | sed 's/^0 //')$(part tail end)" \
    "MPROFDAT 10000 10000 "
says "nobody records there any more" "1 mprof: watched: no process is recording in this file" "$mprof" watch watched
says "no such process" "1 mprof: there is no process $child" "$mprof" watch "$child"
says "watch what?" "2 mprof: no process id or data file is given; see mprof watch --help" "$mprof" watch

# --------------------------------------------------------------------- its bound
run "$mprof" run -q -o wide "$programs/contexts" 100000
run "$mprof" run -q --timeline=off -o without "$programs/contexts" 100000
at_most "100,000 contexts: bytes that time takes" $(($(wc -c <wide) - $(wc -c <without))) 262144
is "... and the program's figures are the same" "$(total allocs wide)" "$(total allocs without)"

# --------------------------------------------------------------------- no memory for it
# While the program runs, mprof cannot allocate memory: it stops observing and waits for the program.
cat >starve.c <<'END'
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>
extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);
static int refused(void)
{
    if (!strstr(program_invocation_short_name, "mprof") || access("starved", F_OK) != 0)
        return 0;
    close(open("refused", O_WRONLY | O_CREAT, 0600));
    errno = ENOMEM;             /* pthread_create() relies on it */
    return 1;
}
void *malloc(size_t size) { return refused() ? NULL : __libc_malloc(size); }
void *calloc(size_t n, size_t size) { return refused() ? NULL : __libc_calloc(n, size); }
void *realloc(void *old, size_t size) { return refused() ? NULL : __libc_realloc(old, size); }
END
cat >patient.c <<'END'
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
void *volatile kept;
int main(void)
{
    close(open("starved", O_WRONLY | O_CREAT, 0600));
    for (int i = 0; i < 20000 && (i < 500 || access("refused", F_OK) != 0); i++) {
        kept = malloc(100);
        usleep(1000);
    }
    usleep(100000);
    unlink("starved");
    return 7;
}
END
gcc -shared -fPIC -o starve.so starve.c && gcc -g -o patient patient.c || exit 99
run env LD_PRELOAD="$tmp/starve.so" "$mprof" run -q -o patient.data ./patient
is "mprof gets no memory while it observes" "$(ls refused)" refused
is "... the program's status" "$status $(cat err)" "7 "
at_least "... and its allocations are recorded" "$(total allocs patient.data)" 500
plan
# SPDX-License-Identifier: MIT
