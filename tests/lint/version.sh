#!/bin/sh
# All files that contain mprof's version have that of configure.ac.
. "${srcdir:-.}/tests/e2e/tap.sh"

version=$(sed -n 's/^AC_INIT(\[mprof\], \[\([^]]*\)\].*/\1/p' "$src/configure.ac")
has "configure.ac has a version" "$src/configure.ac" '^AC_INIT\(\[mprof\], \[[0-9]+\.[0-9]+\.[0-9]+\]'

# agrees FILE EXPRESSION: tests that the first line of FILE that the sed EXPRESSION changes to a version is VERSION.
agrees()
{
    is "$1" "$(sed -nE "s/$2/\\1/p" "$src/$1" | head -n 1)" "$version"
}

agrees NEWS '^mprof (.*)'
agrees debian/changelog '^mprof \(([0-9.]*)\+ds-[0-9]+\).*'
agrees emacs/mprof-pkg.el '.*define-package "mprof" "([^"]*)".*'
agrees emacs/mprof.el '^;; Version: (.*)'
agrees emacs/mprof-lisp.el '^;; Version: (.*)'
agrees packaging/mprof.spec '^Version: +(.*)'
agrees packaging/guix.scm '.*define version "([^"]*)".*'
agrees packaging/mprof.rb '^  version "([^"]*)".*'
plan
# SPDX-License-Identifier: MIT
