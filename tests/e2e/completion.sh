#!/bin/sh
# Completion in bash, zsh and fish: every command, every option of each, and what options take, held
# against --help.
. "${srcdir:-.}/tests/e2e/lib.sh"

mkdir bin home
ln -s "$mprof" bin/mprof
PATH=$tmp/bin:$PATH
HOME=$tmp/home
export PATH HOME
mprof --help >help
commands=$(awk '/^Commands:/ { inside = 1; next } /^$/ { inside = 0 } inside { print $1 }' help)
topics=$(awk '/^Topics:/ { inside = 1; next } /^$/ { inside = 0 } inside { print $1 }' help)

# What some options take: COMMAND OPTION WORD...
cat >values <<'END'
report --at peak
report --color auto always never
report --frames lisp c all
report --lines full
report --graph svg dot
report --sort bytes kept peak allocs temporary
export --cost bytes kept peak allocs temporary
flamegraph --cost bytes kept peak allocs temporary
diff --by function chain type module size all
check --suggest valgrind lsan
leaks --show definite possible indirect reachable all
push --format pprof pyroscope parca
plot --by type module function file thread package site
top --by function site type thread tree
top --sort live blocks allocs bytes name
merge --by process program host none
run --unwinder rules libunwind fp
run --signal USR1 USR2 HUP WINCH URG
run --heap-signal USR1 USR2 HUP WINCH URG
END
echo "report --table $(mprof report --table=none 2>&1 | sed 's/.*--table=none: //; s/; see.*//; s/,//g; s/ or / /')" >>values

echo "export --format $(mprof export --formats | cut -d" " -f1 | tr "\n" " " | sed "s/ $//")" >>values

for command in $commands; do
    [ "$command" != help ] || continue
    mprof "$command" --help | sed -n 's/^ \{2,6\}\(-[a-zA-Z], *\)\{0,1\}\(--[a-z-]*\).*/\2/p' |
        LC_ALL=C sort >"options.$command"
    mprof "$command" --list-options | cut -f1 | LC_ALL=C sort >listed
    ok "$command --list-options: those of --help" cmp listed "options.$command"
done

# check SHELL: with complete_SHELL WORD..., which prints what the last word may become
check()
{
    shell=$1
    "complete_$shell" '' | grep -v '^-' | LC_ALL=C sort >got
    printf '%s\n' "$commands" | tr ' ' '\n' | LC_ALL=C sort >expected
    ok "$shell: commands" cmp got expected
    "complete_$shell" help '' | LC_ALL=C sort >got
    printf '%s\n' "$commands $topics" | tr ' ' '\n' | LC_ALL=C sort >expected
    ok "$shell: help explains commands and topics" cmp got expected
    for command in $commands; do
        [ "$command" != help ] || continue
        "complete_$shell" "$command" -- | sed 's/=$//' | grep '^--' | LC_ALL=C sort -u >got
        if cmp -s got "options.$command"; then
            pass "$shell: options of $command"
        else
            fail "$shell: options of $command"
            diff got "options.$command" | sed 's/^/# /'
        fi
    done
    while read -r command option expected; do
        "complete_$shell" "$command" "$option=" | sed "s/^$option=//" | LC_ALL=C sort >got
        printf '%s\n' "$expected" | tr ' ' '\n' | LC_ALL=C sort >expected
        ok "$shell: $command $option" cmp got expected
    done <values
    : >some.data
    "complete_$shell" flamegraph -o som >got
    has "$shell: files" got 'some\.data'
}

# ---------------------------------------------------------------------- bash
complete_bash()
{
    bash --norc -c '
        . "$1"
        shift
        COMP_WORDS=(mprof)
        for word; do        # as readline splits them
            case $word in
            --*=) COMP_WORDS+=("${word%=}" =) ;;
            *) COMP_WORDS+=("$word") ;;
            esac
        done
        COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
        compopt() { :; }
        _mprof
        printf "%s\n" "${COMPREPLY[@]}"' bash "$src/completions/mprof.bash" "$@"
}
if need bash; then
    check bash
    is "bash: several tables" "$(complete_bash report --table=bins,le)" "bins,leaks"
    is "bash: several tables of differences" "$(complete_bash diff --by=type,si)" "type,size"
else
    skip "bash" "$missing"
fi

# ---------------------------------------------------------------------- fish
complete_fish()
{
    fish --no-config -c 'source $argv[1]; complete -C "mprof $argv[2]"' "$src/completions/mprof.fish" "$*" | cut -f1
}
if need fish; then
    check fish
else
    skip "fish" "$missing"
fi

# ----------------------------------------------------------------------- zsh
cat >capture.zsh <<'END'
# What completion adds is printed by the zsh that completes, in a terminal of its own.
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
finish() { print -r -- done >>$CAPTURED; exit }
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
zpty -w -n complete "mprof $*"$'\t'$'\x06'
repeat 600; do
    grep -q done $CAPTURED && break
    sleep 0.1
    zpty -r -t complete >/dev/null
done
sed -n 's/^HIT://p' $CAPTURED
END
complete_zsh()
{
    COMPLETIONS=$src/completions zsh -f capture.zsh "$@" 2>/dev/null
}
if need zsh; then
    check zsh
else
    skip "zsh" "$missing"
fi
plan
