#!/bin/sh
# libmprof.so exports exactly the names in exports.txt. An additional name could replace one of the program.
. "${srcdir:-.}/tests/e2e/tap.sh"

library=${LIBMPROF:-$top/.libs/libmprof.so}
ok "libmprof.so was built" test -f "$library"
{
    case $(uname -m) in
    x86_64 | aarch64) grep -v '^#' "$src/tests/lint/exports.txt" ;;
    *) grep -vx -e '#.*' -e syscall "$src/tests/lint/exports.txt" ;;
    esac
    grep -q '^#define MP_HAVE_ECL 1' "$top/config.h" && echo mprof_lisp
} | LC_ALL=C sort >"$tmp/listed"
nm -D --defined-only "$library" | awk '{ print $3 }' | sed 's/@.*//' | LC_ALL=C sort >"$tmp/exported"
ok "it exports the listed names and no other" diff "$tmp/listed" "$tmp/exported"
hasnt "nothing of an unwinder" "$tmp/exported" '^(_U|unw_|backtrace|__register_frame|dl_iterate)'
readelf -d "$library" >"$tmp/dynamic"
nm -D --undefined-only "$library" >"$tmp/undefined"
has "its calls are known" "$tmp/undefined" ' (memcpy|pthread_)'
hasnt "it refers to nothing of ECL or its collector" "$tmp/undefined" ' (GC_|ecl_|cl_|si_)'
hasnt "libunwind is not linked" "$tmp/dynamic" 'NEEDED.*unwind'
hasnt "nor the C++ library" "$tmp/dynamic" 'NEEDED.*stdc'
hasnt "no text relocations" "$tmp/dynamic" 'TEXTREL'
has "it stays where it is loaded" "$tmp/dynamic" 'NODELETE'
readelf -lW "$library" >"$tmp/segments"
zeroed=$(size -A "$library" | awk '$1 == ".bss" { print $2 }')
ok "its zeroed variables are few: programs that lock their memory have them all" \
    test "${zeroed:-0}" -gt 0 -a "${zeroed:-0}" -lt 880640
has "its stack is described" "$tmp/segments" GNU_STACK
hasnt "no executable stack" "$tmp/segments" 'GNU_STACK.*RWE'
plan
# SPDX-License-Identifier: MIT
