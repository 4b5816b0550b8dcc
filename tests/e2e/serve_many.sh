#!/bin/sh
# mprof serve DIR with more than a thousand data files: all of them are served and counted.
. "${srcdir:-.}/tests/e2e/lib.sh"

grep -q '^#define HAVE_MICROHTTPD 1' "$top/config.h" || skip_all "many recordings" "configured without libmicrohttpd"
needs "many recordings" python3

unset http_proxy HTTP_PROXY
"$mprof" run -q -o data "$programs/costs" >printed
mkdir folder
for n in $(seq 1001 2200); do
    cp data "folder/$n.data"
done
"$mprof" serve --listen=127.0.0.1:0 folder >listens 2>said &
server=$!
until_true 60 test -s listens || fail "it does not listen: $(cat said)"
"$python" - "$(sed -n 's|^mprof: http://\(.*\)/$|\1|p' listens)" >got <<'END_OF_PYTHON'
import http.client, re, sys

def get(path):
    connection = http.client.HTTPConnection(sys.argv[1], timeout=600)
    connection.request("GET", path)
    answer = connection.getresponse()
    return answer.status, answer.read().decode("utf-8", "replace")

print("list", len(re.findall(r"<td>\d+\.data<td>", get("/")[1])))
print("last", get("/2200.data/")[0])
metrics = get("/metrics")[1]
print("metrics", len(re.findall(r"^mprof_allocated_bytes_total\{", metrics, re.M)))
print("unreadable", re.search(r"^mprof_unreadable (\d+)", metrics, re.M).group(1))
END_OF_PYTHON
is "all are listed" "$(sed -n 's/^list //p' got)" 1200
is "the last one is served" "$(sed -n 's/^last //p' got)" 200
is "all are in the metrics" "$(sed -n 's/^metrics //p' got)" 1200
is "none is unreadable" "$(sed -n 's/^unreadable //p' got)" 0
kill -TERM $server
wait $server
is "it ends when it is told to" "$? $(cat said)" "0 "
plan
# SPDX-License-Identifier: MIT
