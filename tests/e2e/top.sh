#!/bin/sh
# mprof top of a running program with known figures, as text and on a terminal.
. "${srcdir:-.}/tests/e2e/control_lib.sh"

# line NAME FILE: prints the figures of the last line that ends with NAME.
line()
{
    awk -v name="$1" '$NF == name { figures = $1 " " $2 " " $3 " " $4 " " $5 " " $6 } END { print figures }' "$2"
}

# ----------------------------------------------------------- as text, what has ended
profile widgets.data "$top/examples/widgets"
returns "text: status" 0 "$mprof" top -b widgets.data
is "text: it ends, as the recording has ended" "$(grep -c LIVE out)" 1
has "text: how it ended" out '^widgets \([0-9]+\), exit status 0, '
has "text: nothing is allocated now" out '^Now  nothing: the recording has ended$'
is "text: a function" "$(line make_widget out)" "1023876 5019 10000 2040000 - -"
run "$mprof" top -b --within --sort=name --reverse widgets.data
is "with what they call" "$(line main out)" "1023876 5019 10000 2040000 - -"
is "sorted by name, the least first" "$(awk '$1 ~ /^[0-9]+$/ { printf "%s ", $NF }' out)" \
    "make_widget make_red_widget make_blue_widget main "
prints "call sites" ' make_widget < make_red_widget < main$' "$mprof" top -b --by=site --max=1 widgets.data
has "... one of two" out '^1 more$'
run "$mprof" top -b --by=type widgets.data
is "types" "$(line widget out)" "1023876 5019 10000 2040000 - -"
run "$mprof" top -b --by=thread widgets.data
is "threads" "$(line main out)" "1023876 5019 10000 2040000 - -"
run "$mprof" top -b --by=tree widgets.data
is "the tree" "$(grep '^ *[0-9]' out | cut -c79-)" "- main
 - make_red_widget
    make_widget
 - make_blue_widget
    make_widget"
run "$mprof" top -b --function=blue widgets.data
is "a part" "$(line make_widget out)" "0 0 4981 1016124 - -"
run "$mprof" top -b --function=nowhere widgets.data
is "nothing is left" "$status $(awk '$1 ~ /^[0-9]+$/' out)" "0 "

# ----------------------------------------------------------- Lisp
if grep -q '^#define MP_HAVE_ECL 1' "$top/config.h"; then
    ecl=$(sed -n 's/^ECL = //p' "$top/Makefile")
    cat >conses.lisp <<'END'
(defvar *kept* nil)
(defun keep-conses (n) (dotimes (i n) (push i *kept*)))
END
    "$ecl" --norc --eval '(progn (compile-file "conses.lisp") (ext:quit 0))' >compiled 2>&1
    "$mprof" run -q -o lisp.data -- "$ecl" --norc --load conses.fas --eval '(keep-conses 1234)' \
        --eval '(ext:quit 0)' >out 2>&1
    run "$mprof" top --lisp -b --max=1000 --function=KEEP-CONSES lisp.data
    is "Lisp: objects by function" "$(line KEEP-CONSES out | cut -d' ' -f3)" 1234
    run "$mprof" top --lisp -b --by=type --function=KEEP-CONSES lisp.data
    is "Lisp: by type" "$(line CONS out | cut -d' ' -f3)" 1234
else
    skip "Lisp" "configured --without-ecl"
fi

# ----------------------------------------------------------- mistakes
refused 2 '^mprof: --delay=0: not a number of seconds' top -d 0 widgets.data
refused 2 '^mprof: --iterations=x: not a number from 1 to 1000000000' top -n x widgets.data
refused 2 '^mprof: --by=us: function, site, type, thread or tree' top --by=us widgets.data
refused 2 '^mprof: --sort=us: live, blocks, allocs, bytes or name' top --sort=us widgets.data
refused 2 "^mprof: 'b': one file too many" top a b
refused 1 '^mprof: cannot open none.data' top -b none.data
refused 1 '^mprof: there is no process 999999999' top -b 999999999
refused 1 '^mprof: (this is no terminal|this mprof was built without ncursesw); mprof top -b prints instead' top widgets.data

# ----------------------------------------------------------- as text, what runs
start_program
order 100
cp mprof.data before
"$mprof" top -b -d 0.1 -n 3 "$pid" >out 2>err
is "three looks" "$? $(grep -c LIVE out)" "0 3"
has "it says that it runs" out '^control \([0-9]+\), still running, '
is "figures, and no rates while nothing happens" "$(line work out)" "1000 10 100 10000 0 0"
ok "nobody wrote into the process's file" cmp before mprof.data

"$mprof" top -b -d 0.1 --sort=allocs >log 2>err "$pid" &
watcher=$!
# looks N: returns whether N samples were printed.
looks()
{
    [ "$(grep -c LIVE log)" -ge "$1" ]
}
until_true 60 looks 2
order 1000
# busy: returns whether a line of work has a rate above 0.
busy()
{
    awk '$NF == "work" && $5 + 0 > 0 && $6 + 0 > 0 { found = 1 } END { exit !found }' log
}
ok "what is allocated now has a rate" until_true 60 busy
settled()
{
    [ "$(line work log)" = "11000 110 1100 110000 0 0" ]
}
ok "... and then none" until_true 60 settled

# Another process begins a new recording.
"$mprof" start -o other.data --wait=60 "$pid" >started 2>err &
starter=$!
until_true 60 "$programs/asked" "$tmp"/*.data
order 10
wait $starter
is "another recording is begun" "$?" 0
ok "... which is followed" until_true 60 grep -q '^the process began another recording$' log
order 200
followed()
{
    [ "$(line work log | cut -d' ' -f5-6)" = "0 0" ] && [ "$(line work log | cut -d' ' -f3)" -lt 300 ]
}
ok "... with its own figures" until_true 60 followed
end_program
wait $watcher
is "it ends when the process does" "$?" 0
has "... and says so" log ', exit status 5, '

# ----------------------------------------------------------- on a terminal
plan_without()
{
    skip_all "the screen" "$1"
}
grep -q '^#define HAVE_NCURSESW 1' "$top/config.h" || plan_without "configured without ncursesw"
need tmux || plan_without "$missing"
LC_ALL=C.UTF-8
export LC_ALL
socket=mprof-$$
end_tmux()
{
    tmux -L "$socket" kill-server 2>/dev/null
    rm -rf "$tmp"
}
trap end_tmux EXIT

# screen WIDTH HEIGHT COMMAND: runs COMMAND on a terminal of that size, and then prints the terminal's modes. Each
# call has its own tmux server, because a server that ends may end the next client, too.
screens=0
screen()
{
    printf 'unset TMUX\nstty -g >modes.before\n%s\necho "ended $?"\nstty -g >modes.after\n' "$3" >script
    tmux -L "$socket" kill-server 2>/dev/null
    screens=$((screens + 1))
    socket=mprof-$$-$screens
    tmux -L "$socket" -u -f /dev/null new-session -d -x "$1" -y "$2" "sh script; sleep 1000"
}
capture()
{
    tmux -L "$socket" capture-pane -p >seen
}
sees()
{
    capture
    grep -qE -e "$1" seen
}
# shows TEXT PATTERN: tests that a row matches PATTERN within some time.
shows()
{
    if until_true 60 sees "$2"; then
        pass "$1"
    else
        fail "$1"
        sed 's/^/#   /' seen
    fi
}
# counts TEXT NUMBER PATTERN: tests that NUMBER rows match PATTERN within 60 s. The screen is drawn row by row, so all
# rows must be right at the same time.
counts()
{
    ok "$1" until_true 60 rows "$2" "$3"
}
rows()
{
    capture
    [ "$(grep -cE -e "$2" seen)" = "$1" ]
}
keys()
{
    tmux -L "$socket" send-keys "$@"
}

start_program
order 100
screen 80 24 "$mprof top -d 0.1 mprof.data"
shows "the screen" '^  *1.0 kB 100.0 +10 +0 +0 B work$'
last_row()
{
    capture
    [ "$(sed -n '24s/  .*//p' seen)" = "q quit" ]
}
ok "... of 24 rows, the last of which says what keys do" until_true 60 last_row
shows "its head" '^control \([0-9]+\), still running, [0-9.]+ s; every 0.1 s$'
order 1000
shows "live" '^ *11.0 kB 100.0 +110 +0 +0 B work$'
keys t
shows "totals" '^ *11.0 kB 100.0 +110 +1,100 +110.0 kB work$'
keys 2
shows "call sites" ' work < .*main$'
keys 3
shows "sizes" ' 100 bytes$'
keys 4
shows "threads" ' 110.0 kB main$'
keys 5
shows "the tree" ' - main$'
keys Left
shows "... closed" ' \+ main$'
keys '*'
shows "... opened, with all below" '     work$'
keys 1 ' '
shows "paused" '; every 0.1 s, paused$'
order 1000
keys u
shows "one look all the same" '^ *21.0 kB 100.0 +210 '
keys ' ' f
shows "a question" '^Only names like \(empty: all\): _$'
keys nowhere Enter
shows "a filter" '^functions by themselves by live, only those like nowhere$'
counts "... that nothing matches" 0 work
keys f C-h C-h C-h C-h C-h C-h C-h Enter
shows "all again" ' work$'
keys w
shows "a snapshot" '^[0-9.]+ k?B of data in mprof.data.snapshot.1$'
is "... which is whole" "$(books self work mprof.data.snapshot.1 | cut -d' ' -f1)" 2100
keys m mine Enter
shows "no checkpoint in a process that does nothing" '^process [0-9]+: no checkpoint was set: it allocates nothing now'
keys m '' mine Enter &
until_true 60 "$programs/asked" mprof.data
order 10
wait $!
shows "a checkpoint" '^A checkpoint mine was set$'
is "... which is there" "$("$mprof" export -F chains --from=mine mprof.data | awk '$8 ~ /;work$/ { print $1 }')" 9
keys '?'
shows "help" '^mprof top: who holds memory'
keys x
shows "... and back" '^control '
tmux -L "$socket" resize-window -x 30 -y 5
shows "a small terminal" '^ *vLIVE +BYTES NAME$'
counts "... of five rows" 3 .
tmux -L "$socket" resize-window -x 100 -y 30
shows "a larger one" '^control .*still running'
end_program
shows "the end is said" '^control \([0-9]+\), exit status 5, '
shows "... and figures stay" ' 2,110 +211.0 kB work$'
keys q
shows "q ends it" '^ended 0$'
until_true 60 test -s modes.after
ok "... and the terminal is as it was" cmp modes.before modes.after
shows "... with what it showed" '^ended 0$'
counts "... and no row of the screen" 0 work

# ----------------------------------------------------------- signals
for signal in HUP:129 INT:130 ABRT:134 SEGV:139 TERM:143; do
    rm -f modes.*
    screen 80 24 "sh -c 'echo \$\$ >top.pid; exec $mprof top widgets.data' 2>/dev/null"
    until_true 60 sees 'make_widget$'
    kill -s "${signal%:*}" "$(cat top.pid)"
    shows "SIG${signal%:*} ends it" "^ended ${signal#*:}\$"
    until_true 60 test -s modes.after
    ok "... and the terminal is as it was" cmp modes.before modes.after
    counts "... with what it showed" 0 make_widget
done

# ----------------------------------------------------------- names, colours, terminals
cat >names.c <<'END'
#include <stdlib.h>
void *volatile block;
__attribute__((noinline)) void größe(void) { block = malloc(10); __asm__(""); }
int main(void) { größe(); return 0; }
END
if ${CC:-gcc} -g -O0 -o names names.c 2>/dev/null; then
    profile names.data ./names
    screen 80 24 "$mprof top names.data"
    shows "a name in UTF-8" ' größe$'
    screen 80 24 "LC_ALL=C $mprof top names.data"
    shows "... where there is none" ' gr\?\?e$'
else
    skip "names in UTF-8" "the compiler takes none"
fi
# coloured COMMAND: prints how often COMMAND selects colours.
coloured()
{
    rm -f typescript
    screen 80 24 "script -qc '$1' typescript"
    until_true 60 sees 'make_widget$'
    keys q
    until_true 60 sees '^ended 0$'
    grep -c "$(printf '\033')\[[0-9;]*3[0-9][;m]" typescript
}
at_least "colours" "$(coloured "$mprof top widgets.data")" 1
is "none with NO_COLOR" "$(coloured "NO_COLOR=1 $mprof top widgets.data")" 0
screen 80 24 "TERM=unheard-of $mprof top widgets.data"
shows "an unknown terminal" "^mprof: the terminal 'unheard-of' is not known here; mprof top -b prints instead"
plan
# SPDX-License-Identifier: MIT
