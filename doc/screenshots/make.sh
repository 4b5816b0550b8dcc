#!/bin/sh
# SPDX-License-Identifier: MIT
# The pictures of the README and of doc/, made anew from programs that run: top.png, report.png, html.png, source.png,
# flame.png.
#
#     doc/screenshots/make.sh [FOLDER]        default: where this script is
#
# Needs tmux, chromium, gcc, perl and python3, and a built mprof ($MPROF, or ./mprof).  Each picture has less
# than 200 KB, or it is an error.  What is in them differs a little from run to run.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
to=$(cd "${1:-$here}" && pwd)
mprof=${MPROF:-$here/../../mprof}
for command in tmux chromium gcc perl python3 "$mprof"; do
    command -v "$command" >/dev/null || { echo "$0: there is no $command" >&2; exit 1; }
done
mprof=$(cd "$(dirname "$mprof")" && pwd)/$(basename "$mprof")
work=$(mktemp -d "${TMPDIR:-/tmp}/mprof-pictures.XXXXXX")
socket=mprof-pictures-$$
program=
end()
{
    tmux -L "$socket" kill-server 2>/dev/null || :
    [ -z "$program" ] || kill "$program" 2>/dev/null || :
    rm -rf "$work"
}
trap end EXIT
trap 'exit 99' HUP INT TERM
LC_ALL=C.UTF-8
export LC_ALL
unset NO_COLOR TMUX

# photograph NAME WIDTH HEIGHT PAGE: NAME.png of a page
photograph()
{
    chromium --headless --no-sandbox --disable-gpu --hide-scrollbars --force-color-profile=srgb \
        --user-data-dir="$work/chromium" --virtual-time-budget=8000 --window-size="$2,$3" \
        --screenshot="$work/$1.png" "file://$4" >"$work/$1.log" 2>&1
    size=$(wc -c <"$work/$1.png") || { tail -n 3 "$work/$1.log" >&2; exit 1; }
    [ "$size" -lt 200000 ] || { echo "$0: $1.png has $size bytes" >&2; exit 1; }
    mv "$work/$1.png" "$to/$1.png"
    echo "$to/$1.png: $size bytes"
}

# terminal COLUMNS ROWS COMMAND: run it on a terminal of that size
terminal()
{
    tmux -L "$socket" kill-server 2>/dev/null || :
    tmux -L "$socket" -u -f /dev/null new-session -d -x "$1" -y "$2" "cd '$work' && $3; sleep 600"
}

# shows PATTERN: wait until the screen does
shows()
{
    polls=600
    until tmux -L "$socket" capture-pane -p | grep -qE -e "$1"; do
        polls=$((polls - 1))
        [ $polls -gt 0 ] || { echo "$0: the screen never shows $1" >&2; exit 1; }
        sleep 0.1
    done
}

# developed NAME COLUMNS ROWS TITLE: NAME.png of the terminal
developed()
{
    tmux -L "$socket" capture-pane -e -p >"$work/$1.txt"
    python3 "$here/terminal.py" "$4" <"$work/$1.txt" >"$work/$1.html"
    photograph "$1" $(($2 * 843 / 100 + 26)) $(($3 * 18 + 42)) "$work/$1.html"
}

cat >"$work/words.pl" <<'END'
# Counts words of texts that it makes up; each text refers to itself, so that Perl never frees it.
srand 1;
for my $n (1 .. $ARGV[0]) {
    my @words = map { join "", map { chr 97 + rand 26 } 1 .. 1 + rand 6 } 1 .. 300;
    my %count;
    $count{$_}++ for @words;
    my @sorted = sort { $count{$b} <=> $count{$a} || $a cmp $b } keys %count;
    my $text = { text => join(" ", @words), best => [@sorted[0 .. 9]] };
    $text->{itself} = $text;
    print scalar(@sorted), "\n";
}
END

cd "$work"
"$mprof" run -q -o live.data perl words.pl 1000000 >/dev/null 2>&1 &
program=$!
polls=100
until [ -s live.data ] || [ $polls -eq 0 ]; do
    polls=$((polls - 1))
    sleep 0.1
done
sleep 2
terminal 100 24 "'$mprof' top --by=tree live.data"
shows 'allocations/s'
tmux -L "$socket" send-keys / Perl_sv_grow Enter
shows 'Perl_sv_grow'
sleep 2
developed top 100 24 "mprof top"
kill "$program"
wait "$program" 2>/dev/null || :
program=

"$mprof" run -q -o words.data perl words.pl 3000 >/dev/null
terminal 110 45 "MPROF_PAGER='head -n 43' '$mprof' report words.data"
shows 'TABLE'
developed report 110 45 "mprof report"

# A program with debug information and a source: the example of 1988.
cp "$here/../../examples/widgets.c" .
gcc -g -O1 -o widgets widgets.c
"$mprof" run -q -o widgets.data ./widgets
"$mprof" html -q -o page.html widgets.data
photograph html 1280 900 "$work/page.html"
photograph source 1280 620 "$work/page.html#view=source&figure=kept"

# A program with more functions than perl has here: the C compiler.
cat >count.c <<'END'
#include <stdio.h>
int main(void) { for (int i = 0; i < 9; i++) printf("%d ", i); return 0; }
END
"$mprof" run -q -f --only=cc1 -o cc1.data gcc -O2 -c count.c
for file in cc1.data*; do
    "$mprof" html -o flame.html "$file"
done
photograph flame 1280 700 "$work/flame.html#view=flame"
