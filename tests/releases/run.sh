#!/bin/sh
# run.sh -- runs ./bootstrap check-all on releases of Debian, each in a root directory of its own.
#
#     tests/releases/run.sh [RELEASE...]         default: bookworm, trixie and forky
#     tests/releases/run.sh --prepare RELEASE... makes the roots and installs the packages, but tests nothing
#
# RELEASE_ROOTS   parent directory of the roots (default: $XDG_CACHE_HOME/mprof/releases). An existing root is used
#                 again; remove its directory to make it again
# RELEASE_MIRROR  mirror of the packages (default: that of this machine's apt)
# JOBS            number of parallel jobs of make
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

# cannot TEXT: prints TEXT as the release's line, and returns 77.
cannot()
{
    echo "$release: cannot be tested here: $1"
    return 77
}

able()
{
    [ "$(id -u)" -eq 0 ] || { cannot "only root can enter a root"; return; }
    for command in debootstrap chroot unshare setpriv mount tar; do
        command -v $command >/dev/null 2>&1 || { cannot "$command is not installed"; return; }
    done
    unshare -m -p -f true 2>/dev/null || { cannot "unshare is not allowed"; return; }
    mkdir -p "$roots" 2>/dev/null && [ -w "$roots" ] || cannot "$roots cannot be written"
}

# Exports the proxy of this machine's apt, if there is one, for debootstrap and for apt in the root.
find_proxy()
{
    [ -z "${http_proxy-}" ] || return 0
    eval "$(apt-config shell http_proxy Acquire::http::Proxy 2>/dev/null)"
    [ -z "${http_proxy-}" ] || export http_proxy
}

# Prints the mirror of the distribution that apt uses here, if it is Debian's.
mirror()
{
    # shellcheck disable=SC2016
    apt-get indextargets --format '$(REPO_URI) $(ORIGIN) $(LABEL) $(CODENAME)' \
        'Created-By: Packages' 2>/dev/null |
        awk '$2 == "Debian" && $3 == "Debian" && $4 !~ /-/ { print $1; exit }'
}

# Makes the root, under another name first, so that a root with the right name is complete.
make_root()
{
    [ ! -x "$root/bin/sh" ] || return 0
    rm -rf "$root.new"
    set -- --variant=minbase --include=ca-certificates
    scripts=${DEBOOTSTRAP_DIR:-/usr/share/debootstrap}/scripts
    script=
    # a debootstrap that is older than the release has neither its script nor its key
    [ -e "$scripts/$release" ] || { script=$scripts/sid && set -- "$@" --no-check-gpg; }
    # shellcheck disable=SC2046,SC2086
    debootstrap "$@" "$release" "$root.new" \
        $(echo ${RELEASE_MIRROR:-$(mirror)} | grep . || echo http://deb.debian.org/debian) $script >>"$log" 2>&1 || {
        cannot "debootstrap: $(grep -E '^[EW]:' "$log" | tail -n 1 | cut -c4-) ($log)"
        return
    }
    printf '#!/bin/sh\nexit 101\n' >"$root.new/usr/sbin/policy-rc.d"     # no service is started
    chmod 755 "$root.new/usr/sbin/policy-rc.d"
    # the index of a rarely updated mirror may count as expired
    [ -z "$script" ] || echo 'Acquire::Check-Valid-Until "false";' >"$root.new/etc/apt/apt.conf.d/99mprof"
    mv "$root.new" "$root"
}

# Writes the files that git tracks, in their current state, to a tar archive; without git, the files of a tarball.
source_files()
{
    if git -c safe.directory="$src" -C "$src" rev-parse HEAD >/dev/null 2>&1; then
        git -c safe.directory="$src" -C "$src" ls-files -z | tar -C "$src" --null -T - -cf -
    elif [ -f "$src/Makefile" ]; then
        make -s -C "$src" distdir distdir=.release >&2 && tar -C "$src/.release" -cf - . &&
            rm -rf "$src/.release"
    else
        tar -C "$src" -cf - .
    fi
}

copy_tree()
{
    rm -rf "${root:?}/$place"
    mkdir -p "$root/$place"
    chmod 700 "$root/root"
    source_files 2>>"$log" | tar -C "$root/$place" --no-same-owner -xf - 2>>"$log"
}

# bootstrap_there WHAT: runs ./bootstrap WHAT in the root, in its own namespaces, so that its mounts and processes end
# with it, and it ends with this script.
bootstrap_there()
{
    cp -L /etc/resolv.conf "$root/etc/resolv.conf" 2>/dev/null
    # shellcheck disable=SC2016
    setpriv --pdeathsig KILL unshare -m -p -f --kill-child --propagation private sh -c '
        mount --bind "$1" "$1" && mount -t proc proc "$1/proc" && mount --rbind /sys "$1/sys" &&
            mount --rbind /dev "$1/dev" || exit 77
        exec chroot "$1" env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 \
            ${http_proxy+http_proxy="$http_proxy"} JOBS="$2" "/$3/bootstrap" "$4"
        ' sh "$root" "$jobs" "$place" "$1" >>"$log" 2>&1 </dev/null 9>&- &
    child=$!
    trap 'kill -KILL $child; exit 1' HUP INT TERM
    wait $child
    ended=$?
    trap - HUP INT TERM
    return $ended
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
    make_root || return
    copy_tree || { cannot "its files cannot be copied ($log)"; return; }
    bootstrap_there "$what"
    status=$?
    [ $status -ne 77 ] || { cannot "mounts are not allowed ($log)"; return; }
    [ "$what" = check-all ] || return $status
    "$src/tests/releases/results.sh" "$root/$place" >"$roots/$release.results"
    passed=$?
    echo "$release: $(tail -n 1 "$roots/$release.results")$(
        [ $status -eq 0 ] || echo "; ./bootstrap check-all: status $status") ($log)"
    [ $status -eq 0 ] && [ $passed -eq 0 ]
}

find_proxy
what=check-all
[ "${1-}" != --prepare ] || { what=packages && shift; }
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
