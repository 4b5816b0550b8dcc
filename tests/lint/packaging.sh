#!/bin/sh
# The spec for RPM packages can be parsed, and rpmlint finds no error in it.
. "${srcdir:-.}/tests/e2e/tap.sh"

spec=$src/packaging/mprof.spec
if command -v rpmspec >/dev/null 2>&1; then
    run rpmspec -P "$spec"
    is "rpmspec parses it" "$status" 0
    has "... with its version" "$tmp/out" "^Version: +$(sed -n 's/^AC_INIT(\[mprof\], \[\([^]]*\)\].*/\1/p' "$src/configure.ac")\$"
else
    skip "rpmspec parses it" "rpmspec is not installed"
fi
if command -v rpmlint >/dev/null 2>&1; then
    run rpmlint "$spec"
    has "rpmlint finds no error" "$tmp/out" '1 specfiles checked; 0 errors'
else
    skip "rpmlint finds no error" "rpmlint is not installed"
fi
plan
# SPDX-License-Identifier: MIT
