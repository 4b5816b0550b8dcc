#!/bin/sh
# ./bootstrap --no-packages names the missing packages in one line.
. "${srcdir:-.}/tests/e2e/tap.sh"

unset CC CXX
mkdir "$tmp/tree" "$tmp/bin"
cp "$src/bootstrap" "$src/configure.ac" "$tmp/tree"
for command in sh dirname find nproc make gcc g++ pkg-config autoreconf automake; do
    found=$(command -v $command) && ln -s "$found" "$tmp/bin/$command"
done
sh=$tmp/bin/sh

# lacks WHAT PACKAGES: tests that PACKAGES are named if only the commands in $tmp/bin exist.
lacks()
{
    returns "$1: status 1" 1 env PATH="$tmp/bin" "$sh" "$tmp/tree/bootstrap" --no-packages
    is "$1: one line, with the packages" "$(cat "$tmp/out" "$tmp/err")" \
        "bootstrap: these packages are missing (names as in Debian): $2"
}

if [ -e "$tmp/bin/autoreconf" ] && [ -e "$tmp/bin/automake" ] && [ -e "$tmp/bin/pkg-config" ]; then
    lacks "no libtool" "libtool"
else
    skip "no libtool" "autotools are not installed"
fi
rm -f "$tmp/bin/autoreconf" "$tmp/bin/automake"
lacks "no autotools" "autoconf automake libtool"
rm -f "$tmp/bin/g++" "$tmp/bin/pkg-config"
lacks "no compiler of C++, nor pkg-config" "g++ pkg-config autoconf automake libtool"
printf '#!%s\n' "$sh" >"$tmp/tree/configure"
chmod +x "$tmp/tree/configure"
lacks "a tarball, which has configure" "g++ pkg-config"

# A release that lacks the package NAME, simulated by an apt-get that fails if it is asked for NAME.
for command in sed tr id cat; do
    found=$(command -v $command) && ln -s "$found" "$tmp/bin/$command"
done
# The file may be a link to the system's command.
stand_in() { rm -f "$tmp/bin/$1" && printf '#!%s\n%s\n' "$sh" "$2" >"$tmp/bin/$1" && chmod +x "$tmp/bin/$1"; }
stand_in dpkg-query 'echo absent'
stand_in sudo '"$@"'
stand_in env 'shift; "$@"'
stand_in apt-get 'for word; do
    [ "$word" != "$LACKS" ] || { echo "E: Unable to locate package $word" >&2; exit 100; }
done
echo "apt-get $*"'
LACKS=graphviz PATH="$tmp/bin" run "$sh" "$tmp/tree/bootstrap" check
has "a package of tests that the release lacks" "$tmp/out" "^bootstrap: this release lacks graphviz; some tests will be skipped$"
is "... is not asked for, but the others are" \
    "$(grep -c '^apt-get -q install .* golang-go .* mandoc ' "$tmp/out") $(grep -c '^apt-get.*graphviz' "$tmp/out")" "1 0"
stand_in id 'echo 1000'
rm "$tmp/bin/sudo"
LACKS='' PATH="$tmp/bin" run "$sh" "$tmp/tree/bootstrap"
is "an ordinary user without sudo: status 1, and nothing is installed" "$status $(grep -c '^apt-get' "$tmp/out")" "1 0"
has "... what is needed" "$tmp/err" '^  the build needs: +autoconf .* liblzma-dev $'
has "... and what is optional" "$tmp/err" '^  the build can use: +libncurses-dev .* ecl libecl-dev check $'
has "... and how to build without them" "$tmp/err" '\./bootstrap --no-packages, which installs nothing$'
stand_in sudo '"$@"'
LACKS='' PATH="$tmp/bin" run "$sh" "$tmp/tree/bootstrap"
has "one with sudo learns of it, too" "$tmp/out" '\./bootstrap --no-packages'
has "... and installs" "$tmp/out" '^apt-get -q install .*libunwind-dev'
LACKS=libunwind-dev PATH="$tmp/bin" run "$sh" "$tmp/tree/bootstrap" check
is "a package of the build that the release lacks: status 1" "$status" 1
is "... and no build without it" "$(grep -c '^bootstrap: apt-get could not install: .*libunwind-dev' "$tmp/err")" 1
plan
# SPDX-License-Identifier: MIT
