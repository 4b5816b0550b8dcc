#!/bin/sh
# make release refuses to publish what git does not have or NEWS does not begin with. A small project is published here.
. "${srcdir:-.}/tests/e2e/tap.sh"

command -v git >/dev/null 2>&1 || skip_all "releases" "git is not installed"
mkdir -p "$tmp/project/packaging"
cd "$tmp/project" || exit 99
cp "$src/packaging/release.sh" packaging/release.sh
printf '/release/\n/packages/\n/mprof-*\n' >.gitignore
cat >Makefile <<'END'
dist:
	mkdir -p mprof-2.0.0 && cp NEWS mprof-2.0.0 && tar --format=posix -chf - mprof-2.0.0 | xz >mprof-2.0.0.tar.xz
END
cat >NEWS <<'END'
mprof 1.9.0

A first line.

Recording
- One.

mprof 1.8.0

Recording
- Zero.
END
git_as() { git -c user.name=x -c user.email=x@example.invalid -c init.defaultBranch=main "$@" >/dev/null 2>&1; }
release() { run sh packaging/release.sh 2.0.0; }
# stays TEXT: tests that the release was refused with a line that contains TEXT, and that nothing was written.
stays()
{
    is "$1: status 1, and nothing is written" "$status $(ls -d release* mprof-* 2>/dev/null)" "1 "
    has "... with the reason" "$tmp/err" "^mprof: no release: .*$1"
}

release
stays "not a clone of git"
git_as init . && git_as add . && git_as commit -m one
release
stays 'NEWS does not begin with "mprof 2.0.0"'
printf 'mprof 2.0.0\n\nA new release, which\nhas everything.\n\nReports\n- Two, and\n  more.\n- Three.\n\n' | cat - NEWS >new && mv new NEWS
release
stays "uncommitted changes"
git_as add . && git_as commit -m two
echo x >strange
release
stays "uncommitted changes"
rm strange

mkdir -p packages/bookworm
echo old >packages/bookworm/old.deb
touch -d 2001-01-01 packages/bookworm/old.deb
release
is "a clean clone whose NEWS has the version: status 0" "$status" 0
is "what is released" "$(cd release && echo *)" "CHANGES.md SHA256SUMS mprof-2.0.0.tar.xz"
ok "the checksums are right" sh -c 'cd release && sha256sum -c SHA256SUMS'
has "... of all other files" release/SHA256SUMS ' mprof-2\.0\.0\.tar\.xz$'
has "it says that there are no packages" "$tmp/out" 'no packages\. make deb builds them'
has "it says where the signature goes" "$tmp/out" 'release/SHA256SUMS\.asc'
is "the changes of this release, in Markdown" "$(cat release/CHANGES.md)" "# mprof 2.0.0

A new release, which
has everything.

## Reports

- Two, and
  more.
- Three."

echo new >packages/bookworm/new.deb
touch -d "@$(($(git log -1 --format=%ct) + 1))" packages/bookworm/new.deb
echo old >mprof-2.0.0-linux-m68k.tar.gz
touch -d 2001-01-01 mprof-2.0.0-linux-m68k.tar.gz
echo new >mprof-2.0.0-linux-vax.tar.gz
touch -r packages/bookworm/new.deb mprof-2.0.0-linux-vax.tar.gz
cp -r release ../before
release
is "packages that were built since the commit are added" "$(cd release && find . -name '*.deb')" "./bookworm/new.deb"
has "... with their checksums" release/SHA256SUMS ' bookworm/new\.deb$'
is "the tarball of programs is added, too" "$(cd release && echo ./*-linux-*)" ./mprof-2.0.0-linux-vax.tar.gz
ok "the tarball is the same as before" cmp release/mprof-2.0.0.tar.xz ../before/mprof-2.0.0.tar.xz
printf 'dist:\n\texit 3\n' >Makefile
git_as commit -a -m three
release
is "a tarball that cannot be made: status 1, and the old release stays" "$status $(ls -d release*)" "1 release"
has "... with the reason" "$tmp/err" '^mprof: no release: make dist failed'
plan
# SPDX-License-Identifier: MIT
