# shellcheck shell=sh disable=SC2034,SC2154
# lib.sh -- variables that the cases share: $mprof, $top, and a directory $work that is removed at the end.
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
