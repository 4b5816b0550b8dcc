#!/bin/sh
# release.sh -- writes what a release publishes to the folder release/: the tarball, its changes from NEWS, the packages
# of make deb and the tarball of make tarball-bin that were built since the commit, and checksums. make release runs it in
# a configured clone.
#
#     packaging/release.sh VERSION
set -eu
umask 022
version=$1
src=$(cd "$(dirname "$0")/.." && pwd)

refuse()
{
    echo "mprof: no release: $*" >&2
    exit 1
}

in_git() { git -c safe.directory="$src" -C "$src" "$@"; }

# Prints what NEWS says about the release, in Markdown.
changes()
{
    awk -v title="mprof $version" '
        function flush() { if (line != "") print line; line = "" }
        /^mprof [0-9]/ { flush(); inside = $0 == title; if (inside) print "# " $0; next }
        !inside { next }
        /^- / && line ~ /^[A-Z]/ { print "## " line "\n"; line = "" }
        { flush(); if ($0 == "") print ""; else line = $0 }
        END { flush() }' "$src/NEWS"
}

in_git rev-parse -q --verify HEAD >/dev/null 2>&1 || refuse "$src is not a clone of git"
[ -z "$(in_git status --porcelain)" ] || refuse "there are uncommitted changes; git status lists them"
[ "$(head -n 1 "$src/NEWS")" = "mprof $version" ] || refuse "NEWS does not begin with \"mprof $version\""
[ ! -d release ] || [ -f release/SHA256SUMS ] || refuse "there is a folder release, but not of this program"

rm -rf release.new
mkdir release.new
trap 'rm -rf release.new' EXIT
# The same commit gives the same bytes, if the versions of autoconf and automake are the same.
TAR_OPTIONS="--sort=name --owner=root:0 --group=root:0 --mtime=@$(in_git log -1 --format=%ct)
    --pax-option=delete=atime,delete=ctime,exthdr.name=%d/PaxHeaders/%f"
TAR_OPTIONS=$(echo $TAR_OPTIONS) make -s dist >release.new/log 2>&1 ||
    { cat release.new/log >&2; refuse "make dist failed"; }
rm release.new/log
mv "mprof-$version.tar.xz" release.new
changes >release.new/CHANGES.md
date=$(in_git log -1 --format=@%ct)
find packages -mindepth 2 -maxdepth 2 -name '*.deb' -newermt "$date" 2>/dev/null | while read -r package; do
    folder=${package#packages/}
    mkdir -p "release.new/${folder%/*}"
    cp -p "$package" "release.new/$folder"
done
find . -maxdepth 1 -name "mprof-$version-linux-*.tar.gz" -newermt "$date" -exec cp -p {} release.new \;
(cd release.new && find . -type f | sed 's|^\./||' | LC_ALL=C sort | tr '\n' '\0' | xargs -0 sha256sum >../release.sums)
mv release.sums release.new/SHA256SUMS
rm -rf release
mv release.new release
cat <<END
release/ has mprof $version:
$(sed 's/^[^ ]*  /    /' release/SHA256SUMS)
    SHA256SUMS
$(grep -q '\.deb$' release/SHA256SUMS || echo "It has no packages. make deb builds them, as root; then repeat make release, which adds them.")
$(grep -qs '\.invalid>' "$src/debian/control" && echo "The maintainer in debian/control has a placeholder as address; CONTRIBUTING.md says where to replace it.")
Next: sign the checksums, which writes the detached signature release/SHA256SUMS.asc, and tag the commit:
    gpg --armor --detach-sign release/SHA256SUMS
    git tag -s v$version
END
# SPDX-License-Identifier: MIT
