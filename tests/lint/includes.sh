#!/bin/sh
# Include rules of ARCHITECTURE.md: includes go in one direction, from the hook to the output.
. "${srcdir:-.}/tests/e2e/tap.sh"

cd "$src" || exit 99

# included FOLDER: prints "FILE HEADER" for every #include "..." in FOLDER.
included()
{
    find "$1" -name '*.[ch]' -o -name '*.cc' 2>/dev/null | LC_ALL=C sort | while read -r file; do
        sed -n 's/^[[:space:]]*#[[:space:]]*include[[:space:]]*"\([^"]*\)".*/\1/p' "$file" |
            while read -r header; do
                [ "$header" = config.h ] || echo "$file $header"
            done
    done
}

# none LIST: returns whether the check of what is in LIST, which is not empty, found nothing wrong, and prints it if not.
none()
{
    [ -s "$1" ] || echo "nothing was checked" >>"$tmp/wrong"
    cat "$tmp/wrong"
    [ ! -s "$tmp/wrong" ]
}

# only FOLDER HEADER...: returns whether files of FOLDER include only files of FOLDER and the listed headers.
only()
{
    folder=$1
    shift
    included "$folder" >"$tmp/included"
    while read -r file header; do
        case $header in
        "$folder"/*) continue ;;
        */*) ;;
        *) [ ! -f "${file%/*}/$header" ] || continue ;;
        esac
        for allowed; do
            [ "$header" = "$allowed" ] && continue 2
        done
        echo "$file includes $header"
    done <"$tmp/included" >"$tmp/wrong"
    none "$tmp/included"
}

ok "runtime sees runtime only" only runtime
ok "c-bridge sees the monitor's interface" only c-bridge lisp-bridge/lisp.h \
    runtime/allocations.h runtime/compiler.h runtime/mapping_calls.h runtime/monitor.h runtime/mprof.h runtime/sanitizer.h \
    runtime/record/block_filter.h runtime/record/operators.h runtime/record/sentinel.h runtime/scan/scan_mapped.h \
    runtime/session/faults.h runtime/session/hook_mode.h runtime/session/session.h runtime/system/dynamic.h \
    runtime/system/elf_file.h runtime/system/imports.h runtime/system/sandbox.h runtime/system/sys.h runtime/unwind/module.h
if [ -n "$(find lisp-bridge -name '*.c' 2>/dev/null)" ]; then
    ok "lisp-bridge sees the monitor's interface" only lisp-bridge \
        runtime/compiler.h runtime/decimal.h runtime/ecl_c_name.h runtime/format.h runtime/heap_format.h runtime/heap/heap_record.h \
        runtime/heap/heap_quick.h runtime/heap/heap_snapshot.h runtime/language/language.h \
        runtime/language/name.h \
        runtime/monitor.h runtime/mprof.h runtime/session/session.h runtime/session/session_checkpoint.h \
        runtime/sizeclass.h runtime/snapshot/snapshot_copy.h runtime/snapshot/snapshot_stream.h \
        runtime/system/dynamic.h runtime/system/gate.h runtime/system/hash.h runtime/system/imports.h \
        runtime/system/program.h runtime/system/sandbox.h runtime/system/sys.h runtime/system/sys_process.h
fi
ok "lisp sees the bridge's interface and the reporter's" only lisp \
    lisp-bridge/lisp.h lisp-bridge/objects.h reporter/api.h runtime/heap/heap_record.h
ok "reporter sees the leaves of runtime" only reporter runtime/ecl_c_name.h runtime/format.h \
    runtime/heap_format.h runtime/runner_message.h \
    runtime/sanitizer.h runtime/heap_every.h runtime/signal_name.h runtime/sizeclass.h runtime/system/elf_file.h \
    runtime/template.h runtime/utf8.h runtime/writer.h

# The Lisp bridge takes no lock of its own: a thread that libgc has stopped keeps its locks, so waiting for one under
# the gate's lock could last forever.
no_lock()
{
    grep -nE 'pthread_(mutex|rwlock|spin|cond)_' lisp-bridge/*.[ch] >"$tmp/wrong" 2>&1
    cat "$tmp/wrong"
    [ ! -s "$tmp/wrong" ]
}
ok "lisp-bridge has no lock but the gate's" no_lock

# members: prints the members of ECL's structs in objects.h as MEMBER(struct, member).
members()
{
    sed -n '/^struct [a-z_]* {/,/^};/p' lisp-bridge/objects.h | sed 's,/\*.*\*/,,; s/union {[^}]*}//' |
        awk '/^struct/ { type = $2; next }
             { n = split($0, declared, /[,;]/)
               for (i = 1; i < n; i++)
                   if (match(declared[i], /[a-z_0-9]+\)? *$/)) {
                       member = substr(declared[i], RSTART)
                       sub(/\)? *$/, "", member)
                       if (member !~ /^unused/ && type != "ecl_dummy")
                           print "MEMBER(" type ", " member ")"
                   } }'
}

unchecked()
{
    members >"$tmp/members"
    while read -r member; do
        grep -qF "$member" tests/unit/lisp-bridge/ecl_layout.def || echo "$member"
    done <"$tmp/members" >"$tmp/wrong"
    none "$tmp/members"
}
ok "all of ECL's members that the bridge knows are compared with ECL's headers" unchecked

# outputs: returns whether tables and exports read only the profile and the reduced graph, but no data file or ELF
# file.
outputs()
{
    grep -nE '^ *# *include *[<"](reporter/(file|symbols|process|run)/|reporter/base/cursor|libelf|gelf|dwarf|elfutils|fcntl)' \
        reporter/table/table_*.c >"$tmp/wrong" 2>&1
    cat "$tmp/wrong"
    [ ! -s "$tmp/wrong" ]
}
ok "tables read no file" outputs

# no_source: returns whether no .c file is included.
no_source()
{
    find runtime c-bridge lisp-bridge lisp reporter tests examples -name '*.[ch]' -exec \
        grep -nE '^ *# *include *"[^"]*\.(c|cc)"' {} + >"$tmp/wrong" 2>&1
    cat "$tmp/wrong"
    [ ! -s "$tmp/wrong" ]
}
ok "no source is included" no_source

# configured: returns whether each file that tests a HAVE_ macro includes config.h, without which the macro is never
# defined.
configured()
{
    grep -rlE --include='*.c' '^ *# *(if|elif).*[^A-Z](MP_)?HAVE_' reporter >"$tmp/depends"
    while read -r file; do
        grep -q '^#include "config.h"$' "$file" || echo "$file"
    done <"$tmp/depends" >"$tmp/wrong"
    none "$tmp/depends"
}
ok "what depends on the machine includes config.h" configured

# guarded: returns whether each header has an include guard.
guarded()
{
    find runtime c-bridge lisp-bridge lisp reporter -name '*.h' >"$tmp/headers"
    while read -r file; do
        grep -qE '^#ifndef M[A-Z]+_[A-Z_0-9]*H_?$' "$file" || echo "$file has no guard"
    done <"$tmp/headers" >"$tmp/wrong"
    none "$tmp/headers"
}
ok "headers have guards" guarded
plan
# SPDX-License-Identifier: MIT
