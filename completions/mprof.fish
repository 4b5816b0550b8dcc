# Completion of mprof for fish.  Commands and options are what `mprof --help` and `mprof COMMAND --help`
# list, so that none is missing; only what some options take is written down here.

# Is the first word that is no option COMMAND?
function __mprof_in
    for word in (commandline -opc)[2..-1]
        string match -q -- '-*' $word; and continue
        test $word = $argv[1]
        return
    end
    return 1
end

# Is there no command yet?
function __mprof_begins
    for word in (commandline -opc)[2..-1]
        string match -q -- '-*' $word; or return 1
    end
end

# What OPTION of COMMAND takes.
function __mprof_values
    switch $argv[2]-$argv[1]
        case top-sort
            echo live blocks allocs bytes name
            return
        case top-by
            echo function site type thread tree
            return
        case export-format
            mprof export --formats 2>/dev/null | cut -d' ' -f1 | tr '\n' ' '
            return
        case diff-by
            echo function chain type module size all
            return
        case plot-by
            echo type module function file thread package site
            return
        case merge-by
            echo process program host none
            return
        case push-format
            echo pprof pyroscope parca
            return
    end
    switch $argv[1]
        case sort cost
            echo bytes kept peak allocs temporary
        case at
            echo peak
        case color
            echo auto always never
        case frames
            echo lisp c all
        case format
            echo chains ids folded lifetimes
        case by
            echo type module function file thread
        case graph
            echo svg dot
        case suggest
            echo valgrind lsan
        case show
            echo definite possible indirect reachable all
        case lines
            echo full
        case unwinder
            echo rules libunwind fp
        case signal heap-signal
            echo USR1 USR2 HUP WINCH URG
        case table
            mprof report --help 2>/dev/null | tr -d ' \n' |
                sed -n 's/.*Onlythesetables,inthisorder:\([a-z,-]*[a-z]\)--no-overview.*/\1/p' | tr , ' '
        case source-path spool
            echo '(__fish_complete_directories)'
    end
end

for line in (mprof --help 2>/dev/null | sed -n '/^Commands:/,/^$/s/^  \([a-z][a-z]*\) *\(.*\)/\1\t\2/p')
    set -l parts (string split \t -- $line)
    complete -c mprof -f -n __mprof_begins -a $parts[1] -d "$parts[2]"
    complete -c mprof -f -n '__mprof_in help' -a $parts[1] -d "$parts[2]"
    test $parts[1] = help; and continue
    for option in (mprof $parts[1] --help 2>/dev/null)
        set -l match (string match -r -- '^ {2,6}(-[a-zA-Z], *|)--([a-z][a-z-]*)(\[?=?)[^ ]* *(.*)$' $option)
        or continue
        set -l arguments -c mprof -n "__mprof_in $parts[1]" -l $match[3]
        test -n "$match[2]"; and set -a arguments -s (string sub -s 2 -l 1 -- $match[2])
        test -n "$match[5]"; and set -a arguments -d "$match[5]"
        set -l values (__mprof_values $match[3] $parts[1])
        if test -n "$values"
            set -a arguments -a "$values"
            test "$match[4]" = '='; and set -a arguments -x; or set -a arguments -f
        else if test "$match[4]" = '='
            set -a arguments -r
        end
        complete $arguments
    end
end
for line in (mprof --help 2>/dev/null | sed -n '/^Topics:/,/^$/s/^  \([a-z][a-z]*\) *\(.*\)/\1\t\2/p')
    set -l parts (string split \t -- $line)
    complete -c mprof -f -n '__mprof_in help' -a $parts[1] -d "$parts[2]"
end
complete -c mprof -f -n __mprof_begins -l help -d 'Explain mprof'
complete -c mprof -f -n __mprof_begins -l version -d 'Its version'
