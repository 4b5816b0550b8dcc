#!/bin/sh
# mprof export: graphical viewers show the exported files and do not crash.
. "${srcdir:-.}/tests/e2e/lib.sh"

unset DEBUGINFOD_URLS WAYLAND_DISPLAY
profile costs "$programs/costs"
"$mprof" run -q -o phases "$programs/checkpoints" phases >out 2>err

# ------------------------------------------------------------ what the viewers rely on
# heaptrack_gui needs allocation records in the order of their first use, massif-visualizer a single line "desc:".
for data in costs phases; do
    "$mprof" export -F heaptrack "$data" >plain
    is "$data: allocations first use the records 0, 1, 2 ..." \
        "$(awk '$1 == "+" && !seen[$2]++ { print $2 }' plain | head -n 100)" \
        "$(awk '$1 == "+" && !seen[$2]++ { printf "%x\n", n++ }' plain | head -n 100)"
    "$mprof" export -F massif "$data" >plain
    is "$data: the first three lines of massif's file" "$(sed -n '1,3s/: .*//p' plain | paste -sd ' ') $(grep -c '^desc:' plain)" \
        "desc cmd time_unit 1"
done

# ------------------------------------------------------------------- windows
needs "viewers" Xvfb dbus-run-session xdotool import identify

cat >screen.sh <<'END_OF_SCREEN'
# screen.sh FILE COLORS VIEWER...: opens FILE on the X server, and waits until a window's title has the file's name
# and the window shows more than COLORS colors, which no longer change. Prints "title shown alive", or the part that
# became true.
file=$1 colors=$2
shift 2
Xvfb -displayfd 3 -screen 0 1024x768x24 -nolisten tcp 3>display 2>/dev/null &
server=$!
for n in $(seq 600); do
    [ ! -s display ] || break
    sleep 0.1
done
DISPLAY=:$(cat display)
export DISPLAY
"$@" "$file" >said 2>complaints &
viewer=$!
window='' result='' before='' now=''
for n in $(seq 180); do
    kill -0 $viewer 2>/dev/null || break
    if [ -z "$window" ]; then
        window=$(xdotool search --onlyvisible --name "$file" 2>/dev/null | head -n 1)
        [ -z "$window" ] || result=title
    elif import -window "$window" shot.png 2>/dev/null; then
        now=$(identify -format '%k %#' shot.png)
        if [ "${now%% *}" -gt "$colors" ] && [ "$now" = "$before" ]; then
            result="$result shown"
            break
        fi
        before=$now
    fi
    sleep 1
done
kill $viewer 2>/dev/null && result="$result alive"
wait $viewer
status=$?
kill $server
wait $server
[ $status -eq 143 ] || result="$result, status $status"
echo "$result"
END_OF_SCREEN

mkdir -m 700 home runtime
# opens FILE COLORS VIEWER: tests that VIEWER shows FILE.
opens()
{
    if ! need "$3"; then
        skip "$3 opens $1" "$missing"
        return
    fi
    rm -f display shot.png
    is "$3 opens $1" "$(HOME=$tmp/home XDG_RUNTIME_DIR=$tmp/runtime XDG_CONFIG_HOME=$tmp/home QT_QPA_PLATFORM=xcb LC_ALL=C.UTF-8 \
        dbus-run-session -- sh "$tmp/screen.sh" "$@" 2>/dev/null)" "title shown alive"
}

for data in costs phases; do
    "$mprof" export -F heaptrack -o $data.gz $data
    opens $data.gz 100 heaptrack_gui
done
for data in costs phases; do
    "$mprof" export -F massif -o $data.massif $data
    opens $data.massif 100 massif-visualizer
done
"$mprof" export -F callgrind -o callgrind.out.costs costs
opens callgrind.out.costs 100 kcachegrind
plan
# SPDX-License-Identifier: MIT
