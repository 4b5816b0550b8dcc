# SPDX-License-Identifier: MIT
#
# build.sh -- builds the packages of the tarball /source/mprof-VERSION.tar.xz in the directory $1, as another user than
# root. run.sh runs it in a root. The source package lacks the files that debian/copyright excludes. Ends with a nonzero
# status if lintian has an error or a warning, too.
set -eu
folder=$1
tarball=$(echo /source/mprof-*.tar.xz)
version=${tarball##*/mprof-}
version=${version%.tar.xz}
useradd -m builder 2>/dev/null || :
cd "$folder"
tar -xf "$tarball"
cp -r "mprof-$version/debian" debian
sed -n '/^Files-Excluded:/,/^$/s/^ //p' debian/copyright | while read -r excluded; do
    rm -r "mprof-$version/$excluded"
done
tar -cJf "mprof_$version+ds.orig.tar.xz" "mprof-$version"
mv debian "mprof-$version"
chown -R builder "$folder"
su builder -c "cd '$folder/mprof-$version' && DEB_BUILD_OPTIONS='$DEB_BUILD_OPTIONS' dpkg-buildpackage -us -uc"
[ -n "$(find . -maxdepth 1 -name '*.changes')" ]
su builder -c "lintian --fail-on error,warning --info --tag-display-limit 0 '$folder'/*.changes"
rm -rf "mprof-$version"
