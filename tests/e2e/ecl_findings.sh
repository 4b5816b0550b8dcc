#!/bin/sh
# mprof findings of Lisp: each rule reports a function that has the fault, and no function without it.
. "${srcdir:-.}/tests/e2e/ecl_lib.sh"

ok "compile" compiled findings

# rules FUNCTION: prints the rules that report something when FUNCTION has run, with the functions. If FUNCTION has no
# recording yet, records a whole program. Some builds of ECL make floats when they start.
rules()
{
    if [ ! -e "$1.data" ]; then
        printf '(load "findings.fas")\n(faults::%s 100000)\n' "$1" >run.lisp
        lisp "$1.data" run.lisp
        [ "$status" -eq 0 ] || echo "status $status"
    fi
    "$mprof" findings --lisp --json "$1.data" |
        jq -r '.tables.findings.rows[].values | select(.function != "ecl_make_double_float") | .rule + " " + .function'
}

cat >forms.lisp <<'END'
(load (ext:getenv "MPROF_MODULE"))
(load "findings.fas")
(dolist (function '(norm norm-declared hash hash-small totals totals-of-four all-numbers loop-numbers sizes-anew sizes))
  (let ((name (string-downcase function)))
    (mprof:with-profiling (:file (concatenate 'string name ".data"))
      (funcall (find-symbol (string function) :faults) 100000))))
END
MPROF_MODULE=$top/lisp/mprof.fas
export MPROF_MODULE
returns "recordings of forms: status" 0 "$ecl" --norc --shell forms.lisp
is "floats" "$(rules norm)" "boxed FAULTS::NORM"
is "declared floats" "$(rules norm-declared)" ""
is "bignums" "$(rules hash)" "bignums FAULTS::HASH"
is "fixnums" "$(rules hash-small)" ""
is "argument lists" "$(rules totals)" "rest FAULTS::TOTAL"
is "required parameters" "$(rules totals-of-four)" ""
is "argument lists of a built-in function" "$(rules bits)" "rest FAULTS::BITS"
is "FORMAT, called by an inlined function" "$(rules keys)" "format FAULTS::KEY"
is "EVERY" "$(rules all-numbers)" "builtin FAULTS::ALL-NUMBERS"
is "a loop" "$(rules loop-numbers)" ""
is "methods looked for" "$(rules sizes-anew)" "dispatch FAULTS::SIZES-ANEW"
is "methods remembered" "$(rules sizes)" ""

is "what lives grows" "$(rules grow)" "grows FAULTS::HOLD"
is "what lives grows, and falls once" "$(rules grow-and-fall | grep grows)" ""
"$mprof" findings --lisp grow.data >out
has "... it is said what collections left alive" out 'What collections left alive grew from the beginning to the end and was never less: '

is "what two functions hold grows" "$(rules grow-in-two | sed 's/-WORDS$/-x/;s/-OCTETS$/-x/')" "grows FAULTS::HOLD-x"
"$mprof" findings --lisp grow-in-two.data >out
has "... it is said who has it together" out ' 2 places together made '
has "... the one" out 'FAULTS::HOLD-WORDS'
has "... and the other" out 'FAULTS::HOLD-OCTETS'

"$mprof" findings --lisp bits.data >out
has "the built-in function is named" out ' FAULTS::BITS \(findings.lisp:[0-9]+\) calls SBIT, which takes its arguments as a list: '

# shows FILE OPTIONS PATTERN: tests that the sentence, the chain and the command of a finding name one function.
shows()
{
    # shellcheck disable=SC2086
    "$mprof" findings $2 "$1" >out
    command=$(sed -n 's/^    mprof report //p' out | head -n 1)
    eval "'$mprof' report --no-pager $command" >report
    has "$1 $2: the command shows more" report "$3"
}
shows bits.data "" 'CONS +SBIT < FAULTS::BITS <'
shows keys.data "" 'STREAM .*FORMAT < FAULTS::KEY < FAULTS::KEYS <'
has "the inlined function is named, with the exact number of calls" out \
    ' FAULTS::KEY \(findings.lisp:[0-9]+\) calls FORMAT 100,000 times to make a string, 1\.[01] kB each; '
has "and is in the chain, which begins at the form" out \
    '^ +top-level form .* > FAULTS::KEYS .* > FAULTS::KEY .* > FORMAT '
shows keys.data --frames=c \
    'STREAM .*cl_format < L[0-9]+key(_va)? \(findings\.c:[0-9]+\) < L[0-9]+keys'
has "by its C name, too" out ' L[0-9]+key(_va)? .*calls FORMAT 100,000 times '

# A recording ends when the program asks for it; then nothing is missing.
cat >stopped.lisp <<'END'
(load (ext:getenv "MPROF_MODULE"))
(load "findings.fas")
(mprof:with-profiling (:file "stopped.data") (faults::bits 100000))
END
"$ecl" --norc --shell stopped.lisp >"$tmp/log" 2>&1 </dev/null
"$mprof" findings stopped.data >out
has "a recording that was stopped has findings" out ' FAULTS::BITS .*calls SBIT, '
hasnt "and is not incomplete" out 'incomplete'
plan
# SPDX-License-Identifier: MIT
