#!/bin/sh
# The tarball of make tarball-bin works where the build tree and its libraries cannot be seen. tests/packages/tarball_bin.sh
# makes the checks, here and in roots of other releases.
. "${srcdir:-.}/tests/e2e/tap.sh"

for command in patchelf dpkg-query unshare objdump; do
    command -v $command >/dev/null 2>&1 || skip_all "the tarball of programs" "$command is not installed"
done
apart="unshare -m --propagation private"
[ "$(id -u)" -eq 0 ] || apart="unshare -r -m --propagation private"
# shellcheck disable=SC2016
alone='mount -t tmpfs none "$0" && { [ ! -e "$1/configure.ac" ] || mount -t tmpfs none "$1"; } && shift && exec "$@"'
$apart sh -c "$alone" "$tmp" "$tmp" true 2>/dev/null || skip_all "the tarball of programs" "mounts are not allowed"

cp "$src/tests/packages/tarball_bin.sh" "$tmp/checks.sh"
cd "$tmp" || exit 99
returns "make tarball-bin" 0 "$src/packaging/tarball_bin.sh" 1.0.0 "make -C $top"
has "it says which glibc it needs" "$tmp/out" '^mprof-1\.0\.0-linux-[a-z0-9_]+\.tar\.gz needs glibc 2\.[0-9]+ or later'
$apart sh -c "$alone" "$top" "$src" sh "$tmp/checks.sh" "$tmp" >checks.log 2>&1
while read -r line; do
    case $line in
    "ok "*) pass "${line#ok }" ;;
    "not ok "*) fail "${line#not ok }" ;;
    esac
done <checks.log
grep -vE '^(not )?ok ' checks.log | sed 's/^/# /'
has "all checks were made" checks.log '^(not )?ok it can be moved$'
plan
# SPDX-License-Identifier: MIT
