# SPDX-License-Identifier: MIT
# Completion of mprof for bash.  `mprof --help` lists the commands.  `mprof COMMAND --list-options` lists the options,
# one per line: name, letter, = or [=, the words of the value, and the help, with tabs between them.

# __mprof_list PROGRAM HEADING: prints the words that `mprof --help` lists under HEADING, one per line
__mprof_list()
{
    "$1" --help 2>/dev/null | sed -n "/^$2:/,/^\$/s/^  \([a-z][a-z]*\) .*/\1/p"
}

# __mprof_options PROGRAM COMMAND: prints the options of COMMAND, one per line; options that need a value end with =
__mprof_options()
{
    "$1" "$2" --list-options 2>/dev/null | cut -f1,3 | tr -d '\t' | sed 's/\[=$//'
}

# __mprof_values PROGRAM COMMAND OPTION CURRENT: fills COMPREPLY with the values of OPTION, a name or a letter, that
# begin with CURRENT
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

# Sets `command` to the first word before the current one that is not an option, and `at` to its index.
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

# Returns 0 if the program that `mprof run` runs comes before the current word.
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
