#!/bin/sh
# libmprof.so calls only functions of libc that are in imports.txt.
. "${srcdir:-.}/tests/e2e/tap.sh"

library=${LIBMPROF:-$top/.libs/libmprof.so}
ok "libmprof.so was built" test -f "$library"
grep -v '^#' "$src/tests/lint/imports.txt" | grep . | LC_ALL=C sort >"$tmp/listed"
# Sanitizers call their own functions.
nm -D --undefined-only "$library" | awk '{ print $2 }' | sed 's/@.*//' | grep -v '^__[aut]*san_' | LC_ALL=C sort -u >"$tmp/called"
has "its calls are known" "$tmp/called" '^(memcpy|pthread_.*)$'
LC_ALL=C comm -13 "$tmp/listed" "$tmp/called" >"$tmp/others"
empty "it calls only the listed functions of libc" "$tmp/others"
plan
# SPDX-License-Identifier: MIT
