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

# made_checks TEXT: tests that an ECL ended with status 0 after it ran the tests in tests/lisp, and repeats the checks that
# it made.
made_checks()
{
    text=$1
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

# test_system TEXT ECL...: runs the ASDF system mprof/tests in the command ECL.
test_system()
{
    text=$1
    shift
    with_system "(asdf:test-system :mprof)" "$@"
    made_checks "$text"
}

# test_files TEXT: runs the files of this system in an ECL without ASDF and the compiler. One compilation of all files
# is cheaper than one of each, and so are snapshots of a small heap.
test_files()
{
    files=$(sed -n "s|^ .*(:file \"\([a-z]*\)\").*|$src/tests/lisp/\1.lisp|p" "$src/lisp/mprof.asd")
    is "$1: all files" "$(echo "$files" | sort)" "$(ls "$src"/tests/lisp/*.lisp)"
    # shellcheck disable=SC2086
    cat $files >files.lisp
    cat >compile.lisp <<END
(load "$module")
(require :cmp)
(set (find-symbol "*CC-OPTIMIZE*" "C") "-O0")
(ext:quit (if (nth-value 2 (compile-file "files.lisp")) 1 0))
END
    ok "$1: compiled" "$ecl" --norc --shell compile.lisp
    cat >files-run.lisp <<END
(load "$module")
(load "files.fas")
(handler-case (mprof-tests:run-tests)
  (error (condition) (format *error-output* "~A~%" condition) (ext:quit 1)))
(ext:quit 0)
END
    run env TMPDIR="$tmp" "$ecl" --norc --shell files-run.lisp
    made_checks "$1"
}
# SPDX-License-Identifier: MIT
