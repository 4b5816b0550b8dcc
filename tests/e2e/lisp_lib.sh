# shellcheck shell=sh disable=SC2154,SC2034
# (variables come from lib.sh, or are for the tests)
#
# lisp_lib.sh -- what the tests of the Lisp module share.  Source it instead of lib.sh.
#
#   $module   mprof.fas
#   $ecl      the ECL that loads it
#
# A build without ECL skips the whole script.
. "${srcdir:-.}/tests/e2e/lib.sh"

module=$top/lisp/mprof.fas
[ -f "$module" ] || skip_all "the Lisp module" "mprof was configured --without-ecl"
ecl=${ECL:-ecl}
