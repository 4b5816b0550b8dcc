#!/bin/sh
# Checks all scripts by shellcheck, which takes a minute.
. "${srcdir:-.}/tests/e2e/tap.sh"

cd "$src" || exit 99
command -v shellcheck >/dev/null 2>&1 || skip_all "scripts by shellcheck" "shellcheck is not installed"
git ls-files '*.sh' bootstrap .ci/run >"$tmp/scripts" 2>/dev/null && [ -s "$tmp/scripts" ] ||
    skip_all "scripts by shellcheck" "this is no clone; the same scripts are checked where they come from"
ok "scripts by shellcheck" xargs -P 2 -n 40 shellcheck -s sh -x -S warning -e SC1091,SC2034,SC3045 <"$tmp/scripts"
plan
# SPDX-License-Identifier: MIT
