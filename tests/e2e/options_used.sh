#!/bin/sh
# Each option that a command accepts changes what it prints. For commands that show chains, all options in --help are
# tried. An option that is not listed here fails, so that each new option gets a line.
. "${srcdir:-.}/tests/e2e/lib.sh"

for name in one two; do
    if ! "$mprof" run -q -o $name.data "$programs/options_used" >run.log 2>&1; then
        echo "Bail out! options_used cannot be profiled: $(cat run.log)"
        exit 99
    fi
done
"$mprof" run -q -o churn.data "$programs/findings" churn
"$mprof" merge -o merged.data --label=host=alpha one.data >merge.log 2>&1
"$mprof" merge -o other.data --label=host=beta churn.data >>merge.log 2>&1
"$mprof" merge -o both.data merged.data other.data >>merge.log 2>&1 || sed 's/^/# /' merge.log
mkdir sources
cp "$src/tests/programs/options_used.cc" sources
cp "$src/tests/data/sealed-lisp.data" lisp.data

# value OPTION: sets $value to the option with a value, and $data to a file for which it makes a difference.
value()
{
    data=one.data
    case $1 in
    --by-process | --color | --all | --no-pager) ;;
    --at) set -- --at=loaded ;;
    --from) set -- --from=loaded ;;
    --to) set -- --to=loaded ;;
    --file) set -- --file=options_used ;;
    --focus) set -- --focus=load ;;
    --schema) set -- --schema=sqlite ;;
    --function) set -- '--function=^main$' ;;
    --root) set -- '--root=^main$' ;;
    --module) set -- --module=options_used ;;
    --size) set -- --size=200 ;;
    --thread) set -- --thread=worker ;;
    --skip) set -- '--skip=Table|^load|^xmalloc' ;;
    --process) set -- --process=findings ;;
    --program) set -- --program=findings ;;
    --host) set -- --host=beta ;;
    --executable) set -- --executable=nowhere ;;
    --frames) set -- --frames=lisp ;;
    --chain) set -- --chain=1 ;;
    --min) set -- --min=50% ;;
    --max) set -- --max=1 ;;
    --sort) set -- --sort=peak ;;
    --table) set -- --table=flat ;;
    --cost) set -- --cost=allocs ;;
    --graph) set -- --graph=dot ;;
    --label) set -- --label=a=b ;;
    --source) set -- --source=sources ;;
    esac
    case $1 in
    --by-process | --process=* | --program=* | --host=*) data=both.data ;;
    --lisp | --frames=* | --gc) data=lisp.data ;;
    --no-arguments) data=churn.data ;;
    esac
    value=$1
}

# output COMMAND OPTION...: writes the command's output, the files that it writes, its messages and status to `shown`.
output()
{
    command=$1
    shift
    case $command in
    html) "$mprof" html -o page.html "$@" >shown 2>&1 ;;
    export) "$mprof" export -F "$format" -o rows "$@" >shown 2>&1 ;;
    flamegraph) "$mprof" flamegraph -o graph "$@" >shown 2>&1 ;;
    report)
        case $1 in
        --graph=*) "$mprof" report "$@" >shown 2>&1 ;;
        *) "$mprof" report --table=direct,leaks,graph,sites "$@" >shown 2>&1 ;;
        esac
        ;;
    annotate)
        case $1 in
        --all) "$mprof" annotate "$@" >shown 2>&1 ;;
        *) "$mprof" annotate main "$@" >shown 2>&1 ;;
        esac
        ;;
    *) "$mprof" "$command" "$@" >shown 2>&1 ;;
    esac
    echo "status $?" >>shown
    case $command in
    html) "$python" - page.html <<'END' >>shown 2>&1 ;;
import base64, re, sys, zlib
page = open(sys.argv[1], encoding="utf-8").read()
model = re.search(r'id="model"[^>]*>([^<]*)<', page)
print(zlib.decompress(base64.b64decode(model[1])).decode())
print(page[page.index("<pre"):])
END
    export) cat rows >>shown 2>&1 ;;
    flamegraph) cat graph >>shown 2>&1 ;;
    esac
    rm -f page.html rows graph
}

# changes COMMAND OPTION...: returns whether the last option makes a difference. An option whose value value() does
# not know is refused.
changes()
{
    command=$1
    value "$2"
    format=ndjson
    [ "$2" != --no-arguments ] || format=massif         # a format with the command line
    [ "$command$2" != export--cost ] || format=collapsed # a format with one figure
    [ "$2" != --null ] && [ "$2" != --no-header ] || format=csv
    [ "$command$2" != findings--lisp ] || data=one.data
    # shellcheck disable=SC2086
    output "$command" $data
    cp shown before
    # shellcheck disable=SC2086
    if [ "$2" = --format ]; then
        format=csv
        value=-q
    fi
    # shellcheck disable=SC2086
    output "$command" "$value" $data
    ! grep -qx 'status 2' shown && ! cmp -s before shown
}

for command in report findings html annotate flamegraph export; do
    "$mprof" $command --help | sed -n 's/^ *\(-[a-zA-Z], \)\{0,1\}\(--[a-z-]*\).*/\2/p' | sort -u >options
    while read -r option; do
        case $command$option in
        # options that command_line.sh tests, that select the output or the pager, or that need a terminal
        *--help | *--version | *--quiet | *--symbol-limit | *--output | *--open | *--color | *--no-pager) ;;
        report--no-overview | report--no-findings) ;;
        report--normal | report--leaktable | report--lines) ;;                  # the defaults
        html--heaps) ;;                                         # tests/html/heap.sh
        export--format | export--formats) ;;                    # output() gives -F itself
        # mprof annotate shows lines, and neither chains nor names
        annotate--all-frames | annotate--by-process | annotate--frames | annotate--lisp | annotate--full-names | annotate--no-skip) ;;
        findings--all) ;;                                       # shows more than seven findings
        findings--all-frames | findings--frames) ;;             # rules look at all frames, whichever are shown
        *) ok "$command $option changes something" changes $command "$option" ;;
        esac
    done <options
done

# Options also change the static tables of a page, which are for readers without scripts.
"$mprof" html --by-process -o page.html both.data
has "html --by-process: its tables, too" page.html 'findings\[[0-9]+\]@beta'
plan
# SPDX-License-Identifier: MIT
