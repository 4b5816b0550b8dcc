#!/bin/sh
# ./bootstrap demo ends with a finding, a page and a flame graph, on one screen or two.
. "${srcdir:-.}/tests/e2e/lib.sh"

needs "the demonstration" perl make gcc g++ pkg-config
mkdir tree
cp "$src/bootstrap" tree
ln -s "$mprof" tree/mprof
# A tree that is configured and built.
touch -d 2001-01-01 tree/configure.ac
touch -d 2001-01-02 tree/configure
touch tree/config.status tree/built-in.txt
chmod +x tree/configure
echo 'all: ; @:' >tree/Makefile

returns "./bootstrap demo" 0 sh tree/bootstrap --no-packages demo
cat out err >all
is "the commands that it shows" "$(sed -n 's/^\$ \.\/mprof \([a-z]*\) .*/\1/p' out | tr '\n' ' ')" "run findings html flamegraph "
has "the program runs" out '^300000 requests$'
has "the summary" err '^mprof: perl: exit status 0'
has "a finding" out '^ 1\. .*Perl_'
has "a page" tree/demo.html '^<!doctype html>'
has "a flame graph with functions of perl" tree/demo.svg '<title>Perl_'
at_most "lines" "$(wc -l <all)" 60
# Each finding is one long line here. How many there are depends on the resident memory, which the system decides.
at_most "... of usual width, most of them" "$(awk 'length > 120' all | wc -l)" 8
plan
# SPDX-License-Identifier: MIT
