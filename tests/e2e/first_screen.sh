#!/bin/sh
# The first screen: the first 24 lines of 80 columns of a report, on a terminal and through a pipe, have a finding, the
# function to look at by its own name, its line, and the next command. Also mprof plot and mprof annotate by themselves.
. "${srcdir:-.}/tests/e2e/lib.sh"

needs "a terminal" python3

# screen COMMAND...: writes what COMMAND prints first on a terminal of 24 lines and 80 columns to out.
cat >screen.py <<'END'
import fcntl, os, pty, struct, sys, termios

pid, fd = pty.fork()
if pid == 0:
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    os.execvp(sys.argv[1], sys.argv[1:])
text = b""
while True:
    try:
        data = os.read(fd, 65536)
    except OSError:                     # Linux reports the end of a terminal as an error
        break
    if not data:
        break
    text += data
sys.stdout.buffer.write(text)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) & 255)
END
screen()
{
    env -u COLUMNS -u MPROF_PAGER TERM=dumb PAGER=cat NO_COLOR=1 "$python" screen.py "$@" >raw 2>err </dev/null
    status=$?
    tr -d '\r' <raw >whole
    head -n 24 whole | cut -c1-80 >out
}

# tells HOW OWNER PLACE: tests that the first screen, in the file out, names the figures, a finding, the function that
# matches OWNER, its line, which matches PLACE, and the next command.
tells()
{
    has "$1: a sentence of figures, with its terms" out '^[a-z]+: peak .* kept \((not freed until the end|alive after)'
    has "$1: a finding" out '^ 1\. [A-Z]'
    has "$1: the function's own name" out "$2"
    has "$1: its line" out "$3"
    has "$1: the next command" out '^    mprof [a-z]+ '
    hasnt "$1: not the facts about the recording" out '^Process '
}

# A program compiled with -g that copies each line it reads, and never frees the copies.
cat >lines.c <<'END'
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *
xmalloc(size_t size)
{
    void *block = malloc(size);

    return block ? block : (abort(), block);
}

static char *
join(const char *line)
{
    char *copy = xmalloc(strlen(line) + 1);

    return strcpy(copy, line);
}

int
main(int argc, char **argv)
{
    FILE *file = fopen(argv[argc - 1], "r");
    char *line = NULL;
    size_t size = 0;
    unsigned long sum = 0;

    while (file && getline(&line, &size, file) > 0)
        sum += (unsigned char)*join(line);
    return sum == 0;
}
END
seq -f 'line %07g of a text' 30000 >text
if need gcc && gcc -g -O1 -fno-inline -o lines lines.c; then
    returns "recorded" 0 "$mprof" run -o data ./lines text
    has "a run ends with a finding" err '^mprof: .*join.* 30,000 '
    is "and with one command" "$(tail -n 1 err)" "mprof report data"
    has "terms are explained" err '^mprof:   kept .*  not freed until the end$'
    screen "$mprof" report data
    is "on a terminal: status" "$status" 0
    tells "on a terminal" join 'lines\.c:1[0-9]'
    "$mprof" report data | head -n 24 | cut -c1-80 >out
    tells "through a pipe" join 'lines\.c:1[0-9]'
    is "through a pipe: the facts come last" "$("$mprof" report data | grep -c '^MPROF: ')" 1
    ok "and end the report" sh -c "'$mprof' report data | tail -n 30 | grep -q '^Temporary'"
    is "--head: they come first" "$("$mprof" report --head data | sed -n 1p)" "MPROF: DYNAMIC MEMORY ALLOCATION"
    "$mprof" report --table=leaks data >out
    has "chains have lines" out '> main \(lines\.c:[0-9]+\) > join \(lines\.c:[0-9]+\)$'
    "$mprof" report --table=leaks --no-lines data >out
    has "--no-lines" out '> main > join$'
    "$mprof" report --json --table=leaks data >out
    hasnt "JSON is as before" out '"names": *\[[^]]*lines\.c'

    # mprof annotate by itself
    "$mprof" annotate --source=. data >hottest
    "$mprof" annotate --source=. join data >by_name
    ok "annotate: the hottest function" cmp hottest by_name
    ok "annotate: in mprof.data" sh -c "cp data mprof.data; '$mprof' annotate --source=. | cmp - by_name"
    refuses "annotate: one file too many" 2 'one file too many' "$mprof" annotate data data

    # A chart on the terminal
    LC_ALL=C.UTF-8 screen "$mprof" plot data
    is "plot: status" "$status" 0
    is "plot: 15 rows" "$(grep -c ' |' out)" 15
    has "plot: with blocks" out '█'
    is "plot: from the highest to 0" "$(sed -n '1s/^ *\([0-9.]* [kM]*B\) .*/\1/p; 15s/^ *\(0\) .*/\1/p' out | tr '\n' ' ')" \
        "$("$mprof" report data | sed -n 's/.*peak \([0-9.]* [kM]*B\),.*/\1/p' | sed 1q) 0 "
    has "plot: the time" out '^ +0 s +[0-9.]+ s$'
    has "plot: the largest part" out '^ +[0-9.]+ [kM]*B  join$'
    at_most "plot: in 24 lines" "$(wc -l <whole)" 24
    LC_ALL=C screen "$mprof" plot --by=module --function=join data
    is "plot: in ASCII, of a part" "$(grep -c ' |[ .#]*$' out)" 15
    hasnt "plot: no blocks" out '█'
    screen "$mprof" plot -o time.svg data
    is "plot -o: a picture" "$status $(head -c 4 time.svg)" "0 <svg"

    # Without lines
    gcc -O1 -fno-inline -o bare lines.c
    profile bare.data ./bare text
    "$mprof" report bare.data | head -n 24 >out
    has "without lines: how to get them" out '^No source lines are known of bare: compile it with -g\.$'
    refuses "annotate without lines" 1 '^mprof: No source lines are known of bare: compile it with -g' \
        "$mprof" annotate bare.data
else
    skip "a program with lines" "$missing"
fi

# Programs of the distribution, whose names are those of their dynamic symbols.
if need perl; then
    profile perl.data perl -e '$h{$_ % 997} .= "$_," for 1 .. 50000; push @kept, "x" x 100 for 1 .. 20000'
    screen "$mprof" report perl.data
    has "perl: a finding, or that there is none" out '^( 1\. [A-Z]|None)'
    has "perl: the function's own name" out ' Perl_[a-z]+'
    has "perl: the next command" out '^    mprof [a-z]+ '
else
    skip "perl" "$missing"
fi

# An interpreter whose script copies a text that becomes longer. Debian's mawk has no names and no lines.
if need mawk; then
    seq -f 'some%05g words of text' 8000 >words
    "$mprof" run -q --report -o awk.data mawk '{ s = s $1 } END { print length(s) }' words >out
    sed -e 1d -e '/^TABLE/q' out >of_run
    "$mprof" report awk.data | sed '/^TABLE/q' >of_report
    ok "run --report: begins as mprof report of its file" diff of_run of_report
    copies='^ 1\. Copied to become longer\. [a-z_]+(\+0x[0-9a-f]+)?[ ,]'
    lineless='^No source lines are known of mawk: |\.c:[0-9]'
    screen "$mprof" report awk.data
    tells "mawk, on a terminal" "$copies" "$lineless"
    "$mprof" report awk.data | head -n 24 | cut -c1-80 >out
    tells "mawk, through a pipe" "$copies" "$lineless"
else
    skip "mawk" "$missing"
fi

# The overview: the unusual figure is first, and each share belongs to its column.
cat >turn.c <<'END'
#include <stdlib.h>
static void *volatile last;
static void *big(void) { return malloc(1000000); }
static void *small(void) { return malloc(10); }
int
main(void)
{
    last = malloc(500);
    for (int i = 0; i < 300; i++) {
        void *block = big();

        last = block;
        free(block);
    }
    for (int i = 0; i < 2700; i++)
        last = small();
    return 0;
}
END
if need gcc && gcc -g -O1 -fno-inline -o turn turn.c; then
    profile turn.data ./turn
    "$mprof" report --table=overview turn.data | sed -n '/^most/,/^$/p' | tr -s ' ' >out
    is "overview: what is allocated is 300 times the peak" "$(sed -n 2p out)" \
        "allocated 300000000 (99) 300 (9) big (turn.c:3)"
    has "overview: how often" out '^allocations 27000 2700 \(89\) small \(turn\.c:4\)$'
    has "overview: the peak" out '^alive at the peak 1000000 \(9[0-9]\) 1 .*big'
    has "overview: what is kept" out '^kept 27000 \(98\) 2700 \(99\) small'
else
    skip "the overview" "$missing"
fi
plan
# SPDX-License-Identifier: MIT
