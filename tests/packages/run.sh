#!/bin/sh
# run.sh -- builds and tests Debian packages of this tree. Must be run in a configured tree.
#
#     tests/packages/run.sh WHAT [RELEASE...]    default: bookworm, trixie and forky
#
# build         builds the packages of each release in a clean root, and copies them to packages/RELEASE
# check         builds them unless they are newer than all files that git tracks, installs them in fresh roots
#               (installed.sh), and removes them
# reproducible  builds them again in another directory, and compares them byte by byte
# install       tests make install to /usr/local in a fresh root (local_install.sh)
# tarball       tests the tarball of make tarball-bin, which is in the current directory, in a fresh root (tarball_bin.sh)
#
# RELEASE_ROOTS, RELEASE_MIRROR   as in tests/releases/run.sh
# JOBS                            number of parallel jobs
# DEB_BUILD_OPTIONS               as in the Debian policy, such as nocheck
#
# Prints a line for each release. Ends with status 0 if all passed, 1 if something failed, 77 if something cannot be
# done here, for the reason in the line.
set -u
top=$(pwd)
src=$(cd "$(dirname "$0")/../.." && pwd)
roots=${RELEASE_ROOTS:-${XDG_CACHE_HOME:-${HOME:-$src}/.cache}/mprof/releases}
jobs=${JOBS:-$(nproc 2>/dev/null || echo 2)}
options=${DEB_BUILD_OPTIONS-}
. "$src/tests/releases/root.sh"

# said TEXT: prints TEXT as the release's line.
said()
{
    echo "$release: $*"
}

failed()
{
    grep -v '^ok ' "$log" | tail -n 40
    said "FAILED: $1 ($log)"
    return 1
}

# Makes the root for builds, with what the build depends on. The name changes with the dependencies.
make_builder()
{
    make_base || return
    builder=$roots/$release.build-$(sed -n '/^Build-Depends/,/^[A-Z]/p' "$src/debian/control" | cksum | cut -d' ' -f1)
    [ ! -x "$builder/bin/sh" ] || return 0
    rm -rf "$roots/$release".build-*
    cp -a "$base" "$builder.new" && mkdir -p "$builder.new/depends/debian" || return
    cp "$src/debian/control" "$src/debian/changelog" "$builder.new/depends/debian" &&
        in_root "$builder.new" sh -ec '
            apt-get -q update
            apt-get -q install -y --no-install-recommends build-essential fakeroot lintian
            cd /depends && apt-get -q build-dep -y --no-install-recommends ./' &&
        mv "$builder.new" "$builder" || failed "what the build depends on cannot be installed"
}

# build_in FOLDER TO: builds the packages in FOLDER of a new root, and moves them to TO.
build_in()
{
    root=$(mktemp -d "$roots/$release.XXXXXX") || return
    rmdir "$root"
    copy_root "$builder" "$root" && mkdir -p "$root$1" "$root/source" &&
        cp "$tarball" "$src/tests/packages/build.sh" "$root/source" &&
        in_root "$root" env DEB_BUILD_OPTIONS="parallel=$jobs $options" sh /source/build.sh "$1"
    status=$?
    if [ $status -eq 0 ]; then
        rm -rf "$2" && mkdir -p "$2" && cp "$root$1"/*.* "$2" || status=1
    fi
    rm -rf "$root"
    return $status
}

build()
{
    make_builder || return
    build_in /build "$packages"
    status=$?
    [ $status -ne 77 ] || { cannot "mounts are not allowed ($log)"; return; }
    [ $status -eq 0 ] || { failed "the build ended with status $status"; return; }
    said "$(find "$packages" -name '*.deb' | wc -l) packages are in $packages"
}

# Returns whether there are packages that are newer than the sources.
current()
{
    made=$(find "$packages" -name '*.changes' 2>/dev/null | head -n 1)
    # shellcheck disable=SC2016
    [ -n "$made" ] && [ -z "$(source_files | tar -t |
        (cd "$src" && xargs -d '\n' sh -c 'find "$@" -maxdepth 0 -newer "$0"' "$made"))" ]
}

# with_root COMMAND...: runs COMMAND in a fresh root where /packages has the packages.
with_root()
{
    root=$(mktemp -d "$roots/$release.XXXXXX") || return
    rmdir "$root"
    copy_root "$base" "$root" && mkdir "$root/packages" "$root/tests" &&
        cp -r "$src/tests/packages/." "$src/debian/tests" "$root/tests" || return
    [ ! -d "$packages" ] || cp "$packages"/* "$root/packages"
    in_root "$root" "$@"
    status=$?
    rm -rf "$root"
    [ $status -ne 77 ] || { cannot "mounts are not allowed ($log)"; return; }
    if [ $status -ne 0 ] || grep -q '^not ok ' "$log" || ! grep -q '^ok ' "$log"; then
        failed "status $status, $(grep -c '^not ok ' "$log") of $(grep -cE '^(not )?ok ' "$log") checks failed"
        return
    fi
    said "$(grep -c '^ok ' "$log") checks passed"
}

check()
{
    current || build || return
    make_base && with_root sh /tests/installed.sh
}

reproducible()
{
    build || return
    build_in /another/folder/of/the/build "$packages.again" || { failed "the second build failed"; return; }
    for file in "$packages"/*.deb; do
        cmp "$file" "$packages.again/${file##*/}" >>"$log" 2>&1 || { failed "${file##*/} differs"; return; }
    done
    rm -rf "$packages.again"
    said "two builds in different directories are identical"
}

install()
{
    make_builder || return
    base=$builder
    packages=$work
    with_root env JOBS="$jobs" sh /tests/local_install.sh
}

tarball()
{
    packages=$work/programs
    mkdir -p "$packages" && cp "$top/mprof-$version"-linux-*.tar.gz "$packages" &&
        make_base && with_root sh /tests/tarball_bin.sh /packages
}

what=${1-}
case $what in
build | check | reproducible | install | tarball) shift ;;
*) sed -n 's/^# \{0,1\}//; 2,/^$/p' "$0" >&2 && exit 2 ;;
esac
[ $# -gt 0 ] || set -- bookworm trixie forky
find_proxy
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
version=$(sed -n 's/^VERSION = //p' Makefile)
if [ "$(id -u)" -eq 0 ] && [ "$what" != tarball ]; then
    tarball=mprof-$version.tar.xz
    make -s dist >"$work/log" 2>&1 && mv "$tarball" "$work" && tarball=$work/$tarball ||
        { cat "$work/log"; echo "make dist failed"; exit 1; }
fi
worst=0
for release; do
    packages=$top/packages/$release
    mkdir -p "$top/packages"
    log=$top/packages/$release-$what.log
    : >"$log"
    able && $what
    case $? in
    0) ;;
    77) [ $worst -ne 0 ] || worst=77 ;;
    *) worst=1 ;;
    esac
done
exit $worst
# SPDX-License-Identifier: MIT
