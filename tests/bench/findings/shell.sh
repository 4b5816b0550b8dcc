# shellcheck shell=sh disable=SC2034,SC2154
# shell.sh -- functions for the scripts of workloads.txt. findings.py sets $mprof, $data and $port.

record()
{
    "$mprof" run -q -o "$data" -- "$@" >output 2>messages
}

# Servers and initdb of PostgreSQL refuse to run as root.
as_user()
{
    if [ "$(id -u)" = 0 ]; then
        chown nobody . && setpriv --reuid=nobody --regid=nogroup --clear-groups "$@"
    else
        "$@"
    fi
}

record_as_user()
{
    as_user "$mprof" run -q -o "$data" -- "$@" >output 2>messages
}

# Starts the server under mprof run, which passes the signals that it gets on to the server.
serve()
{
    "$mprof" run -q -o "$data" -- "$@" >output 2>messages &
    server=$!
    trap 'kill "$server"' EXIT
}

# Waits until COMMAND succeeds.
up()
{
    for i in $(seq 100); do
        "$@" >/dev/null 2>&1 && return
        sleep 0.1
    done
    echo "no answer: $*" >&2
    exit 1
}

stop()
{
    kill "$server"
    wait "$server"
    trap - EXIT
}

# Sends standard input to the server, and prints the answer.
client()
{
    python3 -c 'import socket, sys, threading
with socket.create_connection(("127.0.0.1", int(sys.argv[1]))) as s:
    threading.Thread(target=lambda: s.sendall(sys.stdin.buffer.read())).start()
    while data := s.recv(65536):
        sys.stdout.buffer.write(data)' "$port"
}

answers()
{
    printf 'quit\r\n' | client
}

xml_rows()
{
    awk -v n="$1" 'BEGIN { print "<rows>"; for (i = 0; i < n; i++)
        printf "<row id=\"r%d\" kind=\"k%d\"><n>%d</n><name>name %d</name></row>\n", i, i % 7, i * 31 % 101, i
        print "</rows>" }'
}

c_functions()
{
    awk -v n="$1" 'BEGIN { for (i = 0; i < n; i++) {
        printf "struct s%d { int a, b[%d]; struct s%d *next; double d; };\n", i, i % 7 + 2, i
        printf "/* Sums number %d up. */\nstatic int h%d(struct s%d *p, int n)\n{\n    int sum = %d;\n", i, i, i, i
        printf "    for (int j = 0; j < n && p; j++, p = p->next) {\n        switch ((p->a + j) %% 5) {\n"
        printf "        case 0: sum += p->b[j %% %d]; break;\n        case 1: sum ^= (int)(p->d * %d.5); break;\n", i % 7 + 2, i
        printf "        default: if (sum > %d) sum -= p->a; else sum += j;\n        }\n    }\n    return sum;\n}\n", i * 17
        printf "int g%d(struct s%d *p, int *v, int n)\n{\n    for (int j = 0; j < n; j++)\n", i, i
        printf "        v[j] = h%d(p, v[j]) + (v[(j + %d) %% n] >> %d);\n", i, i, i % 5 + 1
        printf "    return n > %d ? g%d(p->next, v, n - 1) : v[0];\n}\n", i, i } }'
}

folders()
{
    for i in $(seq "$1"); do
        mkdir -p "folders/d$i"
        (cd "folders/d$i" && seq "$2" | while read -r j; do
            case $((j % 4)) in
                0) echo "#!/bin/sh" ;;
                1) echo "int main(void) { return $j; }" ;;
                2) echo "<html><body>$j</body></html>" ;;
                3) printf '\211PNG\r\n\032\n' ;;
            esac >"file$j"
            echo "folders/d$i/file$j" >>../../names
        done)
    done
}

# Makes a repository with COMMITS versions of a file of 2,000 lines and of one that is new each time.
git_history()
{
    git init -q .
    seq 2000 >file
    awk -v n="$1" 'BEGIN { for (i = 1; i <= n; i++) {
        printf "commit refs/heads/master\ncommitter A <a@b> %d +0000\ndata 4\nc%03d\n", 1600000000 + i, i
        text = ""
        for (j = 0; j < 2000; j++) text = text j (j % n < i ? " version " (i - (i + j) % 7) : "") "\n"
        printf "M 644 inline file\ndata %d\n%s\nM 644 inline new%d\ndata 2\nx\n", length(text), text, i } }' |
        git fast-import --quiet
    git reset -q --hard master
}

postscript_pages()
{
    awk -v n="$1" 'BEGIN { print "%!PS"; for (i = 0; i < n; i++) {
        print "/Times-Roman findfont 10 scalefont setfont"
        for (j = 0; j < 50; j++) printf "72 %d moveto (page %d line %d of many lines of text) show\n", 750 - j * 13, i, j
        print "showpage" } }'
}
# SPDX-License-Identifier: MIT
