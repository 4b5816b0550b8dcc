# local_install.sh -- builds the tarball /packages/mprof-*.tar.xz with the default prefix, installs it, tries it and
# uninstalls it. run.sh runs it in a fresh root that has what the build needs. Prints "ok ..." or "not ok ..." for each
# check.
set -u

ok()
{
    name=$1
    shift
    if "$@"; then echo "ok $name"; else echo "not ok $name"; fi
}

has() { ok "$1" grep -qE "$3" "$2"; }

tree() { find /usr /etc -xdev | grep -v '/ld\.so\.cache' | LC_ALL=C sort; }

mkdir -p /root/work && cd /root/work || exit 1
apt-get -q -y --no-install-recommends install zsh fish bash-completion || exit 1
tar -xf /packages/mprof-*.tar.xz && cd mprof-* && ./configure -q && make -s -j "$JOBS" || exit 1
tree >/root/before
ok "make install" make -s install
tree | comm -13 /root/before - | grep -vE '^(/usr/local/|/etc/fish|/usr/lib/[^/]*/ecl-[^/]*/mprof\.fas$)' >/root/outside
ok "nothing else outside of /usr/local" test ! -s /root/outside
ok "ldconfig" ldconfig
cd /root/work || exit 1

mprof run -o ls.data ls / >/dev/null 2>run.log
has "mprof run" run.log '^mprof: ls: exit status 0'
cat >prog.c <<'END'
#include <mprof.h>
int main(void) { return !malloc(1) || !mprof_is_active || !mprof_is_active(); }
END
# shellcheck disable=SC2046
ok "a program is linked" gcc -o prog prog.c $(pkg-config --cflags --libs mprof)
ok "... and starts and is recorded" ./prog
LD_PRELOAD=libmprof.so.1 MPROF_FILE=preloaded.data ls >/dev/null
ok "LD_PRELOAD by its name records" mprof totals preloaded.data
ok "(require :mprof)" ecl --norc --eval '(require :mprof)' --eval '(ext:quit (if (= 16 (mprof:run (lambda () (cons 1 2)))) 0 1))'
ok "(asdf:load-system :mprof)" ecl --norc --eval '(require :asdf)' --eval '(asdf:load-system :mprof)' \
    --eval '(ext:quit (if (= 16 (mprof:run (lambda () (cons 1 2)))) 0 1))'
bash -c '. /usr/share/bash-completion/bash_completion
    _load_completion mprof 2>/dev/null || __load_completion mprof
    complete -p mprof' >bash.out 2>&1
has "bash loads its completion" bash.out 'complete .* mprof$'
zsh -c 'autoload -Uz compinit; compinit -u -d /root/work/dump; print -r -- $_comps[mprof]' >zsh.out 2>&1
has "zsh finds its completion" zsh.out '^_mprof$'
fish -c 'complete -C "mprof rep"' >fish.out 2>&1
has "fish completes a command" fish.out '^report'

cd /root/work/mprof-* && ok "make uninstall" make -s uninstall
ldconfig
tree | comm -13 /root/before - >/root/left
cat /root/left
ok "nothing is left, no empty folder either" test ! -s /root/left

link=$(make -s -f Makefile --eval 'print-link: ; @echo $(module_link)' print-link)
ln -s /usr/lib/package/mprof.fas "$link"
make -s link-module unlink-module
ok "the module of a package is neither replaced nor removed" \
    test "$(readlink "$link")" = /usr/lib/package/mprof.fas
# SPDX-License-Identifier: MIT
