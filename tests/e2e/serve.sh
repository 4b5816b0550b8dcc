#!/bin/sh
# mprof serve with real clients, and with hostile ones.
. "${srcdir:-.}/tests/e2e/control_lib.sh"

if ! grep -q '^#define HAVE_MICROHTTPD 1' "$top/config.h"; then
    says "configured without libmicrohttpd: it says so" "1 mprof: this mprof was built without libmicrohttpd" \
        "$mprof" serve
    plan
    exit
fi
needs "mprof serve" python3
HOME=$tmp                       # go writes the profiles that it fetches to it
PPROF_TMPDIR=$tmp
export HOME PPROF_TMPDIR
unset http_proxy HTTP_PROXY

# start_server ARGUMENT...: sets $server and $url. The port is chosen by the system.
start_server()
{
    rm -f listens
    "$mprof" serve --listen=127.0.0.1:0 "$@" >listens 2>said &
    server=$!
    until_true 60 test -s listens || fail "it does not listen: $(cat said)"
    url=$(sed -n 's|^mprof: \(http://.*\)/$|\1|p' listens)
}

end_server()
{
    kill -TERM $server
    wait $server
    is "it ends when it is told to" "$? $(cat said)" "0 "
}

# get PATH [HEADER]: sets $status to the status of HTTP, and writes the answer to `got`.
get()
{
    status=$("$python" - "$url" "$1" "${2-}" <<'END'
import http.client, sys
url, path, header = sys.argv[1:]
connection = http.client.HTTPConnection(url.split("//")[1], timeout=60)
connection.request("GET", path, headers=dict([header.split(": ")]) if header else {})
answer = connection.getresponse()
open("got", "wb").write(answer.read())
open("headers", "w").write(str(answer.headers))
print(answer.status)
END
)
}

# metric NAME ID: prints the value of a metric.
metric()
{
    awk -v name="$1" -v id="id=\"$2\"" 'index($1, name "{") == 1 && index($0, id) { print $NF }' got
}

# go_top TYPE SOURCE: prints "FLAT FUNCTION" for each allocating function, from go tool pprof.
go_top()
{
    go tool pprof -top -unit=B -nodefraction=0 -symbolize=none "-sample_index=$1" "$2" 2>go.err |
        awk '/^ *flat +flat%/ { table = 1; next } table && $1 + 0 != 0 { printf "%.0f %s\n", $1, $6 }' | LC_ALL=C sort
}

# ------------------------------------------------------------------ a process that runs
# shellcheck disable=SC2089
MPROF_LABELS='release=1.4,note=a"b'
# shellcheck disable=SC2090
export MPROF_LABELS
start_program
unset MPROF_LABELS
order 100
start_server "$pid"
get /
is "the list" "$status" 200
has "... has the process, with links" got "<td>$pid<td>.*/control.*href=\"/$pid/\".*href=\"/$pid/debug/pprof/heap\""
has "... nothing of it is kept, framed or guessed" headers '^X-Content-Type-Options: nosniff'
get "/$pid/"
is "the report" "$status" 200
has "... is the page of mprof html" got '<script type="application/octet-stream" id="model">'
get /debug/pprof/heap
cp got heap.pb.gz
is "heap: the bytes of the process" "$(total bytes heap.pb.gz)" "$(total bytes mprof.data)"
get /metrics
is "metrics: the text format" "$status $(sed -n 's/^Content-Type: //p' headers)" \
    "200 text/plain; version=0.0.4; charset=utf-8"
for pair in live_bytes:live-bytes allocated_bytes_total:bytes allocations_total:allocs; do
    case $pair in
    live_bytes*) wanted=$(($(total bytes mprof.data) - $(total freed mprof.data))) ;;
    *) wanted=$(total "${pair#*:}" mprof.data) ;;
    esac
    is "metrics: ${pair%:*}" "$(metric "mprof_${pair%:*}" "$pid")" "$wanted"
done
is "metrics: it runs" "$(metric mprof_running "$pid")" 1
is "metrics: the peak" "$(metric mprof_peak_bytes "$pid")" "$(total peak mprof.data)"
is "metrics: host, process id, build-id and labels" \
    "$(sed -n "s/^mprof_process_info{id=\"$pid\",program=\"control\",//p" got)" "host=\"$(uname -n)\",pid=\"$pid\",\
build_id=\"$(readelf -n "$programs/control" | sed -n 's/.*Build ID: //p')\",labels=\"release=1.4,note=a\\\"b\"} 1"
is "metrics: the start" "$(metric mprof_start_time_seconds "$pid" | cut -d. -f1)" \
    "$("$mprof" export -F ndjson mprof.data | jq '.started_ns / 1e9 | floor' | sort -u)"
if need promtool; then
    promtool check metrics <got >check 2>&1
    is "metrics: Prometheus' own check" "$? $(cat check)" "0 "
else
    skip "metrics: Prometheus' own check" "$missing"
fi
sleep 1.1
order 1000
get /metrics
ok "metrics: there is a rate" awk -v rate="$(metric mprof_allocated_bytes_per_second "$pid")" 'BEGIN { exit !(rate > 0) }'

# Parca and Pyroscope collect profiles by the manual's lines: a scrape is right if the status is 200 and the body is a
# profile in the format of pprof, which gzip may have compressed. Both add the path to a prefix.
"$python" - "$src/man/mprof-serve.1" "$url" "$pid" >scrapes 2>&1 <<'END'
import gzip, re, sys, urllib.request
manual, url, pid = sys.argv[1:]
for block in re.findall(r"^\.Bd -literal.*?\n(.*?)^\.Ed", open(manual).read(), re.S | re.M):
    prefix = re.search(r"path_prefix\W+(/\d+)", block)
    if not prefix:
        continue
    path = re.search(r"memory.*?path\W+(/[\w/]+)", block).group(1)
    request = urllib.request.Request(url + prefix.group(1).replace("4711", pid) + path,
                                     headers={"Accept-Encoding": "gzip", "User-Agent": "receiver"})
    with urllib.request.urlopen(request, timeout=10) as answer:
        body = answer.read()
    if body[:2] == b"\x1f\x8b":
        body = gzip.decompress(body)
    at = types = samples = 0
    while at < len(body):               # fields of the message Profile, all of which have one byte as a key
        key, at, size, shift = body[at], at + 1, 0, 0
        while True:
            size |= (body[at] & 127) << shift
            shift, at = shift + 7, at + 1
            if body[at - 1] < 128:
                break
        types, samples = types + (key == 0x0a), samples + (key == 0x12)
        at += size if key & 7 == 2 else 0
    print(answer.status, "pyroscope" if "pyroscope" in block else "parca", types >= 4, samples > 0, at == len(body))
END
is "scrapes by the manual's lines: each is a profile" "$(cat scrapes)" "200 parca True True True
200 pyroscope True True True"

if need go; then
    is "go: what was allocated" "$(go_top alloc_space "$url/$pid/debug/pprof/allocs" | grep ' work$')" "110000 work"
    is "go: what lives" "$(go_top inuse_space "$url/debug/pprof/heap?pid=$pid" | grep ' work$')" "11000 work"
    go tool pprof -top "$url/$pid/debug/pprof/heap" >heap.top 2>&1
    go tool pprof -top "$url/$pid/debug/pprof/allocs" >allocs.top 2>&1
    has "go: heap is of what lives" heap.top '^Type: inuse_space$'
    has "go: allocs is of what was allocated" allocs.top '^Type: alloc_space$'
    go tool pprof -raw "$url/$pid/debug/pprof/allocs" >allocs.raw 2>&1
    go tool pprof -raw "$url/$pid/debug/pprof/allocs?seconds=1" >delta.raw 2>&1
    hasnt "go: all of it is of no duration, as Go's is" allocs.raw '^Duration: '
    has "go: what happened in a second is" delta.raw '^Duration: 1'
else
    skip "go's figures" "$missing"
fi

# asked: returns whether the server has read the figures at the beginning of the requested interval. Allocations from
# then on are part of the delta.
asked()
{
    [ -s waits ]
}
"$python" - "$url" "$pid" >delta.log 2>&1 <<'END' &
import http.client, sys, time
url, pid = sys.argv[1:]
connection = http.client.HTTPConnection(url.split("//")[1], timeout=60)
began = time.monotonic()
connection.request("GET", f"/{pid}/debug/pprof/allocs?seconds=3")
time.sleep(1)                   # by then the server has read the first figures
other = http.client.HTTPConnection(url.split("//")[1], timeout=60)
other.request("GET", "/")       # the server answers other requests meanwhile
assert other.getresponse().status == 200
open("waits", "w").write("now")
answer = connection.getresponse()
open("delta.pb.gz", "wb").write(answer.read())
print(answer.status, time.monotonic() - began >= 3)
END
asker=$!
ok "delta: others are answered while one waits" until_true 60 asked
order 50
wait $asker
is "delta: after its seconds" "$(cat delta.log)" "200 True"
is "delta: only what was allocated since" "$("$mprof" report --table=flat --full-names delta.pb.gz | awk '$NF == "work" { print $1 }')" 5000
is "delta: ... and what it added to what lives" "$("$mprof" export -F collapsed --full-names --no-skip --cost=kept delta.pb.gz | awk '/;work /{ print $NF }')" 500
get "/$pid/debug/pprof/heap?seconds=1"
is "delta: nothing happened" "$status $("$mprof" export -F csv got 2>/dev/null | grep -c work)" "200 0"

# ------------------------------------------------------------------ hostile clients
get /debug/pprof/heap "Host: rebound.example"
is "another name than ours" "$status $(cat got)" "403 mprof: not by this name: see --allow-host in mprof-serve(1)"
for path in /../../etc/passwd "/..%2f..%2f$tmp/mprof.data" "/%2e%2e/$pid/" "//$pid/" "/$pid/x" "$tmp/mprof.data" \
    "/mprof.data/" "/debug/pprof/heap?pid=../mprof.data" "/debug/pprof/heap?pid=1" "/debug/pprof/heap?pid="; do
    get "$path"
    is "no way to a file: $path" "$status" 404
done
for path in "/$pid/debug/pprof/heap?seconds=301" "/$pid/debug/pprof/heap?seconds=-1" \
    "/$pid/debug/pprof/heap?seconds=1e9" "/$pid/debug/pprof/heap?debug=1"; do
    get "$path"
    is "refused: ${path#/*/}" "$status $(wc -l <got)" "400 1"
done
"$python" "$src/tests/e2e/serve_hostile.py" "$url" "$pid" >hostile 2>&1
sed 's/^/# /' hostile
is "hostile requests, each refused, with others answered meanwhile" "$(grep -c '^wrong' hostile) $(tail -n 1 hostile)" "0 done"
end_server

# ------------------------------------------------------------------ all, files, folders
start_server
get /
has "all: the process is found" got "<td>$pid<td>"
get "/$pid/debug/pprof/heap"
is "... and answered" "$status" 200
end_server
end_program
mkdir folder
profile "folder/a b.data" "$top/examples/widgets"
cp "folder/a b.data" folder/second.data
cp "$programs/control.c" folder/none.data 2>/dev/null || echo none >folder/none.data
mkdir other
cp folder/second.data other/second.data
ln -s second.data folder/third.data
start_server folder other/second.data folder/second.data ./folder/../folder/second.data
get /
is "a folder: its data files, each once, and no others" "$(grep -c '^<tr><td>' got)" 3
has "... by names that fit into a link" got 'href="/a%20b.data/"'
has "... each of its own" got '<td>second.data~2<td>'
get /a%20b.data/debug/pprof/allocs
is "... which are answered" "$(total bytes got)" "$(total bytes 'folder/a b.data')"
get /debug/pprof/allocs
is "several: which one?" "$status $(cat got)" "404 mprof: there are several recordings; / lists them: ?pid=ID, please"
get "/second.data/debug/pprof/heap?seconds=1"
is "no delta of a file" "$status $(cat got)" "400 mprof: seconds are for processes that run: second.data is a data file"
echo damaged >folder/second.data
sleep 1.1                       # the server reads the folder at most once a second
get /metrics
is "what cannot be read is counted" "$(awk '$1 == "mprof_unreadable" { print $2 }' got)" 1
get /second.data~2/
is "... and said" "$status $(wc -l <got)" "503 1"
end_server
cat >crowd.py <<'END'
import http.client, select, sys
place = sys.argv[1].split("//")[1]
crowd = [http.client.HTTPConnection(place, timeout=300) for _ in range(24)]
for one in crowd:
    one.request("GET", "/b.data/")
for page in "/", "/metrics":
    other = http.client.HTTPConnection(place, timeout=300)
    other.request("GET", page)
    print(other.getresponse().status, end=" ")
    other.close()
# The last connection is made when all others exist.
print(not select.select([crowd[-1].sock], [], [], 0)[0], end=" ")
sizes = set()
for one in crowd:
    answer = one.getresponse()
    sizes.add((answer.status, len(answer.read()) > 10000))
print(sizes)
END
mkdir big
profile big/b.data perl -e '$h{$_ % 997} .= "$_," for 1 .. 50000; print length(join "", sort values %h), "\n"'
start_server big
is "who asks for what takes a moment does not wait for reports" "$("$python" crowd.py "$url" 2>&1)" \
    "200 200 True {(200, True)}"
"$python" - "$url" <<'END' &
import http.client, sys
crowd = [http.client.HTTPConnection(sys.argv[1].split("//")[1], timeout=300) for _ in range(24)]
for one in crowd:
    one.request("GET", "/b.data/")
open("asked", "w").write("now")
for one in crowd:
    try:
        one.getresponse().read()
    except OSError:
        pass
END
asker=$!
until_true 60 test -s asked
end_server
ok "... and those who wait for one at its end are let go" wait $asker
start_server --allow-host=profiles.example folder
get / "Host: profiles.example"
is "--allow-host: by this name, too" "$status" 200
end_server

# ------------------------------------------------------------------ mistakes
refused 2 '^mprof: --listen=here: neither a port' serve --listen=here
refused 2 '^mprof: --listen=127.0.0.1:99999: neither a port' serve --listen=127.0.0.1:99999
refused 1 '^mprof: none: No such file' serve none
refused 1 '^mprof: there is no process 999999999' serve 999999999
"$python" -c 'import socket, time
s = socket.socket(); s.bind(("127.0.0.1", 0)); s.listen()
print(s.getsockname()[1], flush=True); time.sleep(600)' >taken &
taker=$!
until_true 60 test -s taken
refused 1 '^mprof: cannot listen there: Address already in use' serve --listen="$(cat taken)" folder
kill $taker
plan
# SPDX-License-Identifier: MIT
