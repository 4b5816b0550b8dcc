# Completion of mprof for bash.  Commands and options are what `mprof --help` and `mprof COMMAND --help`
# list, so that none is missing; only what some options take is written down here.

# __mprof_list PROGRAM HEADING: what `mprof --help` lists under HEADING, one a line
__mprof_list()
{
    "$1" --help 2>/dev/null | sed -n "/^$2:/,/^\$/s/^  \([a-z][a-z]*\) .*/\1/p"
}

# __mprof_options PROGRAM COMMAND: one a line; those that take something end with =
__mprof_options()
{
    "$1" "$2" --help 2>/dev/null |
        sed -n -e 's/^ \{2,6\}\(-[a-zA-Z], *\)\{0,1\}\(--[a-z][a-z-]*\)\(\[\{0,1\}=\{0,1\}\).*/\2\3/p' |
        sed -e 's/\[=*$//'
}

# __mprof_tables PROGRAM: those of mprof report --table
__mprof_tables()
{
    "$1" report --help 2>/dev/null | tr -d ' \n' | sed -n 's/.*Onlythesetables,inthisorder:\([a-z,-]*[a-z]\)--no-overview.*/\1/p' | tr , '\n'
}

# __mprof_values PROGRAM COMMAND OPTION CURRENT: fill COMPREPLY with what OPTION takes
__mprof_values()
{
    local values=

    case $2$3 in
    top--sort) values="live blocks allocs bytes name" ;;
    top--by) values="function site type thread tree" ;;
    export--format) values=$("$1" export --formats 2>/dev/null | cut -d" " -f1) ;;
    merge--by) values="process program host none" ;;
    push--format) values="pprof pyroscope parca" ;;
    diff--by) values="function chain type module size all" ;;
    plot--by) values="type module function file thread package site" ;;
    esac
    [ -n "$values" ] || case $3 in
    --sort | --cost) values="bytes kept peak allocs temporary" ;;
    --at) values=peak ;;
    --color) values="auto always never" ;;
    --frames) values="lisp c all" ;;
    --format) values="chains ids folded lifetimes" ;;
    --by) values="type module function file thread" ;;
    --lines) values=full ;;
    --graph) values="svg dot" ;;
    --suggest) values="valgrind lsan" ;;
    --show) values="definite possible indirect reachable all" ;;
    --unwinder) values="rules libunwind fp" ;;
    --table) values=$(__mprof_tables "$1") ;;
    --signal | --heap-signal) values="USR1 USR2 HUP WINCH URG" ;;
    --source-path | --spool)
        compopt -o filenames 2>/dev/null
        mapfile -t COMPREPLY < <(compgen -d -- "$4")
        return
        ;;
    -o | --output | --executable | --data | --json | --baseline | --suppressions | --limits | --junit | --gitlab | --before | --after | --real | --cacert)
        compopt -o filenames 2>/dev/null
        mapfile -t COMPREPLY < <(compgen -f -- "$4")
        return
        ;;
    esac
    if [[ $3 == --table || $2$3 == diff--by ]] && [[ $4 == *,* ]]; then
        mapfile -t COMPREPLY < <(compgen -P "${4%,*}," -W "$values" -- "${4##*,}")
    else
        mapfile -t COMPREPLY < <(compgen -W "$values" -- "$4")
    fi
}

# The command of the words before the current one, and in `at` where it stands.
__mprof_command()
{
    local i

    command='' at=0
    for ((i = 1; i < COMP_CWORD; i++)); do
        case ${COMP_WORDS[i]} in
        -*) ;;
        *)
            command=${COMP_WORDS[i]} at=$i
            return
            ;;
        esac
    done
}

# Is the current word behind the program that `mprof run` runs, or that program?
__mprof_behind_program()
{
    local i word

    for ((i = at + 1; i < COMP_CWORD; i++)); do
        word=${COMP_WORDS[i]}
        case $word in
        -o | =) ((i++)) ;;
        -*) ;;
        *) return 0 ;;
        esac
    done
    return 1
}

_mprof()
{
    local program=${COMP_WORDS[0]} cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}
    local command at

    COMPREPLY=()
    __mprof_command
    if [ -z "$command" ]; then
        mapfile -t COMPREPLY < <(compgen -W "$(__mprof_list "$program" Commands) --help --version" -- "$cur")
        return
    fi
    if [ "$command" = run ] && __mprof_behind_program; then
        compopt -o default 2>/dev/null
    elif [ "$cur" = = ]; then
        __mprof_values "$program" "$command" "$prev" ''
    elif [ "$prev" = = ]; then
        __mprof_values "$program" "$command" "${COMP_WORDS[COMP_CWORD - 2]}" "$cur"
    elif [ "$prev" = -o ]; then
        __mprof_values "$program" "$command" -o "$cur"
    elif [[ $cur == --*=* ]]; then
        __mprof_values "$program" "$command" "${cur%%=*}" "${cur#*=}"
    elif [[ $cur == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$(__mprof_options "$program" "$command")" -- "$cur")
        [[ ${COMPREPLY[0]-} != *= ]] || compopt -o nospace 2>/dev/null
    elif [ "$command" = help ]; then
        mapfile -t COMPREPLY < <(compgen -W "$(__mprof_list "$program" Commands; __mprof_list "$program" Topics)" -- "$cur")
    elif [ "$command" = run ]; then
        mapfile -t COMPREPLY < <(compgen -c -- "$cur")
    else
        compopt -o default 2>/dev/null
    fi
}

complete -F _mprof mprof
