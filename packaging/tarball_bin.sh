#!/bin/sh
# tarball_bin.sh -- packs mprof as it is built here, with the libraries that it needs, into a tarball that can be unpacked
# anywhere. make tarball-bin runs it, on Debian because of the licenses of the libraries, and with patchelf.
#
#     packaging/tarball_bin.sh VERSION MAKE    writes mprof-VERSION-linux-MACHINE.tar.gz
#
# bin/mprof finds its libraries by RPATH in lib/mprof/bundled, as shared objects that the user can replace, as the LGPL of
# elfutils requires. Those of glibc are the system's. libmprof.so, which is preloaded into programs, needs nothing else.
# The tarball lacks what would need many more libraries or a certain Lisp: mprof serve and the module for ECL.
set -eu
umask 022
version=$1
make=$2
name=mprof-$version-linux-$(uname -m)

refuse()
{
    echo "mprof: no tarball: $*" >&2
    exit 1
}

for command in patchelf dpkg-query ldd objdump; do
    command -v $command >/dev/null 2>&1 || refuse "$command is not installed"
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# shellcheck disable=SC2016
$make -s install-strip DESTDIR="$work/stage" fishcompdir='${datadir}/fish/vendor_completions.d' >"$work/log" 2>&1 || { cat "$work/log" >&2; refuse "make install failed"; }
bin=$(find "$work/stage" -path '*/bin/mprof')
tree=${bin%/bin/mprof}
preloaded=$(find "$tree" -path '*/mprof/libmprof.so')
[ -n "$preloaded" ] || refuse "libmprof.so is not installed below ${tree#"$work/stage"}; configure with the usual --libdir"
bundled=${preloaded%/*}/bundled
mkdir "$bundled"
cp --remove-destination "$(readlink -f "$preloaded")" "$preloaded"
# what belongs to a development package, to the module, or to other folders of the system
rm -rf "$tree/libexec" "$tree/include" "$tree/share/common-lisp" "${preloaded%/*}/mprof.fas" "${preloaded%/*}/mprof.asd" \
    "$(dirname "${preloaded%/*}")/pkgconfig" "$(dirname "${preloaded%/*}")"/libmprof.*

# The libraries that mprof is linked with, and those that it loads when it needs them.
{
    ldd "$bin" | sed -n 's/.* => \(\/.*\) (0x.*/\1/p'
    for library in libsqlite3.so.0 libdeflate.so.0; do
        ldconfig -p 2>/dev/null | sed -n "s|.*$library (.*$(uname -m | tr _ -).*) => ||p" | head -n 1
    done
} | grep -vE '/(libc|libm|libdl|libpthread|librt|ld-linux[^/]*)\.so\.[0-9]' | sort -u >"$work/libraries"
licenses=$tree/share/doc/mprof/licenses
mkdir -p "$licenses"
while read -r library; do
    real=$(readlink -f "$library")
    package=$(dpkg-query -S "$real" "*${real#/usr}" 2>/dev/null | sed 's/:.*//' | head -n 1)
    [ -n "$package" ] || refuse "$library belongs to no package, so its license is unknown"
    cp "$real" "$bundled/${library##*/}"
    cp "/usr/share/doc/$package/copyright" "$licenses/$package"
done <"$work/libraries"
patchelf --force-rpath --set-rpath "\$ORIGIN/../${bundled#"$tree/"}" "$bin"

needs=$(find "$tree/bin" "${preloaded%/*}" -type f -exec objdump -T {} + 2>/dev/null | grep -o 'GLIBC_2\.[0-9]*' | sort -Vu |
    tail -n 1 | sed 's/.*_//')
cat >"$tree/INSTALL.txt" <<END
mprof $version for Linux on $(uname -m) with glibc $needs or later. Unpack it in any folder whose path has
neither blanks nor colons, which LD_PRELOAD would not allow, and run bin/mprof:

    bin/mprof run ./prog arguments
    bin/mprof report

The manual pages are in share/man (man -M share/man mprof), the other pages in share/doc/mprof. mprof serve and the module
for Common Lisp are not included; bin/mprof run -- ecl ... records Lisp all the same.

lib has the libraries that bin/mprof uses, unchanged files of Debian; share/doc/mprof/licenses has their licenses. You may
replace them. Their sources: https://snapshot.debian.org/, the packages
END
find "$licenses" -type f | sed 's|.*/||' | sort | while read -r package; do
    # shellcheck disable=SC2016
    dpkg-query -W -f '    ${source:Package} ${source:Version}\n' "$package"
done | sort -u >>"$tree/INSTALL.txt"
mv "$tree" "$work/$name"
# The smallest systems have gzip, but not xz.
tar -C "$work" --sort=name --owner=root:0 --group=root:0 -cf "$work/tar" "$name"
gzip -9n <"$work/tar" >"$name.tar.gz.new"
mv "$name.tar.gz.new" "$name.tar.gz"
echo "$name.tar.gz needs glibc $needs or later, and nothing else"
# SPDX-License-Identifier: MIT
