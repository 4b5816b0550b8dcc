# shellcheck shell=sh disable=SC2154,SC2034
# (the variables come from lib.sh, or scripts use them)
#
# lisp_lib.sh -- variables for tests of the Lisp module. A script sources this file instead of lib.sh.
#
#   $module   mprof.fas
#   $ecl      the ECL that loads it
#
# The script is skipped if mprof was built without ECL.
. "${srcdir:-.}/tests/e2e/lib.sh"

module=$top/lisp/mprof.fas
[ -f "$module" ] || skip_all "the Lisp module" "mprof was configured --without-ecl"
ecl=${ECL:-ecl}

# with_system FORM COMMAND...: runs FORM in the ECL that COMMAND starts, where ASDF knows mprof's systems. gcc's
# optimization would take most of the time for compiling.
with_system()
{
    cat >system.lisp <<END
(require :asdf)
(require :cmp)
(set (find-symbol "*CC-OPTIMIZE*" "C") "-O0")
(asdf:initialize-source-registry
 '(:source-registry (:directory "$src/lisp/") :ignore-inherited-configuration))
(handler-case $1
  (error (condition) (format *error-output* "~A~%" condition) (ext:quit 1)))
(ext:quit 0)
END
    shift
    run env ECL_MPROF="$module" XDG_CACHE_HOME="$tmp/cache" TMPDIR="$tmp" "$@" --norc --shell system.lisp
}

# test_system TEXT ECL...: runs the ASDF system mprof/tests in the command ECL, and repeats the checks that it made.
test_system()
{
    text=$1
    shift
    with_system "(asdf:test-system :mprof)" "$@"
    is "$text: status" "$status" 0
    grep -E '^(ok|not ok) ' out >checks
    at_least "$text: checks were made" "$(grep -c . checks)" 80
    while read -r word rest; do
        case $word in
        ok) pass "$text: ${rest#* - }" ;;
        not) fail "$text: ${rest#* - }" ;;
        esac
    done <checks
    sed -n '/^not ok/,/^ok/{/^\(not \)*ok/d;s/^/# /p}' out
    empty "$text: nothing on stderr" err
}
# SPDX-License-Identifier: MIT
