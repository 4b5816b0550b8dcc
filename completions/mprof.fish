# SPDX-License-Identifier: MIT
# Completion of mprof for fish.  `mprof --help` lists the commands.  `mprof COMMAND --list-options` lists the options,
# one per line: name, letter, = or [=, the words of the value, and the help, with tabs between them.

# Returns 0 if the first word that is not an option is COMMAND.
function __mprof_in
    for word in (commandline -opc)[2..-1]
        string match -q -- '-*' $word; and continue
        test $word = $argv[1]
        return
    end
    return 1
end

# Returns 0 if there is no command yet.
function __mprof_begins
    for word in (commandline -opc)[2..-1]
        string match -q -- '-*' $word; or return 1
    end
end

for line in (mprof --help 2>/dev/null | sed -n '/^Commands:/,/^$/s/^  \([a-z][a-z]*\) *\(.*\)/\1\t\2/p')
    set -l parts (string split \t -- $line)
    complete -c mprof -f -n __mprof_begins -a $parts[1] -d "$parts[2]"
    complete -c mprof -f -n '__mprof_in help' -a $parts[1] -d "$parts[2]"
    test $parts[1] = help; and continue
    for option in (mprof $parts[1] --list-options 2>/dev/null)
        set -l field (string split \t -- $option)
        set -l arguments -c mprof -n "__mprof_in $parts[1]" -l (string sub -s 3 -- $field[1]) -d "$field[5]"
        test -n "$field[2]"; and set -a arguments -s (string sub -s 2 -- $field[2])
        set -l values (string trim -r -c , -- $field[4])
        test "$values" = DIR; and set values '(__fish_complete_directories)'
        if test -n "$values" -a "$values" != FILE
            set -a arguments -a "$values"
            test "$field[3]" = '='; and set -a arguments -x; or set -a arguments -f
        else if test "$field[3]" = '='
            set -a arguments -r
        end
        complete $arguments
    end
end
for line in (mprof --help 2>/dev/null | sed -n '/^Topics:/,/^$/s/^  \([a-z][a-z]*\) *\(.*\)/\1\t\2/p')
    set -l parts (string split \t -- $line)
    complete -c mprof -f -n '__mprof_in help' -a $parts[1] -d "$parts[2]"
end
complete -c mprof -f -n __mprof_begins -l help -d 'Print help'
complete -c mprof -f -n __mprof_begins -l version -d 'Print the version'
