#!/bin/sh
# On a terminal, the report goes through a pager, which may be left early, and may be missing.
. "${srcdir:-.}/tests/e2e/lib.sh"

needs "a terminal" python3 less

# on_terminal.py KEYS COMMAND...: runs COMMAND on a pseudo-terminal of 24 lines. When the output pauses, it presses
# one of KEYS, then the next one. Prints the terminal's content, and returns the status.
cat >on_terminal.py <<'END'
import os, pty, select, struct, sys, fcntl, termios

keys = sys.argv[1]
pid, fd = pty.fork()
if pid == 0:
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    os.execvp(sys.argv[2], sys.argv[2:])
while True:
    ready = select.select([fd], [], [], 1.0 if keys else 60.0)[0]
    if not ready:
        if not keys:
            os.kill(pid, 9)
            break
        os.write(fd, keys[0].encode())
        keys = keys[1:]
        continue
    try:
        data = os.read(fd, 65536)
    except OSError:                     # what Linux says at the end
        break
    sys.stdout.buffer.write(data)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) & 255)
END

# on_terminal KEYS COMMAND...: sets $status, and writes the terminal's content to out.
on_terminal()
{
    TERM=vt100 "$python" on_terminal.py "$@" >raw 2>err </dev/null
    status=$?
    tr -d '\r' <raw >out
}

# A report that is larger than a pipe's buffer and a screen.
profile large.data "$programs/torture"
"$mprof" report --no-pager -verbose --full-names --no-skip --chain=all large.data >whole
at_least "the report is large" "$(wc -c <whole)" 80000
profile small.data "$programs/killme" 10 exit

on_terminal q "$mprof" report -verbose --full-names --no-skip --chain=all large.data
is "less, left at once: status" "$status" 0
has "less, left at once: it has shown the first screen" out 'torture: peak '
hasnt "less, left at once: no complaint" out '^mprof:'
on_terminal " q" "$mprof" report -verbose --full-names --no-skip --chain=all large.data
is "less, a page later: status" "$status" 0
on_terminal Gq "$mprof" report -verbose --full-names --no-skip --chain=all large.data
is "less, at the end: status" "$status" 0
has "less, at the end: it says so" out '\(END\)'
on_terminal q "$mprof" run -q --report -o run.data "$programs/killme" 10 exit
is "mprof run --report: the status is the program's" "$status" 7

MPROF_PAGER='exit 3;'
export MPROF_PAGER
on_terminal '' "$mprof" report -verbose --full-names --no-skip --chain=all large.data
is "a pager that reads nothing: status" "$status" 0
hasnt "a pager that reads nothing: no complaint" out '^mprof:'
for MPROF_PAGER in 'no-such-pager -x' no-such-pager './no folder/pager' ./on_terminal.py; do
    on_terminal '' "$mprof" report --color=never small.data
    is "$MPROF_PAGER: status" "$status" 0
    has "$MPROF_PAGER: the report is there" out '^MPROF: DYNAMIC MEMORY ALLOCATION'
    has "$MPROF_PAGER: to its end" out '\[1\].*\[1\] +main$|\[[12]\] +one_block$'
    is "$MPROF_PAGER: once" "$(grep -c '^TABLE 4' out)" 1
done
MPROF_PAGER='cat'
# shellcheck disable=SC2016
on_terminal '' sh -c 'exec "$@" <&-' - "$mprof" report --color=never small.data
is "no input: status" "$status" 0
has "no input: the pager has the report" out '^MPROF: DYNAMIC MEMORY ALLOCATION'
MPROF_PAGER='cat >copy; echo shown'
on_terminal '' "$mprof" report --color=never small.data
has "a pager by the shell" out '^shown$'
has "a pager by the shell: has it all" copy '^TABLE 4'
unset MPROF_PAGER
PAGER='no-such-pager -x'
export PAGER
on_terminal '' "$mprof" report small.data
has "PAGER, too" out 'TABLE 4'

# The overview comes first, unless it is not wanted; never in the legacy format.
PAGER=
on_terminal '' "$mprof" report --color=never small.data
has "the first rows" out '^WHERE MOST OF IT IS$'
on_terminal '' "$mprof" report --color=never --no-overview small.data
hasnt "--no-overview" out 'WHERE MOST'
on_terminal '' "$mprof" report --color=never --table=direct small.data
hasnt "not where tables are chosen" out 'WHERE MOST'
on_terminal '' "$mprof" small.data
has "1988: the tables" out 'TABLE 4'
hasnt "1988: none" out 'WHERE MOST'

# Long names lose their middle, on a terminal of 80 columns or of $COLUMNS.
cat >long_names.c <<'END'
#include <stdlib.h>
#define NAME a_name_that_is_longer_than_what_a_terminal_has_room_for_beside_the_figures_of_a_table
__attribute__((noinline)) static void *NAME(void) { return malloc(100000); }
int main(void) { return NAME() == NULL; }
END
MPROF_PAGER='cat'
if ! need gcc; then
    skip "long names" "$missing"
else
    gcc -g -O0 -o long_names long_names.c
    profile long.data ./long_names
    on_terminal '' "$mprof" report --color=never --table=leaks,direct long.data
    has "80 columns: the middle of the name is cut, in a chain" out '^ +a_name_[a-z_]*\.\.\.[a-z_]* \(long_names\.c:3\)$'
    is "80 columns: no row of table 2 is longer" \
        "$(sed -n '/^TABLE 2/,/^TABLE 3/p' out | awk 'length($0) > 80' | grep -v ' left out')" ""
    has "what is cut is the middle" out '[0-9] a_name_[a-z_]*\.\.\.[a-z_]*table$'
    COLUMNS=200 on_terminal '' "$mprof" report --color=never --table=leaks,direct long.data
    has "COLUMNS=200: nothing is cut" out ' a_name_that_is_longer_.*_has_room_for_.*_of_a_table$'
    LC_ALL=C.UTF-8 on_terminal '' "$mprof" report --color=never --table=direct long.data
    has "in a locale of UTF-8 an ellipsis is one character" out "$(printf 'a_name_[a-z_]*\342\200\246[a-z_]*table$')"
    on_terminal '' "$mprof" report --color=never --full-names --table=direct long.data
    has "--full-names: nothing is cut" out ' a_name_that_is_longer_.*_has_room_for_.*_of_a_table$'
    COLUMNS=40 "$mprof" report --table=leaks,direct long.data >out
    hasnt "in a pipe nothing is cut" out '\.\.\.[a-z]'

    # The command of a finding is complete on 80 columns, in the shell's syntax, however long the name is.
    sed 's/int main.*/int main(void) { for (int i = 0; i < 200; i++) if (!NAME()) return 1; return 0; }/' long_names.c >many.c
    gcc -g -O0 -o many many.c
    profile long.data ./many
    on_terminal '' "$mprof" findings long.data
    "$mprof" findings long.data | sed -n 's/^ *\(mprof report .*\)/\1/p' >commands
    at_least "findings have commands" "$(wc -l <commands)" 1
    is "80 columns: no line of findings is longer" "$(awk 'length($0) > 80' out)" ""
    # Lines that end in a backslash continue on the next one: the words of the command as the shell reads them.
    awk '/^ *mprof report / { inside = 1 } inside { print } !/\\$/ { inside = 0 }' out >copied
    sh -c 'mprof() { printf "%s\n" "$*"; }; . ./copied' >words
    sh -c 'mprof() { printf "%s\n" "$*"; }; . ./commands' >words.whole
    ok "80 columns: a finding's command can be copied" cmp words words.whole
    has "it goes on in the next line" copied ' \\$'
    has "also within a word that is longer than a line" copied "^'.*' long\.data$"

    # Source lines are shown without their common indentation; columns shrink before the ends of lines are cut.
    cat >deep.c <<'END'
#include <stdlib.h>
int main(int argc, char **argv)
{
    if (argc > 0)
        if (argv != NULL)
            for (int i = 0; i < 10; i++)
                {
                            /* a comment */
                            void *volatile block = malloc(1000); block = realloc(block, 20000); /* the end of the line */
                            (void)block;
                }
    return 0;
}
END
    gcc -g -O0 -o deep deep.c
    profile deep.data ./deep
    on_terminal '' "$mprof" annotate --color=never main deep.data
    is "annotate: no line is longer than 80 columns" "$(sed 1,3d out | awk 'length($0) > 80')" ""
    has "annotate: the beginning of a line is there" out '^ *[0-9]+ +\([0-9]+\).* 9  +void \*volatile block = malloc\(1000\).*\.\.\.$'
    hasnt "annotate: columns give way" out 'bytes kept'
    COLUMNS=200 on_terminal '' "$mprof" annotate --color=never main deep.data
    has "annotate: all columns where there is room" out 'self .*bytes kept'
    has "annotate: and whole lines" out ' 9  +void .* /\* the end of the line \*/$'
    "$mprof" annotate deep.c:9 deep.data >out
    has "annotate: in a pipe the lines are as they are" out ' 10                             \(void\)block;$'
fi
plan
# SPDX-License-Identifier: MIT
