# Completion of mprof for bash.  Commands are what `mprof --help` lists; options, and what they take, are what
# `mprof COMMAND --list-options` prints: name, letter, = or [=, the words of the value, and the help, with tabs
# between them.

# __mprof_list PROGRAM HEADING: what `mprof --help` lists under HEADING, one a line
__mprof_list()
{
    "$1" --help 2>/dev/null | sed -n "/^$2:/,/^\$/s/^  \([a-z][a-z]*\) .*/\1/p"
}

# __mprof_options PROGRAM COMMAND: one a line; those that need a value end with =
__mprof_options()
{
    "$1" "$2" --list-options 2>/dev/null | cut -f1,3 | tr -d '\t' | sed 's/\[=$//'
}

# __mprof_values PROGRAM COMMAND OPTION CURRENT: fill COMPREPLY with what OPTION, a name or a letter, takes
__mprof_values()
{
    local values

    values=$("$1" "$2" --list-options 2>/dev/null | awk -F '\t' -v option="$3" '$1 == option || $2 == option { print $4 }')
    case $values in
    DIR | FILE)
        compopt -o filenames 2>/dev/null
        if [ "$values" = DIR ]; then
            mapfile -t COMPREPLY < <(compgen -d -- "$4")
        else
            mapfile -t COMPREPLY < <(compgen -f -- "$4")
        fi
        ;;
    *,)
        if [[ $4 == *,* ]]; then
            mapfile -t COMPREPLY < <(compgen -P "${4%,*}," -W "${values%,}" -- "${4##*,}")
        else
            mapfile -t COMPREPLY < <(compgen -W "${values%,}" -- "$4")
        fi
        ;;
    *) mapfile -t COMPREPLY < <(compgen -W "$values" -- "$4") ;;
    esac
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
    elif [[ $prev == -? && -n $("$program" "$command" --list-options 2>/dev/null | cut -f2,3 | grep -xF -- "$prev"$'\t'=) ]]; then
        __mprof_values "$program" "$command" "$prev" "$cur"
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
