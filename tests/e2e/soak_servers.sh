#!/bin/sh
# Servers, driven by their clients and stopped: redis, postgres, nginx, memcached.
. "${srcdir:-.}/tests/e2e/same_lib.sh"

redis_work()
{
    $under redis-server --port "$port" --bind 127.0.0.1 --save '' --appendonly yes \
        --daemonize no --logfile log --dir . &
    server=$!
    until_true 30 redis-cli -p "$port" ping || echo "it does not answer"
    redis-benchmark -q -p "$port" -n 20000 -r 1000 -t set,get,lpush,lrange_100,zadd,hset >benchmark
    grep -ac 'requests per second' benchmark
    redis-cli -p "$port" set key value
    redis-cli -p "$port" get key
    redis-cli -p "$port" eval 'local s = "" for i = 1, 100 do s = s .. i end return #s' 0
    redis-cli -p "$port" bgsave
    redis-cli -p "$port" bgrewriteaof >/dev/null
    until_true 30 sh -c "redis-cli -p $port info persistence | grep -q '^rdb_last_bgsave_status:ok' &&
        redis-cli -p $port info persistence | grep -q '^aof_rewrite_in_progress:0'" ||
        echo "it does not save"
    redis-cli -p "$port" memory doctor >/dev/null
    redis-cli -p "$port" shutdown nosave
    wait $server
    echo "status $?"
}

postgres_bin=$(find /usr/lib/postgresql/*/bin -maxdepth 0 2>/dev/null | tail -n 1)
postgres_work()
{
    PATH=$postgres_bin:$PATH
    export PATH
    $as_user initdb -D data -A trust -U me --no-sync >init.log 2>&1 || cat init.log
    # shellcheck disable=SC2086
    $as_user $under postgres -D data -p "$port" -k "$work" -c listen_addresses=127.0.0.1 \
        -c fsync=off >server.log 2>&1 &
    server=$!
    until_true 60 pg_isready -q -h 127.0.0.1 -p "$port" || cat server.log
    createdb -h 127.0.0.1 -p "$port" -U me bench
    pgbench -q -i -s 1 -h 127.0.0.1 -p "$port" -U me bench >/dev/null 2>&1
    pgbench -c 4 -t 200 -h 127.0.0.1 -p "$port" -U me bench 2>&1 |
        grep -E 'actually processed|failed'
    psql -h 127.0.0.1 -p "$port" -U me -At bench -c "
        select count(*), sum(length(x)) from (select repeat(i::text, 10) x
            from generate_series(1, 20000) i order by md5(i::text)) t;
        create table c as select i, md5(i::text) m from generate_series(1, 5000) i;
        create index on c (m); vacuum analyze c; select min(m) from c where m like 'a%';"
    psql -h 127.0.0.1 -p "$port" -U me bench -c 'select 1 / 0' 2>&1
    kill -INT "$(head -n 1 data/postmaster.pid)"
    wait $server
    echo "status $?"
}

nginx_work()
{
    mkdir www logs
    seq 1 20000 >www/page
    cat >conf <<ENDC
$nginx_user
worker_processes 2;
pid $work/pid;
error_log $work/logs/error;
events { worker_connections 128; }
http {
    access_log $work/logs/access; client_body_temp_path $work/a; proxy_temp_path $work/b;
    fastcgi_temp_path $work/c; uwsgi_temp_path $work/d; scgi_temp_path $work/e;
    server { listen 127.0.0.1:$port; root $work/www; gzip on; gzip_types *;
        location /again { proxy_pass http://127.0.0.1:$port/page; } }
}
ENDC
    $under nginx -p "$work" -c "$work/conf" -e "$work/logs/error" -g 'daemon off;' &
    server=$!
    until_true 30 curl -sf -o /dev/null "http://127.0.0.1:$port/page" || cat logs/error
    curl -s "http://127.0.0.1:$port/page" | md5sum
    curl -s --compressed "http://127.0.0.1:$port/again" | md5sum
    curl -s -o /dev/null -w '%{http_code}\n' "http://127.0.0.1:$port/none"
    ab -q -n 2000 -c 10 "http://127.0.0.1:$port/page" | grep -E '^(Complete|Failed) requests'
    kill -HUP "$(cat pid)"
    sleep 1
    curl -s "http://127.0.0.1:$port/page" | md5sum
    kill -QUIT "$(cat pid)"
    wait $server
    echo "status $?"
}

memcached_work()
{
    $under memcached -u nobody -l 127.0.0.1 -p "$port" -U 0 &
    server=$!
    "$python" - "$port" <<'ENDP'
import socket, sys, time
for _ in range(100):
    try: s = socket.create_connection(("127.0.0.1", int(sys.argv[1]))); break
    except OSError: time.sleep(0.1)
f = s.makefile("rwb")
for i in range(2000):
    value = b"v" * (i % 300)
    f.write(b"set k%d 0 0 %d\r\n%s\r\n" % (i, len(value), value)); f.flush()
    assert f.readline() == b"STORED\r\n"
f.write(b"get k7\r\n"); f.flush()
print(f.readline(), f.readline())
ENDP
    kill "$server"
    wait $server
    echo "status $?"
}

port=$(free_port)
if optional redis-server && optional redis-benchmark; then
    same -s -f -n 2 "redis-server" redis_work
    has "redis-server: it worked" out.bare '^status 0$'
    has "redis-server: all benchmarks" out.bare "^7$"
fi
if [ -z "$postgres_bin" ]; then
    skip "postgres" "it is not installed"
elif ! other_user; then
    skip "postgres" "$missing"
else
    same -s -n 5 "postgres" postgres_work
    has "postgres: it worked" out.bare '^number of transactions actually processed: 800/800$'
fi
if optional nginx && optional curl && optional ab; then
    nginx_user=
    [ "$(id -u)" -ne 0 ] || nginx_user='user root;'
    same -s -n 3 "nginx" nginx_work
    has "nginx: it worked" out.bare '^Complete requests: *2000$'
fi
if optional memcached; then
    same -s "memcached" memcached_work
    has "memcached: it worked" out.bare 'VALUE k7'
fi
plan
# SPDX-License-Identifier: MIT
