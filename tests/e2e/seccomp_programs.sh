#!/bin/sh
# Programs of Debian that install their own seccomp filters: chronyd, tor, vsftpd, man. ./bootstrap soak installs the
# first three.
. "${srcdir:-.}/tests/e2e/same_lib.sh"

PATH=$PATH:/usr/sbin:/sbin
port=$(free_port)

# filtered PID: returns whether the process or a child of it has a filter.
filtered()
{
    cat "/proc/$1/status" /proc/[0-9]*/status 2>/dev/null |
        awk -v pid="$1" '$1 == "Pid:" { me = $2 } $1 == "PPid:" { parent = $2 }
            $1 == "Seccomp:" && $2 == 2 && (me == pid || parent == pid) { found = 1 }
            END { exit !found }'
}

# finish SIGNAL: ends the program whose process id is in ./pid, and prints its log without times.
finish()
{
    kill "-$1" "$(cat pid)"
    wait "$server"
    echo "status $?"
    sed -E 's/^([-0-9]+T[0-9:]+Z|[A-Z][a-z]+ [0-9]+ [0-9:.]+) //' log
}

# await_filter: waits until the program works behind its filter.
await_filter()
{
    until_true 30 sh -c 'test -s pid' && until_true 30 filtered "$(cat pid)" && echo filtered
}

chronyd_work()
{
    cat >conf <<END
server 127.0.0.1 port $port
port $port
cmdport 0
bindcmdaddress /
bindaddress 127.0.0.1
allow 127.0.0.1
local stratum 10
pidfile $work/pid
user root
END
    $under chronyd -x -d -F "$level" -f conf >log 2>&1 &
    server=$!
    await_filter
    sleep 1
    finish TERM
}

tor_work()
{
    mkdir -m 700 state
    cat >conf <<END
Sandbox 1
DataDirectory $work/state
PidFile $work/pid
SocksPort 0
DisableNetwork 1
Log notice stdout
END
    $under tor -f conf >log 2>&1 &
    server=$!
    await_filter
    sleep 1
    finish INT
}

# Directories are not listed, because the filter of vsftpd 3.0.3 forbids vsftpd itself to do that.
vsftpd_work()
{
    mkdir ftp empty
    cat >conf <<END
listen=YES
listen_port=$port
listen_address=127.0.0.1
background=NO
anonymous_enable=YES
anon_root=$work/ftp
secure_chroot_dir=$work/empty
seccomp_sandbox=YES
END
    $under vsftpd conf >log 2>&1 &
    server=$!
    "$python" - "$port" <<END
import ftplib, glob, sys, time
def session():
    ftp = ftplib.FTP()
    for _ in range(200):
        try: ftp.connect("127.0.0.1", int(sys.argv[1]), timeout=30); break
        except OSError: time.sleep(0.1)
    print(ftp.login(), ftp.pwd(), ftp.sendcmd("SYST"), ftp.sendcmd("NOOP"), ftp.sendcmd("TYPE I"))
    return ftp
for _ in range(3):
    print(session().quit())
ftp = session()
filters = 0
for path in glob.glob("/proc/[0-9]*/status"):
    try: status = open(path).read()
    except OSError: continue
    filters += "Name:\tvsftpd" in status and "Seccomp:\t2" in status
print("filtered" if filters else "no filter")
print(ftp.quit())
END
    kill -TERM "$server"
    { wait "$server"; } 2>/dev/null     # the shell says how it ended
    cat log
}

if ! optional chronyd; then
    :
elif [ "$(id -u)" -ne 0 ]; then
    skip "chronyd" "only root may"
else
    # Debian's service uses -F 1; 2 allows less; with the others, forbidden calls return errors.
    for level in 1 2 -1 -2; do
        same -s "chronyd -F $level" chronyd_work
        has "chronyd -F $level: it has a filter" "$tmp/out.bare" '^filtered$'
        has "chronyd -F $level: it ends as it should" "$tmp/out.bare" '^status 0$'
    done
fi
if optional tor; then
    same -s "tor, Sandbox 1" tor_work
    has "tor: it has a filter" "$tmp/out.bare" '^filtered$'
    has "tor: it ends as it should" "$tmp/out.bare" '^status 0$'
fi
if ! optional vsftpd; then
    :
elif [ "$(id -u)" -ne 0 ]; then
    skip "vsftpd, seccomp_sandbox" "only root may"
else
    same -s -n 3 "vsftpd, seccomp_sandbox" vsftpd_work
    has "vsftpd: it has a filter" "$tmp/out.bare" '^filtered$'
fi
# Its children install a filter and execute other programs; one forks behind its filter.
if optional man; then
    MANPAGER=/bin/cat
    export MANPAGER
    in_work man -l "$src/man/mprof-run.1"
    mv "$tmp/out" "$tmp/out.bare"
    bare_status=$status
    has "man: it shows the page" "$tmp/out.bare" 'mprof'
    for follow in "" -f; do
        name="man${follow:+, -f}"
        rm -f "$tmp"/data*
        # shellcheck disable=SC2086
        in_work "$mprof" run $follow -o ../data man -l "$src/man/mprof-run.1"
        is "$name: status $bare_status" "$status" "$bare_status"
        ok "$name: output" diff "$tmp/out.bare" "$tmp/out"
        hasnt "$name: nothing is said but the summary" "$tmp/err" '^([^m]|m[^p])'
        for file in "$tmp"/data*; do
            "$mprof" report --no-pager "$file" | grep -E '^(Ended|Dropped|Cut)'
        done >"$tmp/heads"
        hasnt "$name: no chain is cut" "$tmp/heads" '^Cut chains  *[1-9]'
        hasnt "$name: no file of a child that became a program that is not profiled" \
            "$tmp/heads" 'replaced itself'
        hasnt "$name: nothing is dropped" "$tmp/heads" '^Dropped records  *[1-9]'
    done
fi
plan
# SPDX-License-Identifier: MIT
