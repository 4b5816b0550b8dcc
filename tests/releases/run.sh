#!/bin/sh
# run.sh -- runs ./bootstrap check-all on releases of Debian, each in a root directory of its own.
#
#     tests/releases/run.sh [RELEASE...]         default: bookworm, trixie and forky
#     tests/releases/run.sh --short RELEASE...   runs ./bootstrap check instead
#     tests/releases/run.sh --prepare RELEASE... makes the roots and installs the packages, but tests nothing
#
# RELEASE_ROOTS   parent directory of the roots (default: $XDG_CACHE_HOME/mprof/releases). An existing root is used
#                 again; remove its directory to make it again
# RELEASE_MIRROR  mirror of the packages (default: that of this machine's apt)
# JOBS            number of parallel jobs of make
# TESTS_END       see tests/cpu_time.sh
#
# The source files of this tree are copied to a directory that only root can enter, because tests that become another
# user must work without access to the build. The log RELEASE.log is next to each root. Prints a line for each
# release. Ends with status 0 if all passed, 1 if something failed, 77 if something cannot be done here, for the
# reason in the line.
set -u
src=$(cd "$(dirname "$0")/../.." && pwd)
roots=${RELEASE_ROOTS:-${XDG_CACHE_HOME:-${HOME:-$src}/.cache}/mprof/releases}
place=root/mprof                # of the copy, where no other user can reach it
jobs=${JOBS:-$(nproc 2>/dev/null || echo 2)}

. "$src/tests/releases/root.sh"

copy_tree()
{
    rm -rf "${root:?}/$place"
    mkdir -p "$root/$place"
    chmod 700 "$root/root"
    source_files 2>>"$log" | tar -C "$root/$place" --no-same-owner -xf - 2>>"$log"
}

test_release()
{
    release=$1
    root=$roots/$release
    log=$roots/$release.log
    able || return
    exec 9>"$roots/$release.lock"
    flock -n 9 || { cannot "another run is using $root"; return; }
    : >"$log"
    make_base && copy_root "$base" "$root" || return
    copy_tree || { cannot "its files cannot be copied ($log)"; return; }
    in_root "$root" env JOBS="$jobs" ${TESTS_END+TESTS_END="$TESTS_END"} "/$place/bootstrap" "$what"
    status=$?
    [ $status -ne 77 ] || { cannot "mounts are not allowed ($log)"; return; }
    [ "$what" != packages ] || return $status
    "$src/tests/releases/results.sh" "$root/$place" >"$roots/$release.results"
    passed=$?
    echo "$release: $(tail -n 1 "$roots/$release.results")$(
        [ $status -eq 0 ] || echo "; ./bootstrap $what: status $status") ($log)"
    [ $status -eq 0 ] && [ $passed -eq 0 ]
}

find_proxy
what=check-all
case ${1-} in
--prepare) what=packages && shift ;;
--short) what=check && shift ;;
esac
[ $# -gt 0 ] || set -- bookworm trixie forky
worst=0
for wanted; do
    test_release "$wanted"
    case $? in
    0) ;;
    77) [ $worst -ne 0 ] || worst=77 ;;
    *) worst=1 ;;
    esac
done
exit $worst
# SPDX-License-Identifier: MIT
