#!/bin/sh
# A thousand recordings of 20 releases from 5 hosts, in real engines, by the commands of doc/fleet.md: no row is lost or
# there twice, also if servers of ClickHouse are killed meanwhile, and all engines give the same answer.
. "${srcdir:-.}/tests/e2e/lib.sh"

needs "a fleet" gcc sqlite3
unshare -ru hostname elsewhere.example 2>/dev/null || skip_all "a fleet" "no other host name: unshare -ru"
mkdir bin
ln -s "$mprof" bin/mprof
PATH=$tmp/bin:$PATH
export PATH

# block NAME: prints the commands of the manual that follow the line with NAME.
block()
{
    awk -v name="$1" '/^    (#|--) / && $2 == name { on = 1; next }
        on && !/^    / { exit }
        on { print substr($0, 5) }' "$src/doc/fleet.md"
}
for name in tree.sh clickhouse.sql duckdb.sql sqlite.sql releases.sql compare.sql; do
    block $name >$name
    ok "the manual has $name" test -s $name
done

# ------------------------------------------------------------------ recordings
# Release 1.20 allocates more in parse() on web2 and web5. What index_all() allocates depends on the run only.
cat >server.c <<'END'
#include <stdlib.h>
#include <string.h>
static void *volatile kept;
static volatile int release = RELEASE;
static __attribute__((noinline)) void parse(size_t size) { free(kept = malloc(size)); }
static __attribute__((noinline)) void index_all(size_t size) { kept = malloc(size); }
int main(int n, char **arguments)
{
    const char *host = n > 1 ? arguments[1] : "";
    size_t run = n > 2 ? strtoul(arguments[2], NULL, 10) : 0;
    for (int i = 0; i < 10; i++)
        parse(1000 + 16 * run + (release == 20 && strpbrk(host, "25") ? 400 : 0));
    index_all(5000 + 700 * run);
    return 0;
}
END
for release in $(seq 20); do
    gcc -O1 -g -Wl,--build-id -DRELEASE="$release" -o "server$release" server.c
done
mkdir spool copies
for host in 1 2 3 4 5; do
    # shellcheck disable=SC2016
    unshare -ru sh -c 'hostname "web$1"
        for release in $(seq 20); do
            for run in 1 2; do
                mprof run -q -o "spool/server.$1.$release.$run.data" --label release="1.$release" \
                    "./server$release" "web$1" $run
            done
        done' sh $host
done
n=0
for file in spool/*.data; do
    n=$((n + 1))
    mkdir copies/$n
    "$python" "$src/tests/e2e/merge_copies.py" "$file" 5 copies/$n
done
is "recordings" "$(find copies -name '*.data' | wc -l)" 1000
find copies -name '*.data' -exec mprof export -F csv --null='\N' --no-header {} \; >day.csv
facts=$(awk -F, '{ runs[$1]; bytes += $16 } END { printf "%d %d %.0f", NR, length(runs), bytes }' day.csv)
has "... each has a name" day.csv '^"[0-9a-f]{16}-[0-9]+-[0-9]+",1,'
is "... 1,000 runs, 20 builds, 5 hosts" \
    "$(for field in 1 30 5; do cut -d, -f$field day.csv | sort -u | wc -l; done | xargs)" "1000 20 5"

# tree.sh moves finished recordings to the tree of folders; recordings that are not finished stay in the spool.
mkfifo gate
mprof run -q -o spool/sh.1.data sh -c 'read -r line <gate' &
running=$!
until_true 60 test -s spool/sh.1.data
SPOOL=spool sh tree.sh
is "tree.sh: finished recordings" \
    "$(find spool/tree/date=*/host="$(uname -n)"/program=server -name '*-*.data' | wc -l) $(cd spool && echo ./*)" \
    "200 ./sh.1.data ./tree"
echo >gate
wait $running
SPOOL=spool sh tree.sh
is "... later also the last" "$(find spool/tree -path '*/program=sh/*.data' | wc -l) $(cd spool && echo ./*)" "1 ./tree"

# ------------------------------------------------------------------ SQLite
mprof export -F csv --schema=sqlite | sqlite3 runs.db
for again in "" " again"; do
    sqlite3 runs.db <sqlite.sql
    is "SQLite: all rows, once$again" "$(sqlite3 -separator ' ' runs.db \
        'SELECT count(*), count(DISTINCT run), sum(bytes) FROM releases')" "$facts"
done
for question in releases compare; do
    sqlite3 -separator ' ' runs.db <$question.sql | sed 's/\.0\>//g' >$question.expected
done
is "which release" "$(sed -n '1p;2p' releases.expected | cut -d' ' -f1,2 | xargs)" "1.20 50 1.1 50"
is "... allocates more, in which function, on which hosts" "$(cut -d' ' -f1-3 compare.expected | xargs)" \
    "parse web2 4000 parse web5 4000"
has "... with what confidence" compare.expected ' [1-9][0-9]$'

# ------------------------------------------------------------------ DuckDB
if need node && printf 'require("@duckdb/node-api")' | node >/dev/null 2>&1; then
    cat >duck.cjs <<'END'
const { DuckDBInstance } = require("@duckdb/node-api");
(async () => {
    const connection = await (await DuckDBInstance.create("runs.duck")).connect();
    for (const row of (await connection.runAndReadAll(require("fs").readFileSync(0, "utf8"))).getRows())
        console.log(row.map(String).join(" "));
})();
END
    mprof export -F csv --schema=duckdb | node duck.cjs
    for again in "" " again"; do
        node duck.cjs <duckdb.sql >printed
        is "DuckDB: all rows, once$again" \
            "$(echo 'SELECT count(*), count(DISTINCT run), sum(bytes) FROM releases' | node duck.cjs)" "$facts"
    done
    for question in releases compare; do
        node duck.cjs <$question.sql >$question.duck
        ok "DuckDB: the same answer: $question" diff $question.duck $question.expected
    done
else
    skip "DuckDB" "Node has no @duckdb/node-api (npm install @duckdb/node-api, and NODE_PATH)"
fi

# ------------------------------------------------------------------ ClickHouse: two servers
PATH=$PATH:/usr/sbin
if ! need clickhouse-server clickhouse-client; then
    skip "ClickHouse" "$missing (Debian's packages clickhouse-server and clickhouse-client)"
    plan
    exit
fi
servers=
# shellcheck disable=SC2086
trap 'kill -9 $servers 2>/dev/null; rm -rf "$tmp"' EXIT

# Ports for both servers: native protocol, HTTP, and what servers send each other.
"$python" - >ports <<'END'
import socket
sockets = [socket.socket() for _ in range(6)]
for one in sockets:
    one.bind(("127.0.0.1", 0))
print(*[one.getsockname()[1] for one in sockets])
END
read -r port1 http1 inter1 port2 http2 inter2 <ports

# configure N PORT HTTP INTERSERVER: writes the configuration of server N.
configure()
{
    mkdir "server_$1"
    cat >"server_$1/users.xml" <<END
<yandex><profiles><default><join_default_strictness>ALL</join_default_strictness></default></profiles>
<users><default><password></password><networks><ip>127.0.0.1</ip></networks><profile>default</profile>
<quota>default</quota></default></users><quotas><default/></quotas></yandex>
END
    cat >"server_$1/config.xml" <<END
<yandex><logger><level>error</level><log>$tmp/server_$1/log</log><errorlog>$tmp/server_$1/errors</errorlog></logger>
<listen_host>127.0.0.1</listen_host><tcp_port>$2</tcp_port><http_port>$3</http_port>
<interserver_http_port>$4</interserver_http_port><path>$tmp/server_$1/data/</path>
<tmp_path>$tmp/server_$1/tmp/</tmp_path><mark_cache_size>100000000</mark_cache_size>
<users_config>users.xml</users_config><default_profile>default</default_profile>
<default_database>default</default_database><remote_servers><fleet>
<shard><replica><host>127.0.0.1</host><port>$port1</port></replica></shard>
<shard><replica><host>127.0.0.1</host><port>$port2</port></replica></shard></fleet></remote_servers></yandex>
END
}

# ask N QUERY: runs queries on server N, with standard input as their data.
ask()
{
    [ "$1" = 1 ] && port=$port1 || port=$port2
    clickhouse-client --port "$port" --multiquery --query="$2"
}

answers()
{
    ask "$1" 'SELECT 1' >/dev/null 2>&1 </dev/null
}

# start N: starts server N, whose process id is then in $started.
start()
{
    clickhouse-server --config-file="server_$1/config.xml" >"server_$1/out" 2>&1 &
    started=$!
    servers="$servers $started"
    until_true 60 answers "$1" && return
    fail "ClickHouse: server $1 starts"
    sed 's/^/# /' "server_$1/out" "server_$1/errors"
}

load()
{
    clickhouse-client --port "$port1" --query='INSERT INTO everywhere FORMAT CSV'
}

# Returns whether server 1 has sent all rows to server 2.
is_sent()
{
    [ -z "$(find server_1/data/data/default/everywhere -name '*.bin')" ]
}

kill_server()
{
    kill -9 "$1"
    wait "$1" 2>/dev/null
}

configure 1 "$port1" "$http1" "$inter1"
configure 2 "$port2" "$http2" "$inter2"
start 1
first=$started
start 2
second=$started
for server in 1 2; do
    ask $server "$(mprof export -F csv --schema=clickhouse)" </dev/null
done
ask 1 "$(cat clickhouse.sql)" </dev/null
split -n l/10 day.csv part.

# Server 2 is killed after some parts, and returns later. Server 1 is killed while it reads the last part.
for part in part.a[a-d]; do
    load <"$part"
done
kill_server "$second"
for part in part.a[e-g]; do
    load <"$part"
done
ok "ClickHouse: one server is dead, and its rows wait on the other" eval '! is_sent'
start 2
for part in part.a[hi]; do
    load <"$part"
done
mkfifo half
load <half 2>err &
loading=$!
exec 3>half
head -n 5 part.aj >&3
kill_server "$first"
sed 1,5d part.aj >&3
exec 3>&-
wait $loading
is "... the load from a dying server fails" "$(($? > 0))" 1
start 1
load <part.aj
for again in "" " again"; do
    ok "... all rows arrive$again" until_true 60 is_sent
    is "... and are there once$again" "$(ask 1 'SELECT count(*), count(DISTINCT run), sum(bytes) FROM releases' \
        </dev/null | tr '\t' ' ')" "$facts"
    [ -n "$again" ] || load <day.csv
done
is "... on both servers" "$(for server in 1 2; do
    ask $server 'SELECT count() > 0 FROM allocations' </dev/null
done | xargs)" "1 1"
for question in releases compare; do
    ask 1 "$(cat $question.sql)" </dev/null | tr '\t' ' ' >$question.click
    ok "... the same answer: $question" diff $question.click $question.expected
done
plan
# SPDX-License-Identifier: MIT
