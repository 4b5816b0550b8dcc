#!/bin/sh
# Completion in bash, zsh and fish offers every command, every option of each, and the values of options. It is
# compared with --help.
. "${srcdir:-.}/tests/e2e/lib.sh"

mkdir bin home
ln -s "$mprof" bin/mprof
PATH=$tmp/bin:$PATH
HOME=$tmp/home
export PATH HOME
commands=$(listed Commands | paste -sd ' ')
topics=$(listed Topics | paste -sd ' ')

# One completion a line, TEXT|LINE|FILTER|WORD...: completing LINE after "mprof" offers the WORDs, filtered by sed
# FILTER.
{
    echo "commands||/^-/d|$commands"
    echo "help explains commands and topics|help ||$commands $topics"
    echo "files|flamegraph -o som|/some\.data\$/!d; s/.*/some.data/|some.data"
} >cases
for command in $commands; do
    [ "$command" != help ] || continue
    mprof "$command" --help | sed -n 's/^ \{2,6\}\(-[a-zA-Z], *\)\{0,1\}\(--[a-z-]*\).*/\2/p' |
        LC_ALL=C sort >options
    mprof "$command" --list-options | cut -f1 | LC_ALL=C sort >listed
    ok "$command --list-options: those of --help" cmp listed options
    echo "options of $command|$command --|s/=\$//; /^--/!d|$(paste -sd ' ' options)" >>cases
done
# Values of some options, as COMMAND OPTION WORD...
{
    cat <<'END'
report --at peak
report --color auto always never
report --frames lisp c all
report --lines full
report --graph svg dot
report --sort bytes kept peak allocs temporary with-callees
export --cost bytes kept peak allocs temporary
flamegraph --cost bytes kept peak allocs temporary
diff --by function chain type module size all
check --suggest valgrind lsan
leaks --show definite possible indirect reachable all
plot --by type module function file thread package site
top --by function site type thread tree
top --sort live blocks allocs bytes name
export --schema clickhouse duckdb postgres sqlite
merge --by process program host none
run --unwinder rules libunwind fp
run --signal USR1 USR2 HUP WINCH URG
run --heap-signal USR1 USR2 HUP WINCH URG
END
    mprof report --table=none 2>&1 |
        sed 's/.*--table=none: /report --table /; s/; see.*//; s/,//g; s/ or / /'
    mprof export --formats | cut -d' ' -f1 | paste -sd ' ' | sed 's/^/export --format /'
} | while read -r command option words; do
    echo "$command $option|$command $option=|s/^$option=//|$words"
done >>cases
: >some.data

# check SHELL: tests the completions that complete_SHELL prints: it reads lines, and writes those of line N to answer.N.
check()
{
    cut -d'|' -f2 cases | "complete_$1"
    n=0
    while IFS='|' read -r text line filter words; do
        n=$((n + 1))
        sed "$filter" answer.$n | LC_ALL=C sort >got
        echo "$words" | tr ' ' '\n' | LC_ALL=C sort >expected
        ok "$1: $text" diff got expected
    done <cases
    rm -f answer.*
}

# ---------------------------------------------------------------------- bash
complete_bash()
{
    bash --norc -c '
        . "$1"
        compopt() { :; }
        n=0
        while IFS= read -r line; do
            mapfile -d " " -t words <<<"mprof $line "
            COMP_WORDS=()
            for word in "${words[@]:0:${#words[@]} - 1}"; do        # as readline splits them
                case $word in
                --*=) COMP_WORDS+=("${word%=}" =) ;;
                *) COMP_WORDS+=("$word") ;;
                esac
            done
            COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
            _mprof
            printf "%s\n" "${COMPREPLY[@]}" >"answer.$((++n))"
        done' bash "$src/completions/mprof.bash"
}
if need bash; then
    check bash
    printf '%s\n' 'report --table=bins,le' 'diff --by=type,si' | complete_bash
    is "bash: several tables" "$(cat answer.1)" "bins,leaks"
    is "bash: several tables of differences" "$(cat answer.2)" "type,size"
else
    skip "bash" "$missing"
fi

# ---------------------------------------------------------------------- fish
complete_fish()
{
    fish --no-config -c '
        source $argv[1]
        set n 0
        while read line
            set n (math $n + 1)
            complete -C "mprof $line" | cut -f1 | sed "s/=\$//" | sort -u >answer.$n    # an optional value: --x and --x=
        end' "$src/completions/mprof.fish"
}
if need fish; then
    check fish
else
    skip "fish" "$missing"
fi

# ----------------------------------------------------------------------- zsh
cat >capture.zsh <<'END'
# The zsh that completes runs in its own terminal and prints what completion adds.
zmodload zsh/zpty
cat >setup.zsh <<'SETUP'
PS1= PS2= RPS1=
unsetopt zle_bracketed_paste prompt_cr 2>/dev/null
fpath=($COMPLETIONS $fpath)
autoload -Uz compinit
compinit -u -d $HOME/zcompdump
zstyle ':completion:*' insert-tab false
bindkey '^M' undefined
bindkey '^J' undefined
bindkey '^I' complete-word
compadd() {
    if [[ ${@[1,(i)(-|--)]} == *-(O|A|D)\ * ]]; then
        builtin compadd "$@"
        return $?
    fi
    local -a hits
    builtin compadd -A hits "$@"
    for hit in $hits; do
        print -r -- "HIT:$hit" >>$CAPTURED
    done
}
finish() { BUFFER=; print -r -- done >>$CAPTURED }
zle -N finish
bindkey '^F' finish
zle-line-init() { print -r -- ready >>$CAPTURED }
zle -N zle-line-init
SETUP
export CAPTURED=$PWD/captured
: >$CAPTURED
zpty complete zsh -f -i
zpty -w complete 'source ./setup.zsh'
repeat 600; do
    grep -q ready $CAPTURED && break
    sleep 0.1
done
n=0
while IFS= read -r line; do
    : >$CAPTURED
    zpty -w -n complete "mprof $line"$'\t'$'\x06'
    repeat 3000; do
        grep -q done $CAPTURED && break
        sleep 0.02
        zpty -r -t complete >/dev/null
    done
    n=$((n + 1))
    sed -n 's/^HIT://p' $CAPTURED >answer.$n
done
END
complete_zsh()
{
    COMPLETIONS=$src/completions zsh -f capture.zsh 2>/dev/null
}
if need zsh; then
    check zsh
else
    skip "zsh" "$missing"
fi
plan
# SPDX-License-Identifier: MIT
