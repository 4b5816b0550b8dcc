# shellcheck shell=sh disable=SC2034,SC2154
# lib.sh -- what the cases share: $mprof, $top, a directory $work that is removed at the end, and functions.
top=$(cd "$here/../../.." && pwd)
mprof=${MPROF:-$top/mprof}
[ -x "$mprof" ] || mprof=$(command -v mprof)
work=$(mktemp -d "${TMPDIR:-/tmp}/mprof-case.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 99' HUP INT TERM

say()
{
    printf '\n# %s\n' "$*"
}

refuse()
{
    printf '%s: %s\n' "$0" "$*" >&2
    exit 1
}

# fetch PACKAGE DIRECTORY: fetches Debian's source of PACKAGE for the release $RELEASE (default: bookworm) into DIRECTORY,
# with separate package lists, so that nothing on the machine changes.
fetch()
{
    command -v apt-get >/dev/null || refuse "there is no apt-get; \$SOURCE tells where the source of $1 is"
    package=$1 into=$2
    mkdir -p "$work/lists/partial" "$work/archives/partial" "$into"
    for suite in "${RELEASE:-bookworm}" "${RELEASE:-bookworm}-updates"; do
        echo "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian $suite main"
    done >"$work/sources.list"
    set -- -q -o Dir::Etc::SourceList="$work/sources.list" -o Dir::Etc::SourceParts=/dev/null \
        -o Dir::State::Lists="$work/lists" -o Dir::Cache="$work" -o APT::Sandbox::User="$(id -un)"
    (cd "$into" && apt-get "$@" update && apt-get "$@" source "$package") >"$work/fetch.log" 2>&1 ||
        refuse "apt-get could not fetch the source of $package: $(tail -n 1 "$work/fetch.log")"
}

# built NAME COMMANDS [PATCH...]: builds the source in the directory $source, changed by patches of this case, in
# $work/NAME.
built()
{
    name=$1 commands=$2
    shift 2
    cp -a "$source" "$work/$name"
    (
        cd "$work/$name"
        for patch; do
            patch -s -p1 <"$here/$patch.patch"
        done
        CFLAGS="-g -O2 -I$top/runtime"
        export CFLAGS
        eval "$commands"
    ) >"$work/$name.log" 2>&1 || refuse "$name could not be built: $(tail -n 1 "$work/$name.log")"
}

# source_of PACKAGE: sets $source to the directory $SOURCE, or to Debian's source of PACKAGE.
source_of()
{
    source=${SOURCE:-}
    [ -n "$source" ] && return
    fetch "$1" "$work/fetched"
    source=$(echo "$work/fetched/"*/)
}

# found NAME COMMAND...: records COMMAND, whose output goes to $work/NAME.out, and prints what it allocates and the
# first finding.
found()
{
    name=$1
    shift
    "$mprof" run -o "$work/$name.data" -- "$@" 2>"$work/$name.summary" >"$work/$name.out"
    sed '/ of data in /,$d; /^mprof:/!d' "$work/$name.summary"
    "$mprof" findings --no-pager "$work/$name.data" | sed -n '3,/^$/p'
}

# same NAME NAME: refuses if these two had other outputs.
same()
{
    cmp "$work/$1.out" "$work/$2.out" || refuse "the output is another one"
    say "the output is the same"
}

# parsed VARIABLE DIRECTORY: compiles the Lisp system of DIRECTORY, whose place parse.lisp of this case takes from
# VARIABLE, without and with fix.patch, and prints what its document needs.
parsed()
{
    ecl=${ECL:-ecl}
    [ -d "$2" ] || refuse "there is no $2: apt-get install cl-${2##*/}"
    command -v "$ecl" >/dev/null || refuse "there is no $ecl: apt-get install ecl"
    command -v patch >/dev/null || refuse "there is no patch: apt-get install patch"
    for version in before after; do
        cp -r "$2" "$work/$version"
        [ $version = before ] || (cd "$work/$version" && patch -s -p1 <"$here/fix.patch")
        export "$1=$work/$version/"
        "$ecl" --norc --shell "$here/parse.lisp" >"$work/$version.compiled" 2>&1
        say "$version: what was parsed, as a number:"
        "$mprof" run -q -o "$work/$version.data" -- "$ecl" --norc --shell "$here/parse.lisp" |
            tee "$work/$version.out" | tail -n 1
        say "$version: who allocates while the document is parsed:"
        "$mprof" --lisp report --no-pager --focus=PARSE-DOCUMENT --max=4 --table=flat,function-types \
            "$work/$version.data" | sed '1,/^$/d; /^MPROF: /,$d'
    done
    [ "$(tail -n 1 "$work/before.out")" = "$(tail -n 1 "$work/after.out")" ] || refuse "another result was parsed"
}
# SPDX-License-Identifier: MIT
