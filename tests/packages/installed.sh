# installed.sh -- installs the packages in /packages, tries what they have, and purges them. run.sh runs it in a fresh
# root, where debian/tests is /tests/tests. Prints "ok ..." or "not ok ..." for each check.
set -u
apt="apt-get -q -y --no-install-recommends -o Dpkg::Use-Pty=0"

ok()
{
    name=$1
    shift
    if "$@"; then echo "ok $name"; else echo "not ok $name"; fi
}

has() { ok "$1" grep -qE "$3" "$2"; }

# Prints all files and directories that belong to the system, but not what programs write when they run.
tree()
{
    find / -xdev \( -path /proc -o -path /sys -o -path /dev -o -path /tmp -o -path /root -o -path /packages -o -path /tests \
        -o -path /run -o -path '/var/*' \) -prune -o -print | LC_ALL=C sort
}

# links PAGE...: returns whether every file that a page links to exists.
links()
{
    for page; do
        grep -oE '\]\([^):#]+\)' "$page" | sed 's/^](//; s/)$//' | while read -r link; do
            [ -e "${page%/*}/$link" ] || echo "$page: $link"
        done
    done >broken
    cat broken
    [ ! -s broken ]
}

mkdir -p /root/work && cd /root/work || exit 1
apt-get -q update && $apt install mawk gcc libc6-dev pkgconf ecl zsh fish bash-completion emacs-nox man-db curl 2>&1 || exit 1
tree >/root/before

# ---- the command alone
ok "mprof: installs" $apt install /packages/mprof_*.deb /packages/libmprof1_*.deb
seq 1000000 | sed 's/$/ alpha beta/' >lines.txt
mprof run mawk '{ $4 = $1 "-" $2; print }' lines.txt >/dev/null 2>run.log
has "README's first session: the summary" run.log '^mprof: mawk: exit status 0'
has "README's first session: the growth" run.log 'The memory in use grew from the beginning'
mprof report --no-pager >report.txt
has "README's first session: the report" report.txt '^TABLE|^Program .*mawk'
mprof findings >findings.txt
has "README's first session: the findings" findings.txt 'Grows and never falls'
mprof serve >serve.log 2>&1
has "mprof serve without its package says which one it is" serve.log "package mprof-http"
mprof help tour >tour.txt
has "a page of the manual" tour.txt 'mprof'
ok "the program of that page is built as it says" \
    sh -c 'cp -r /usr/share/doc/mprof/examples . && cc -g -o examples/widgets examples/widgets.c'
mprof run -o widgets.data examples/widgets 2>run.log
has "... and has the figures that it shows" run.log '^mprof:   allocations  10,000  2,040,000 bytes'
(cd / && setpriv --reuid=65534 --regid=65534 --clear-groups mprof run true) 2>refused.log
has "where nothing can be written, a message names the option" refused.log 'cannot create mprof.data in /: .* -o$'

# ---- the other packages
# shellcheck disable=SC2046
ok "all packages: install" $apt install $(find /packages -name '*.deb' ! -name '*-dbgsym*')
for page in mprof.1 mprof-run.1 mprof-data.5 mprof-lisp.7 mprof_current.3; do
    ok "man page $page" man -w "${page##*.}" "${page%.*}"
done
man 1 mprof 2>&1 | head -n 20 >manual
has "man mprof" manual 'NAME|mprof'
# shellcheck disable=SC2046
ok "links of the documents" links $(find /usr/share/doc/mprof/ -name '*.md')

bash -c '. /usr/share/bash-completion/bash_completion
    _load_completion mprof 2>/dev/null || __load_completion mprof
    complete -p mprof' >bash.out 2>&1
has "bash loads its completion" bash.out 'complete .* mprof$'
zsh -c 'autoload -Uz compinit; compinit -u -d /root/work/dump; print -r -- $_comps[mprof]' >zsh.out 2>&1
has "zsh finds its completion" zsh.out '^_mprof$'
fish -c 'complete -C "mprof rep"' >fish.out 2>&1
has "fish completes a command" fish.out '^report'

emacs --batch --eval "(package-initialize)" --eval "(progn (require 'mprof) (require 'mprof-lisp)
    (princ (format \"loaded %s\n\" mprof-lisp-load-form)))" >emacs.out 2>&1
has "Emacs loads its package" emacs.out '^loaded .*require :mprof'
emacs --batch --eval "(package-initialize)" --eval "(princ (format \"%s\n\" (commandp 'mprof-report)))" >command.out 2>&1
has "Emacs has its commands without a require" command.out '^t$'

for test in record lisp; do
    mkdir "$test"
    AUTOPKGTEST_TMP=/root/work/$test ok "autopkgtest $test" sh "/tests/tests/$test"
done
has "-lmprof is a library with a version" /var/lib/dpkg/info/libmprof1:*.list '/libmprof\.so\.1$'
gcc -o linked /root/work/record/prog.c -lmprof && readelf -d linked >dynamic
has "-lmprof links it by that version" dynamic 'NEEDED.*libmprof\.so\.1\]'
LD_PRELOAD=libmprof.so.1 MPROF_FILE=preloaded.data ls >/dev/null
ok "LD_PRELOAD by its name records" mprof totals preloaded.data

# The Lisp ten lines of README.
cat >ten.lisp <<'END'
(require :mprof)
(load (compile-file "/usr/share/doc/mprof/examples/words.lisp" :output-file "/root/work/words.fas"))
(print (mprof:with-profiling (:report :flat) (hash-table-count (count-words *text*))))
(terpri)
(ext:quit)
END
ecl --norc --load ten.lisp >ten.out 2>&1 </dev/null
has "README's Lisp session: the table" ten.out '^TABLE 7: ALLOCATION BY FUNCTION'
has "README's Lisp session: a function" ten.out ' COUNT-WORDS$'
has "README's Lisp session: the value" ten.out '^101'
hasnt() { ok "$1" sh -c '! grep -qE "$1" "$2"' sh "$3" "$2"; }
hasnt "README's Lisp session: nothing of mprof itself" ten.out ' MPROF:'

mprof run -q -o served.data sleep 30 &
sleep=$!
mprof serve --help >served.log 2>&1
has "mprof serve, with its package" served.log 'serve'
kill $sleep

# ---- purge
# shellcheck disable=SC2046
ok "all packages: purge" $apt purge $(dpkg-query -W -f '${Package} ${db:Status-Status}\n' '*mprof*' | awk '$2 == "installed" { print $1 }')
ok "what only they needed: purge" $apt autoremove --purge
tree >/root/after
ok "nothing is left" diff /root/before /root/after
# SPDX-License-Identifier: MIT
