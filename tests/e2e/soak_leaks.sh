#!/bin/sh
# mprof run --leaks with more of Debian's programs, as in leaks_real.sh.
. "${srcdir:-.}/tests/e2e/leaks_lib.sh"

needs "memcheck" valgrind
files
same gzip -c lines
same xz -c lines
same zstd -c lines
same diff -u lines others
same openssl dgst -sha256 lines
same git --version
same curl --version
same xmllint --format a.xml
same readelf -hS /bin/true
same objdump -h /bin/true
same m4 lines
same make -f /dev/null -n
same bash -c :
same dash -c :
same ps
same patch --version
same ssh-keygen -lf /dev/null
same mandoc -Tascii "$src/man/mprof-leaks.1"
same join lines others

# GLib and GTK
same glib-compile-schemas --dry-run /usr/share/glib-2.0/schemas
same gst-inspect-1.0 fakesink
same gtk-encode-symbolic-svg a.svg 16x16
same rsvg-convert a.svg -o a.new
near rsvg-convert text.svg -o a.new
near dot -Tsvg a.dot
plan
# SPDX-License-Identifier: MIT
