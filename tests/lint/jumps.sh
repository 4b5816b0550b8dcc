#!/bin/sh
# gcc compiles the ends of hooks to jumps at every optimisation level, so that no frame of the monitor is on a chain.
. "${srcdir:-.}/tests/e2e/tap.sh"

CC=${CC:-gcc}

# calls FILE PATTERN LEVEL: prints how many calls of functions that match PATTERN are in FILE at that optimisation
# level, or `none` if all are jumps.
calls()
{
    # shellcheck disable=SC2086     # CC may have arguments
    $CC -DHAVE_CONFIG_H -D_GNU_SOURCE -I"$top" -I"$src" -std=gnu11 -fPIC -g0 -O2 -fno-omit-frame-pointer \
        -fno-optimize-sibling-calls -fno-builtin "$3" -S -o "$tmp/out.s" "$src/$1" 2>"$tmp/err" || return
    awk -v pattern="$2" '$2 ~ pattern { if ($1 ~ /^call/) n++; else if ($1 ~ /^j/) jumps++ }
        END { print n ? n : jumps ? "none" : "no jumps either" }' "$tmp/out.s"
}

if [ "$(uname -m)" != x86_64 ] || ! $CC --version 2>/dev/null | grep -q 'Free Software Foundation'; then
    skip "jumps" "what is compiled here is not read: not gcc on x86-64"
    plan
    exit
fi
for level in -Og -O1 -Os -O2 -O3; do
    is "hooks.c, $level: jumps alone" "$(calls c-bridge/malloc_hooks.c '^(sampled_[a-z]+|(record|realloc|free)_with_frame)$' $level)" none
done
plan
# SPDX-License-Identifier: MIT
