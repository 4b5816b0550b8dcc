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
