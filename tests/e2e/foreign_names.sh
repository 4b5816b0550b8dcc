#!/bin/sh
# Data files, programs, processes and other tools' files name files. Those that are no regular files are not opened:
# a device can have effects, and a FIFO can wait or wake up its writer. Their names are resolved with O_PATH only.
. "${srcdir:-.}/tests/e2e/lib.sh"
needs "only regular files are opened" gcc strace objcopy
strace -o trace -e trace=openat true 2>/dev/null || skip_all "only regular files are opened" "strace may not trace"

# place KIND NAME: replaces the file NAME by a FIFO, a socket, a link to a FIFO, or a device like /dev/null.
mkfifo behind
place()
{
    rm -f "$2"
    case $1 in
    fifo) mkfifo "$2" ;;
    link) ln -s "$tmp/behind" "$2" ;;
    socket) "$python" -c 'import socket, sys; socket.socket(socket.AF_UNIX).bind(sys.argv[1])' "$2" ;;
    device) mknod "$2" c 1 3 ;;
    esac
}

kinds="fifo device"
if ! mknod device c 1 3 2>/dev/null; then
    kinds="fifo socket"
    skip "devices are not opened" "none can be made: mknod"
fi

# checked TEXT NAME COMMAND...: tests that COMMAND ends if NAME is a file of any of the $kinds, and that it opens NAME
# with O_PATH only. COMMAND uses `data`, a copy of the live file `raw`.
checked()
{
    about=$1 name=/${2##*/}\" path=$2
    shift 2
    for kind in $kinds; do
        place "$kind" "$path"
        [ ! -f raw ] || cp raw data
        run timeout -k 5 60 strace -f -o trace -e trace=open,openat,openat2,creat,connect "$@"
        ok "$about, $kind: ends" test "$status" -ne 124
        grep -F -e "$name" -e "\"${name#/}" trace >found
        is "$about, $kind: is not opened" "$(grep -v -e O_PATH -e ENOENT found)" ""
        has "$about, $kind: was found" found '".*O_PATH.* = [0-9]'
        rm -f "$path"
    done
}

# ------------------------------------------------------------------ modules and what they name
cat >lib.c <<END
#include <stdlib.h>
void *kept[10];
#line 1 "$tmp/source.c"
void work(void) { for (int i = 0; i < 10; i++) kept[i] = malloc(100); }
END
echo 'void work(void); int main(void) { work(); return 0; }' >prog.c
gcc -g -O1 -shared -fPIC -o whole lib.c && gcc -g -O1 -Wl,-rpath,"$tmp" -o prog prog.c ./whole

# record FILE: makes FILE the library, and `raw` a live file of the program with it.
record()
{
    [ "$1" = whole ] || cp "$1" whole
    rm -f raw
    profile raw ./prog
}

cp whole original
record whole
cp raw sealed
"$mprof" seal sealed 2>/dev/null
few=$kinds
kinds="$kinds link"
checked "a module of a live file" "$tmp/whole" "$mprof" report --lines data
kinds=$few
checked "a module for --executable" "$tmp/other" "$mprof" report --executable=other data
cp original whole
checked "a module of a sealed file, for pprof" "$tmp/whole" "$mprof" export -F pprof -o out.pprof sealed

# Separate debug information: the link by name, dwz's common file, .dwo files.
objcopy --only-keep-debug original work.debug
objcopy --strip-debug --add-gnu-debuglink=work.debug original linked
record linked
mkdir .debug
checked "a debug file" "$tmp/work.debug" "$mprof" report --lines data
checked "a debug file in .debug" "$tmp/.debug/work.debug" "$mprof" report --lines data
printf '%s\0%s' "$tmp/common" 01234567890123456789 >alt
objcopy --add-section .gnu_debugaltlink=alt original alternate
record alternate
checked "dwz's common file" "$tmp/common" "$mprof" report --lines data
for version in 4 5; do
    gcc -g "-gdwarf-$version" -gsplit-dwarf -O1 -shared -fPIC -o split lib.c
    record split
    for dwo in *.dwo; do
        checked "a .dwo file of DWARF $version" "$tmp/$dwo" "$mprof" report --lines data
    done
done

# ------------------------------------------------------------------ sources
record original
checked "a source of annotate" "$tmp/source.c" "$mprof" annotate --no-pager work data
checked "a source of the page" "$tmp/source.c" "$mprof" html --source -o page.html data

# ------------------------------------------------------------------ other tools' files
cat >legacy.heap <<END
heap profile: 1: 100 [1: 100] @ heapprofile
1: 100 [1: 100] @ 0x400100

MAPPED_LIBRARIES:
00400000-00500000 r-xp 00000000 00:00 0 $tmp/imported
END
checked "a mapping of a heap profile" "$tmp/imported" "$mprof" report legacy.heap
# mapping FILE: makes made.pprof, which has a mapping of FILE.
mapping()
{
    PYTHONPATH=$src/tests/e2e "$python" - plain.pprof space 100 "$1" <<'END'
import sys
from make_pprof import field
names = ["", "space", "bytes", sys.argv[4]]
open("made.pprof", "wb").write(
    field(1, field(1, 1) + field(2, 2)) + field(2, field(1, 1) + field(2, 100)) +
    field(3, field(1, 1) + field(2, 4096) + field(3, 8192) + field(5, 3)) +
    field(4, field(1, 1) + field(2, 1) + field(3, 5000)) + b"".join(field(6, name.encode()) for name in names))
END
}
mapping "$tmp/imported"
checked "a mapping of a profile of pprof" "$tmp/imported" "$mprof" report made.pprof

# Reading a regular file of the kernel can have effects. A link to a file elsewhere is followed.
# opened NAME: prints whether NAME is looked up, and whether it is opened.
opened()
{
    mapping "$1"
    run timeout -k 5 60 strace -o trace -e trace=open,openat,openat2 "$mprof" report made.pprof
    awk -v name="\"$1\"" 'index($0, name) { looked++; if (!/O_PATH/) direct = 1 }
        looked && /"\/proc\/self\/fd\/.* = [0-9]/ { direct = 1 }
        END { print (looked > 0) + 0, direct + 0 }' trace
}
for name in /proc/version /proc/self/maps /proc/sys/kernel/ostype /sys/kernel/notes /sys/fs/cgroup/cgroup.procs \
    /sys/fs/cgroup/memory/cgroup.procs /sys/kernel/tracing/trace_pipe /sys/kernel/debug/sleep_time; do
    [ ! -f "$name" ] || is "$name is found, but not opened" "$(opened "$name")" "1 0"
done
is "/proc/self/exe is opened" "$(opened /proc/self/exe)" "1 1"

# ------------------------------------------------------------------ data files and what is beside them
rm raw
checked "a data file" "$tmp/data" "$mprof" report data
checked "a file of the run" "$tmp/run.data.1" "$mprof" run -q -o run.data ./prog
checked "mprof run's output" "$tmp/default.data" "$mprof" run -q -o default.data ./prog

# ------------------------------------------------------------------ programs
printf '#!%s\n' "$tmp/interpreter" >script
chmod +x script
cat >starter.c <<'END'
#include <unistd.h>
int main(int argc, char **argv) { execv(argv[argc - 1], argv + 1); return 3; }
END
gcc -o starter starter.c
checked "a program that a program starts" "$tmp/program" "$mprof" run -f -q -o started.data ./starter "$tmp/program"
checked "... and the interpreter of its script" "$tmp/interpreter" \
    "$mprof" run -f -q -o started.data ./starter "$tmp/script"
plan
# SPDX-License-Identifier: MIT
