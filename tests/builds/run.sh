#!/bin/sh
# run.sh -- builds the tarball in other ways than the tree of make check. Must be run in a configured tree.
#
#     tests/builds/run.sh [KIND...]              default: all kinds
#     tests/builds/run.sh --turn N               sanitized, and of the others the kind that is due in run number N
#
# sanitized      unit tests, and the reporter over the inputs in tests/fuzz/corpus, with ASan and UBSan
# distcheck      make distcheck: outside of the tree, from read-only sources, into a DESTDIR
# user           an ordinary user builds, installs into a DESTDIR and profiles with what was installed
# without-ecl    ECL is not installed and not requested
# bare           without ECL, all optional libraries, and hardening
# lto            gcc -flto
# clang          clang
# ubsan          the monitor with UBSan, and with checks that the gate's lock is held where it must be
# fuzz           the reporter with sanitizers, over the inputs in tests/fuzz/corpus
#
# JOBS           number of parallel jobs of make
# BUILD_LOGS     directory of the logs KIND.log (default: the current one)
#
# As root, it installs what a kind needs. With --turn, a kind that cannot be built has failed, otherwise it is skipped.
# Warnings are errors. Each build runs a few of the tests. Prints a line for each kind, and as the last line "N
# passed, N failed, N skipped". Ends with status 0 if nothing failed.
set -u
top=$(pwd)
kinds='sanitized distcheck user without-ecl bare lto clang ubsan fuzz'
logs=${BUILD_LOGS:-$top}
export XZ_OPT=-0                # nobody keeps these tarballs
jobs=${JOBS:-$(nproc 2>/dev/null || echo 2)}
# Only the test programs that these tests need are built.
few='tests/lint/exports.sh tests/lint/hardening.sh tests/e2e/command_line.sh tests/e2e/family.sh'
programs='tests/programs/books_read tests/programs/family tests/programs/foreign tests/programs/realloc' # one line, for make
programs="$programs tests/programs/sandboxed tests/programs/temp tests/programs/threads tests/programs/torture"
libraries='tests/programs/bump.la tests/programs/plug_a.la'

# test_few [TEST...]: runs tests of the build in this directory.
test_few()
{
    # shellcheck disable=SC2086
    make check TESTS="$few $*" check_PROGRAMS="$programs" check_LTLIBRARIES="$libraries" \
        check_LIBRARIES= check_DATA=
}

# build OPTION...: builds with these options of configure.
build()
{
    ./configure -q --enable-werror "$@" && cat built-in.txt && make -j "$jobs"
}

# left_out WORD...: prints the lines of configure's table that say why a part is left out.
left_out()
{
    for word; do
        sed '1,/^  left out/d' built-in.txt | grep "^    $word " || return
    done
}

sanitized()
{
    ./configure -q --enable-werror --enable-asan --enable-ubsan CFLAGS='-g -O1' && make -j "$jobs" check-units
}

distcheck()
{
    cd "$top" && make -j "$jobs" distcheck TESTS="$few" check_PROGRAMS="$programs" check_LTLIBRARIES="$libraries" \
        check_LIBRARIES= check_DATA=
}

# Root becomes another user.
user()
{
    as=
    if [ "$(id -u)" -eq 0 ]; then
        chown -R 65534:65534 "$work/user" && as="setpriv --reuid=65534 --regid=65534 --clear-groups" || return
    fi
    # shellcheck disable=SC2016
    $as env HOME="$work/user" sh -euc '
        ./configure -q --enable-werror --prefix=/usr
        make -j "$1"
        make install DESTDIR="$HOME/root"
        cd "$HOME"
        for file in bin/mprof lib/libmprof.so lib/mprof/libmprof.so share/man/man1/mprof.1 share/doc/mprof/COPYING \
            share/doc/mprof/LGPL-2.1.txt; do
            [ -s "root/usr/$file" ] || { echo "$file is not installed"; exit 1; }
        done
        PATH=$HOME/root/usr/bin:$PATH
        mprof run -o data ls -l /
        mprof report --no-pager data
        [ "$(mprof report --no-pager data | grep -c "^Program  *.*/ls$")" -eq 1 ]
        cd - && make uninstall DESTDIR="$HOME/root"
        [ -z "$(find "$HOME/root" ! -type d)" ] || { find "$HOME/root" ! -type d; exit 1; }
        ' sh "$jobs" && as=
}

without_ecl()
{
    build ECL=/nowhere/ecl ac_cv_header_ecl_ecl_h=no && left_out Lisp && [ ! -e lisp/mprof.fas ] && test_few
}

bare()
{
    build --without-ecl --without-ncurses --without-zstd --without-sqlite --without-microhttpd \
        --disable-hardening && left_out Lisp zstd ncurses SQLite libmicrohttpd hardening &&
        ! grep -qE '^(#define (HAVE_MICROHTTPD|HAVE_NCURSESW|MP_HAVE_[EZS][A-Z]*) )' config.h && test_few
}

lto()
{
    build CC="${CC:-gcc}" CFLAGS="-g -O2 -flto=auto" && test_few
}

# Hooks end in jumps, so that they have no frame. The attributes for that differ between compilers
# (runtime/compiler.h).
clang()
{
    build CC=clang CXX=clang++ && test_few tests/e2e/ecl_dispatch.sh tests/e2e/seccomp.sh
}

ubsan()
{
    build --enable-ubsan CPPFLAGS=-DMP_CHECK_LOCK && test_few tests/e2e/threads.sh tests/e2e/ecl_counts.sh
}

fuzz()
{
    build && make -j "$jobs" check-fuzz
}

# installed PACKAGE COMMAND...: returns whether each COMMAND is installed. As root, it installs PACKAGE if one is not.
installed()
{
    package=$1
    shift
    for command; do
        command -v "$command" && continue
        [ "$(id -u)" -eq 0 ] && DEBIAN_FRONTEND=noninteractive apt-get -q install -y --no-install-recommends "$package" &&
            command -v "$command" || return
    done
}

# able KIND: returns whether the kind can be built here.
able()
{
    case $1 in
    clang) installed clang clang clang++ ;;
    lto) echo 'int main(void) { return 0; }' >"$work/probe.c" &&
        ${CC:-gcc} -flto=auto -o "$work/probe" "$work/probe.c" ;;
    user) [ "$(id -u)" -ne 0 ] || installed util-linux setpriv ;;
    esac >/dev/null 2>&1
}

required=
case ${1-} in
--turn)
    required=yes
    n=$(($(echo "$kinds" | wc -w) - 1))
    set -- sanitized "$(echo "$kinds" | cut -d' ' -f$(($2 % n + 2)))"
    echo "build of this run: $2; others: make check-builds" ;;
'')
    # shellcheck disable=SC2086
    set -- $kinds ;;
esac

work=$(mktemp -d "${TMPDIR:-/tmp}/mprof-builds.XXXXXX") || exit 1
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
chmod 755 "$work"
mkdir "$work/tarball"
make -s dist >"$logs/dist.log" 2>&1 && mv mprof-*.tar.xz "$work/tarball" ||
    { echo "make dist failed ($logs/dist.log)"; echo "0 passed, 1 failed, 0 skipped"; exit 1; }

passed=0 failed=0 skipped=0
for kind; do
    if ! able "$kind"; then
        if [ -n "$required" ]; then
            failed=$((failed + 1))
            echo "$kind: FAILED: this machine cannot do it"
        else
            skipped=$((skipped + 1))
            echo "$kind: skipped: this machine cannot do it"
        fi
        continue
    fi
    mkdir "$work/$kind" && tar -C "$work/$kind" -xf "$work"/tarball/*.tar.xz || exit 1
    if (cd "$work/$kind"/mprof-* && "$(echo "$kind" | tr - _)") >"$logs/$kind.log" 2>&1; then
        passed=$((passed + 1))
        echo "$kind: passed ($logs/$kind.log)"
    else
        failed=$((failed + 1))
        tail -n 60 "$logs/$kind.log"
        echo "$kind: FAILED ($logs/$kind.log)"
    fi
    chmod -R u+w "$work/$kind"
    rm -rf "${work:?}/$kind"
done
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
# SPDX-License-Identifier: MIT
