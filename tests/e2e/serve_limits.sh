#!/bin/sh
# mprof serve: connections that never send a request do not block others, and links lead to nothing outside of the
# directory.
. "${srcdir:-.}/tests/e2e/lib.sh"

grep -q '^#define HAVE_MICROHTTPD 1' "$top/config.h" || skip_all "mprof serve" "built without libmicrohttpd"
mkdir served
"$mprof" run -q -o served/a.data "$programs/killme" 100 exit >/dev/null
"$mprof" run -q -o outside.data "$programs/killme" 100 exit >/dev/null
ln -s ../outside.data served/link.data
ln -s a.data served/inside.data
"$mprof" serve --listen=127.0.0.1:0 served >listens 2>said &
server=$!
until_true 60 test -s listens
url=$(sed -n 's|^mprof: http://\(.*\)/$|\1|p' listens)

"$python" - "$url" >got 2>&1 <<'END'
import http.client
import socket
import sys

host, port = sys.argv[1].split(":")


def get(path):
    connection = http.client.HTTPConnection(host, int(port), timeout=60)
    connection.request("GET", path)
    answer = connection.getresponse()
    content = answer.read()
    return answer.status, content.decode(errors="replace")


status, index = get("/")
print("index", status, "a.data" in index, "link.data" in index, "inside.data" in index, "outside.data" in index)
half_open = []
for i in range(200):
    half_open.append(socket.create_connection((host, int(port)), timeout=60))
    half_open[-1].send(b"GET / HTTP/1.1\r\nHost: ")
print("among them", get("/")[0])
kept = 0
for one in half_open:
    one.settimeout(0.1)
    try:
        kept += one.recv(1) != b""
    except TimeoutError:
        kept += 1
    except OSError:
        pass
print("kept", kept <= 64)
END
is "a folder, without its links" "$(grep '^index' got)" "index 200 True False False False"
is "200 half-open connections" "$(grep '^among' got)" "among them 200"
is "... of which the oldest are dropped" "$(grep '^kept' got)" "kept True"
sed 's/^/# /' got
kill -TERM $server
wait $server
is "it ends when it is told to" "$? $(cat said)" "0 "
plan
# SPDX-License-Identifier: MIT
