# shellcheck shell=sh disable=SC2154
#
# root.sh -- functions that make root directories of Debian's releases and run commands in them. A script sources this
# file. It sets
#
#     src      the source directory
#     roots    parent directory of the roots
#     release  the release
#     log      a log file

# cannot TEXT: prints TEXT as the release's line, and returns 77.
cannot()
{
    echo "$release: cannot be done here: $1"
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

# Makes the smallest root of the release, ROOTS/RELEASE.base, unless it exists. It has another name first, so that a
# root with the right name is complete.
make_base()
{
    base=$roots/$release.base
    [ ! -x "$base/bin/sh" ] || return 0
    rm -rf "$base.new"
    set -- --variant=minbase --include=ca-certificates
    scripts=${DEBOOTSTRAP_DIR:-/usr/share/debootstrap}/scripts
    script=
    # a debootstrap that is older than the release has neither its script nor its key
    [ -e "$scripts/$release" ] || { script=$scripts/sid && set -- "$@" --no-check-gpg; }
    # shellcheck disable=SC2046,SC2086
    debootstrap "$@" "$release" "$base.new" \
        $(echo ${RELEASE_MIRROR:-$(mirror)} | grep . || echo http://deb.debian.org/debian) $script >>"$log" 2>&1 || {
        cannot "debootstrap: $(grep -E '^[EW]:' "$log" | tail -n 1 | cut -c4-) ($log)"
        return
    }
    printf '#!/bin/sh\nexit 101\n' >"$base.new/usr/sbin/policy-rc.d"     # no service is started
    chmod 755 "$base.new/usr/sbin/policy-rc.d"
    # the index of a rarely updated mirror may count as expired
    [ -z "$script" ] || echo 'Acquire::Check-Valid-Until "false";' >"$base.new/etc/apt/apt.conf.d/99mprof"
    mv "$base.new" "$base"
}

# copy_root FROM TO: makes the root TO as a copy of FROM, unless it exists.
copy_root()
{
    [ ! -x "$2/bin/sh" ] || return 0
    rm -rf "$2" "$2.new"
    cp -a "$1" "$2.new" && mv "$2.new" "$2"
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

# in_root ROOT COMMAND...: runs COMMAND in ROOT, in its own namespaces, so that its mounts and processes end with it,
# and it ends with this script. Appends its output to the log. Returns its status, 77 if mounts are not allowed.
in_root()
{
    cp -L /etc/resolv.conf "$1/etc/resolv.conf" 2>/dev/null
    # shellcheck disable=SC2016
    setpriv --pdeathsig KILL unshare -m -p -f --kill-child --propagation private sh -c '
        root=$1 && shift
        mount --bind "$root" "$root" && mount -t proc proc "$root/proc" && mount --rbind /sys "$root/sys" &&
            mount --rbind /dev "$root/dev" || exit 77
        exec chroot "$root" env -i HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
            LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive ${http_proxy+http_proxy="$http_proxy"} "$@"
        ' sh "$@" >>"$log" 2>&1 </dev/null 9>&- &
    child=$!
    trap 'kill -KILL $child; exit 1' HUP INT TERM
    wait $child
    ended=$?
    trap - HUP INT TERM
    return $ended
}
# SPDX-License-Identifier: MIT
