#!/bin/sh
# Large desktop programs: ffmpeg, gdb, emacs, tmux, chromium; and hundreds of gcc processes.
. "${srcdir:-.}/tests/e2e/same_lib.sh"

ffmpeg_work()
{
    $under ffmpeg -nostdin -v error -f lavfi -i testsrc=duration=2:size=320x240:rate=15 \
        -f lavfi -i sine=duration=2 -c:v libx264 -threads 2 -c:a aac out.mkv
    echo "status $?"
    $under ffmpeg -nostdin -v error -i out.mkv -vf scale=160:120,hflip -f framemd5 - | tail -n 5
}
if optional ffmpeg; then
    same -s "ffmpeg" ffmpeg_work
    has "ffmpeg: it worked" out.bare '^status 0$'
fi

if optional gdb && optional gcc; then
    gcc -g -O0 -o plain "$src/examples/widgets.c"
    numbers='s/0x[0-9a-f]+/ADDRESS/g; s/process [0-9]+/process N/'
    set -- gdb -nx -batch -ex 'set debuginfod enabled off' -ex 'break malloc' -ex run \
        -ex 'info breakpoints' -ex 'delete' -ex continue "$tmp/plain"
    same -o "sed -E '$numbers'" "gdb" "$@"
    # The program in gdb is profiled too, stopped, called into, and killed.
    same -f -n 2 -o "sed -E '$numbers'" "gdb -f" gdb -nx -batch -ex 'set debuginfod enabled off' \
        -ex 'break exit' -ex run -ex 'print 6 * 7' -ex 'print (int) atoi("77")' -ex kill \
        -ex 'quit 3' "$tmp/plain"
fi

if optional emacs; then
    same "emacs" emacs --batch -Q --eval '(progn
        (dotimes (i 3000) (insert (format "%d line\n" (* i 7919 (mod i 13)))))
        (sort-lines nil (point-min) (point-max))
        (princ (md5 (buffer-string)))
        (princ (format "\n%S\n" (let (l) (dotimes (i 20000) (push (make-string 10 ?x) l)) (length l))))
        (garbage-collect)
        (princ (shell-command-to-string "echo from a shell"))
        (with-temp-file "out" (insert "text"))
        (condition-case e (car 1) (error (princ (format "%S\n" e))))
        (message "to stderr") (kill-emacs 5))'
fi

tmux_work()
{
    # The client of tmux starts the server by daemon(3).
    TERM=xterm
    export TERM
    $under tmux -L mprof-test -f /dev/null new-session -d -x 80 -y 24 'sh -c "echo in tmux; sleep 100"'
    echo "status $?"
    server=$(tmux -L mprof-test display-message -p '#{pid}')
    until_true 20 sh -c 'tmux -L mprof-test capture-pane -p | grep -q "in tmux"' || echo "no output"
    tmux -L mprof-test split-window -d 'seq 1 100000; sleep 100'
    tmux -L mprof-test list-panes -F '#{pane_width}x#{pane_height}'
    tmux -L mprof-test capture-pane -p | head -n 1
    tmux -L mprof-test kill-server
    until_true 20 sh -c "! kill -0 $server" || echo "the server lives on"
}
if optional tmux; then
    same -s -n 2 "tmux" tmux_work
    has "tmux: it worked" out.bare '^in tmux'
    hasnt "tmux: its server ended" out.bare 'lives on'
fi

cat >page.html <<'ENDH'
<!DOCTYPE html><html><body><p id="p">no</p><canvas id="c"></canvas><script>
let n = 0;
for (let i = 0; i < 300000; i++) n = (n * 31 + i) % 1000003;
const g = document.getElementById('c').getContext('2d');
g.fillRect(0, 0, 50, 50);
for (let i = 0; i < 500; i++) document.body.appendChild(document.createElement('div')).id = 'd' + i;
document.getElementById('p').textContent = 'sum ' + n;
</script></body></html>
ENDH
browser=$(command -v chromium || echo /usr/bin/chromium)
chromium_work()
{
    # shellcheck disable=SC2086
    HOME=$work $as_user $under "$browser" --headless $sandbox --disable-gpu --disable-dev-shm-usage \
        --no-first-run --user-data-dir="$work/profile" --virtual-time-budget=2000 \
        --dump-dom "file://$tmp/page.html" 2>/dev/null | sed -n 's/.*<p id="p">\([^<]*\).*/\1/p; s/.*\(d499\).*/\1/p'
}
# chromium has its own allocator, and its processes end by _exit or by a signal.
as_user=
if optional chromium; then
    if [ "$(id -u)" -eq 0 ]; then
        sandbox=--no-sandbox
        same -s -j -f -n 3 "chromium without its sandbox" chromium_work
        has "chromium without its sandbox: it worked" "$tmp/out.bare" '^sum [0-9]'
        sandbox=
        under=
        if ! other_user; then
            skip "chromium in its sandbox" "$missing"
        elif rm -rf "$work" && mkdir -m 777 "$work" && [ -z "$(cd "$work" && chromium_work)" ]; then
            skip "chromium in its sandbox" "it does not start natively: no user namespaces here"
        else
            same -s -j -f -n 3 "chromium in its sandbox" chromium_work
            has "chromium in its sandbox: it worked" "$tmp/out.bare" '^sum [0-9]'
        fi
    else
        sandbox=
        same -s -j -f -n 3 "chromium in its sandbox" chromium_work
        has "chromium in its sandbox: it worked" "$tmp/out.bare" '^sum [0-9]'
    fi
fi

gcc_work()
{
    for n in $(seq 1 150); do
        printf '#include <stdio.h>\n#include <string.h>\nint f%d(char *s) { char b[%d]; ' "$n" $((n + 9))
        printf 'return snprintf(b, sizeof b, "%%s %%zu", s, strlen(s)); }\n'
    done | split -l 3 -a 2 --additional-suffix=.c - unit
    printf 'o = $(patsubst %%.c,%%.o,$(wildcard *.c))\nall.a: $(o)\n\t@ar rcs $@ $^\n' >Makefile
    printf '%%.o: %%.c\n\t@gcc -O2 -c -o $@ $<\n' >>Makefile
    $under make -s -j4
    echo "status $?"
    cat ./*.o | sha256sum
}
if optional gcc && optional make; then
    same -s -f -n 400 "make and gcc, hundreds of processes" gcc_work
    has "make and gcc: it worked" out.bare '^status 0$'
fi
plan
# SPDX-License-Identifier: MIT
