#!/bin/sh
# A link, a FIFO, a device, a directory or another user's file may have the name that a command chooses for its output.
# The command does not write to it, follow it, or wait for it.
. "${srcdir:-.}/tests/e2e/lib.sh"
needs "commands make up names" gcc

cat >work.c <<'END'
#include <stdlib.h>
void *kept;
int main(void) { kept = malloc(100); return 0; }
END
gcc -g -O1 -o work work.c
"$mprof" run -q -o z.data ./work
"$mprof" run -q -o y.data ./work
echo precious >victim
chmod 600 victim

kinds="link dangling fifo directory"
! mknod device c 1 3 2>/dev/null || kinds="$kinds device"

# place KIND NAME: replaces NAME by a file of KIND.
place()
{
    rm -rf "$2"
    case $1 in
    link) ln -s "$tmp/victim" "$2" ;;
    dangling) ln -s "$tmp/nothing" "$2" ;;
    hard) ln victim "$2" ;;
    fifo) mkfifo "$2" ;;
    directory) mkdir "$2" ;;
    device) mknod "$2" c 1 3 ;;
    esac
}

# unharmed TEXT: tests that the last command followed no link, and did not wait.
unharmed()
{
    is "$1: nothing was followed" "$(cat victim 2>&1) $(stat -c %a victim) $(ls nothing 2>/dev/null)" "precious 600 "
    ok "$1: does not wait" test "$status" -ne 124
}

# in_the_way TEXT NAME COMMAND...: tests that COMMAND fails with one line if NAME is a file of any of the $kinds.
in_the_way()
{
    about=$1 name=$2
    shift 2
    for kind in $kinds; do
        place "$kind" "$name"
        before=$(stat -c '%F %i' "$name")
        refuses "$about, $kind: is refused" 1 "$name" timeout -k 5 60 "$@"
        unharmed "$about, $kind"
        is "$about, $kind: is still there" "$(stat -c '%F %i' "$name")" "$before"
        rm -rf "$name"
    done
}

# ------------------------------------------------------------------ pages
in_the_way "a page" z.html "$mprof" html z.data
in_the_way "a page in a directory" "$tmp/z.html" "$mprof" html "$tmp/z.data"
in_the_way "a page of differences" diff.html "$mprof" diff --html y.data z.data
place hard z.html
returns "a page, a hard link is replaced" 0 "$mprof" html z.data
unharmed "a page, a hard link"
ok "... the page is another file" grep -q '<html' z.html
returns "one's own page is replaced" 0 "$mprof" html z.data
for command in html "diff --html z.data"; do
    set -- $command
    name=z.html
    [ "$1" = html ] || name=diff.html
    for kind in link directory fifo; do
        rm -rf ./*.tmp-*
        # the process id stays the same
        run sh -c 'case $2 in
            link) ln -s "$1/victim" "$3.tmp-$$" ;;
            fifo) mkfifo "$3.tmp-$$" ;;
            directory) mkdir "$3.tmp-$$" ;;
            esac
            shift 3
            exec timeout --foreground -k 5 60 "$@"' sh "$tmp" "$kind" "$name" "$mprof" "$@" y.data
        unharmed "$1, $kind with the temporary name"
    done
done
rm -rf ./*.tmp-* ./*.html

# ------------------------------------------------------------------ beside data files
profile raw ./work
for kind in $kinds hard; do
    cp raw live
    place "$kind" live.log
    place "$kind" live.1.heap
    run timeout -k 5 60 "$mprof" seal live
    unharmed "seal, $kind as log and snapshot"
    is "seal, $kind: the recording is sealed" "$(head -c 8 live)" "$(head -c 8 z.data)"
    ok "seal, $kind: what is no log stays" test -e live.log -o -L live.log
    rm -rf live*
    place "$kind" mprof.data
    run timeout -k 5 60 "$mprof" run -q ./work
    unharmed "run, $kind as mprof.data"
    rm -rf mprof.data*
    place "$kind" named.data
    run timeout -k 5 60 env LD_PRELOAD="$library" MPROF_FILE=named.data MPROF_LEAKS=1 ./work
    is "LD_PRELOAD, $kind as data file: the program runs" "$status" 0
    unharmed "LD_PRELOAD, $kind as data file"
    rm -rf named.data*
    place "$kind" leaks.data.1.heap
    run timeout -k 5 60 "$mprof" run -q --leaks -o leaks.data ./work
    unharmed "run --leaks, $kind as snapshot"
    rm -rf leaks.data*
done

# ------------------------------------------------------------------ a database
if "$mprof" export --formats | grep -q sqlite; then
    for suffix in journal wal; do
        for kind in $kinds; do
            rm -rf db*
            "$mprof" export -F sqlite -o db z.data
            place "$kind" db-$suffix
            run timeout -k 5 60 "$mprof" export -F sqlite -o db y.data
            unharmed "export, $kind as db-$suffix"
            rm -rf db-$suffix
        done
    done

    # journal NAME: puts a journal beside `db` that SQLite would play back, and would then remove the file NAME.
    journal()
    {
        "$python" - "$1" <<'END_OF_SCRIPT'
import os, struct, sys
with open("db", "rb") as file:
    page = struct.unpack(">H", file.read(18)[16:])[0]
name, magic = os.fsencode(sys.argv[1]), bytes.fromhex("d9d505f920a163d7")
head = magic + struct.pack(">5I", 0, 0, os.path.getsize("db") // page, 512, page)
with open("db-journal", "wb") as file:
    file.write(head.ljust(512, b"\0") + struct.pack(">I", 0x40000000 // page + 1) + name +
               struct.pack(">2I", len(name), sum(name)) + magic)
END_OF_SCRIPT
    }
    for name in victim other.data other.data-journal; do
        rm -f db*
        "$mprof" export -F sqlite -o db z.data
        [ $name = victim ] || echo precious >$name
        journal "$tmp/$name"
        run "$mprof" export -F sqlite -o db y.data
        unharmed "export, a journal that names $name"
        is "... which stays" "$(cat $name)" precious
    done
fi

# ------------------------------------------------------------------ directories below a typed one
# folders TEXT NAME COMMAND...: makes a link NAME below `home`. Tests that COMMAND creates nothing behind the link,
# unless only the user can have made the link.
folders()
{
    about=$1 name=$2
    shift 2
    for mode in 777 755; do
        rm -rf home elsewhere
        folder=$(dirname "home/$name")
        mkdir -p "$folder" elsewhere
        chmod 755 elsewhere
        ln -s "$tmp/elsewhere" "home/$name"
        chmod "$mode" "$folder"
        run timeout -k 5 60 env -u MPROF_CACHE -u XDG_CACHE_HOME HOME="$tmp/home" "$@"
        is "$about, $name in a directory of mode $mode" "$(ls elsewhere | wc -l)" "$([ $mode = 777 ]; echo $?)"
    done
}
profile cached ./work
cp cached kept
for name in .cache .cache/mprof; do
    folders "the cache of names" "$name" sh -c "cp kept cached; exec $mprof report cached"
done

# ------------------------------------------------------------------ root in another user's directory
if [ "$(id -u)" -ne 0 ] || ! id nobody >/dev/null 2>&1; then
    skip "root in another user's directory" "not root, or there is no user nobody"
else
    chmod 711 "$tmp"
    mkdir theirs
    cp z.data theirs
    chown -R nobody theirs
    as_nobody() { setpriv --reuid=nobody --clear-groups "$@"; }
    as_nobody ln -s "$tmp/victim" theirs/z.html
    refuses "root, a link of nobody: is refused" 1 "z.html: is a symbolic link" "$mprof" html theirs/z.data
    unharmed "root, a link of nobody"
    rm theirs/z.html
    as_nobody touch theirs/z.html
    refuses "root, a page of nobody: is refused" 1 "z.html: belongs to another user" "$mprof" html theirs/z.data
    is "... and stays" "$(stat -c '%U %s' theirs/z.html)" "nobody 0"
    rm theirs/z.html
    returns "root, no page: is written" 0 "$mprof" html theirs/z.data
    is "... by root" "$(stat -c %U theirs/z.html)" root
    if "$mprof" export --formats | grep -q sqlite; then
        cd theirs || exit 99
        for suffix in journal wal shm; do
            rm -f db*
            "$mprof" export -F sqlite -o db z.data
            [ $suffix = journal ] || "$python" -c 'import sqlite3
sqlite3.connect("db").execute("PRAGMA journal_mode = WAL")'
            journal "$tmp/victim"
            [ $suffix = journal ] || mv db-journal db-$suffix
            chown nobody db*
            before=$(stat -c '%i %s' db db-$suffix)
            refuses "root, nobody's db-$suffix: is refused" 1 \
                "db: the file with -$suffix after this name belongs to another user" \
                "$mprof" export -F sqlite -o db ../y.data
            is "... and stays" "$(stat -c '%i %s' db db-$suffix)" "$before"
            (cd .. && ls victim) >victims
            is "... and the file that it names" "$(cat victims)" victim
        done
        rm -f db-*
        "$python" -c 'import sqlite3
sqlite3.connect("db").execute("PRAGMA journal_mode = DELETE")'
        returns "root, nobody's database" 0 "$mprof" export -F sqlite -o db ../y.data
        is "... no journal is left" "$(ls db*)" db
        cd ..
    fi
    as_nobody mkdir -p theirs/.cache
    run env -u MPROF_CACHE -u XDG_CACHE_HOME HOME="$tmp/theirs" "$mprof" report cached
    is "root creates nothing in nobody's home" "$(find theirs/.cache -user root)" ""
fi
plan
# SPDX-License-Identifier: MIT
