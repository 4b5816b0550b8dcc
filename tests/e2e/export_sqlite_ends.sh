#!/bin/sh
# If mprof export -F sqlite fails or is ended by a signal, neither a journal nor half a database is left.
. "${srcdir:-.}/tests/e2e/lib.sh"

grep -q '^#define MP_HAVE_SQLITE 1' "$top/config.h" || skip_all "databases" "built without SQLite"
"$mprof" run -q -o costs.data "$programs/costs" >/dev/null
"$mprof" run -q -o other.data "$programs/killme" 100 exit >/dev/null
mkdir dbs

# export_to DB LIMIT PRELOAD: exports to dbs/DB, with a limit of file sizes and a preloaded library; sets $status.
export_to()
{
    (
        [ -z "$2" ] || ulimit -f "$2"
        exec env LD_PRELOAD="$3" "$mprof" export -F sqlite -o "dbs/$1" costs.data
    ) >out 2>err
    status=$?
}

signals=$programs/.libs/signal_at_open.so
export_to new.db 16 ""
is "no space, new: status and lines" "$status $(wc -l <err)" "1 1"
has "... why" err '^mprof: new.db: |^mprof: dbs/new.db: '
is "... nothing is left" "$(ls dbs)" ""
export_to new.db "" "$signals"
is "a signal, new: it ends the process" "$status" 143
is "... nothing is left" "$(ls dbs)" ""
touch dbs/empty.db
export_to empty.db "" "$signals"
is "a signal, an empty file" "$status" 143
is "... stays, and is empty" "$(ls dbs) $(wc -c <dbs/empty.db)" "empty.db 0"
rm dbs/empty.db

run "$mprof" export -F sqlite -o dbs/there.db other.data
is "a database" "$status $(ls dbs)" "0 there.db"
cp dbs/there.db before.db
export_to there.db 16 ""
is "no space, appending: status and lines" "$status $(wc -l <err)" "1 1"
is "... no journal" "$(ls dbs)" there.db
ok "... the database is as it was" cmp dbs/there.db before.db
export_to there.db "" "$signals"
is "a signal, appending" "$status" 143
is "... no journal" "$(ls dbs)" there.db
ok "... the database is as it was" cmp dbs/there.db before.db

# An ignored signal does not end it.
(trap '' TERM; LD_PRELOAD=$signals exec "$mprof" export -F sqlite -o dbs/there.db costs.data) >out 2>err
is "a signal that is ignored" "$?" 0
hasnt "... the run is there" err .
complains "... once" 'contains this run already' "$mprof" export -F sqlite -o dbs/there.db costs.data

# SQLite is loaded when it is needed, so that other commands start sooner, and may be absent.
LD_TRACE_LOADED_OBJECTS=1 "$mprof" >libraries
has "mprof needs libraries" libraries 'libc\.so'
hasnt "... but SQLite only for databases" libraries 'sqlite'
mkdir absent
: >absent/libsqlite3.so.0
refuses "SQLite cannot be loaded" 1 '^mprof: dbs/absent\.db: no SQLite: .*libsqlite3\.so\.0.*; Debian.s package libsqlite3-0 has it$' \
    env LD_LIBRARY_PATH="$tmp/absent" "$mprof" export -F sqlite -o dbs/absent.db costs.data
is "... nothing is left" "$(ls dbs)" there.db
plan
# SPDX-License-Identifier: MIT
