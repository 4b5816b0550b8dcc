#!/bin/sh
# The programs are hardened, according to their ELF headers, and the monitor is not.
. "${srcdir:-.}/tests/e2e/tap.sh"

hardening=$(sed -n 's/^HARDENING = //p' "$top/Makefile")

# asked WORD: returns whether configure found that the compiler supports WORD.
asked()
{
    case " $hardening " in
    *" $1"*) true ;;
    *) skip "$program: $1" "not built in (configure's table)" && false ;;
    esac
}

for program in mprof mprof-http; do
    file=$top/$program
    [ ! -f "$top/.libs/$program" ] || file=$top/.libs/$program
    readelf -hW "$file" >"$tmp/header"
    readelf -lW "$file" >"$tmp/segments"
    readelf -dW "$file" >"$tmp/dynamic"
    nm -D --undefined-only "$file" >"$tmp/undefined"
    if asked PIE; then
        has "$program is position independent" "$tmp/header" 'Type: *DYN'
        has "and a program" "$tmp/segments" ' INTERP '
    fi
    if asked RELRO; then
        has "$program: what is relocated is read-only afterwards" "$tmp/segments" 'GNU_RELRO'
        has "and all is, before it runs" "$tmp/dynamic" '\(FLAGS_1\).* NOW|BIND_NOW'
    fi
    has "$program: the stack is described" "$tmp/segments" GNU_STACK
    hasnt "$program: no executable stack" "$tmp/segments" 'GNU_STACK.*RWE'
    if asked stack-protector; then
        has "$program: arrays on the stack are guarded" "$tmp/undefined" ' __stack_chk_fail'
    fi
    if asked fortify; then
        has "$program: calls of libc are fortified" "$tmp/undefined" ' __(sn|f|vsn|vf)?printf_chk'
    fi
done

find "$top/runtime" "$top/c-bridge" "$top/lisp-bridge" -name 'libm*_la-*.o' >"$tmp/objects"
ok "the monitor's objects are there" test -s "$tmp/objects"
xargs nm --undefined-only <"$tmp/objects" >"$tmp/undefined" 2>/dev/null
has "what the monitor refers to is known" "$tmp/undefined" ' (memcpy|pthread_)'
hasnt "the monitor has no guards that it did not ask for" "$tmp/undefined" ' __(stack_chk|[a-z]+_chk)'
plan
# SPDX-License-Identifier: MIT
