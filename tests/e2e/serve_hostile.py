"""Hostile clients of mprof serve: each is refused or disconnected, and others are answered meanwhile.

serve_hostile.py URL PID: prints a line that begins with "wrong" for each failure, and "done" at the end
"""
import socket
import sys
import time

url, pid = sys.argv[1:]
host, port = url.split("//")[1].split(":")
place = (host, int(port))


def talk(text, half=False):
    """Sends TEXT and returns the whole answer. If HALF, this side of the connection stays open."""
    with socket.create_connection(place, timeout=30) as client:
        try:
            client.sendall(text)
            if not half:
                client.shutdown(socket.SHUT_WR)
        except OSError:
            pass                # the server has closed the connection; its answer may still be read
        answer = b""
        try:
            while part := client.recv(65536):
                answer += part
        except OSError:
            pass
        return answer


def status(answer):
    words = answer.split(None, 2)
    return int(words[1]) if len(words) > 1 and words[0].startswith(b"HTTP/") else 0


def check(what, got, *wanted):
    if got not in wanted:
        print("wrong:", what, got, wanted)


def alive(what):
    answer = talk(b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
    check("nobody else is answered after: " + what, status(answer), 200)


def request(what, line, *wanted, head=b"Host: localhost\r\n", body=b""):
    check(what, status(talk(line + b"\r\n" + head + b"Connection: close\r\n\r\n" + body)), *wanted)
    alive(what)


def until(what, line, wanted):
    """Waits until the server has noticed the closed connections and gives the wanted answer."""
    for _ in range(300):
        got = status(talk(line + b"\r\nHost: localhost\r\nConnection: close\r\n\r\n"))
        if got == wanted:
            break
        time.sleep(0.1)
    check(what, got, wanted)


heap = b"GET /%s/debug/pprof/heap HTTP/1.1" % pid.encode()
request("as it should be", heap, 200)
request("an address", heap, 200, head=b"Host: [::1]:80\r\n")
request("no host", heap, 400, head=b"")
request("two hosts", heap, 400, head=b"Host: localhost\r\nHost: localhost\r\n")
request("an empty host", heap, 403, head=b"Host:\r\n")
request("a name that begins with an address", heap, 403, head=b"Host: 127.0.0.1.example\r\n")
request("a name that begins with localhost", heap, 403, head=b"Host: localhost.example\r\n")
request("a port that is none", heap, 403, head=b"Host: localhost:80@example\r\n")
request("somebody's page by our address in the request itself", b"GET http://rebound.example/ HTTP/1.1", 403, 404,
        head=b"Host: rebound.example\r\n")
for method in (b"POST", b"PUT", b"DELETE", b"OPTIONS", b"TRACE", b"NONSENSE"):
    request(method.decode(), method + b" / HTTP/1.1", 405)
request("content", heap, 413, head=b"Host: localhost\r\nContent-Length: 5\r\n", body=b"12345")
request("much content", heap, 413, head=b"Host: localhost\r\nContent-Length: 99999999999\r\n", body=b"1" * 100000)
request("content of any length", heap, 413, head=b"Host: localhost\r\nTransfer-Encoding: chunked\r\n", body=b"5\r\n12345\r\n0\r\n\r\n")
request("a long path", b"GET /" + b"a" * 100000 + b" HTTP/1.1", 0, 400, 413, 414, 431)
request("many arguments", b"GET /?" + b"a=b&" * 3000 + b" HTTP/1.1", 0, 200, 413, 414, 431)
request("a long header", heap, 0, 413, 431, head=b"Host: localhost\r\nX: " + b"a" * 100000 + b"\r\n")
request("many headers", heap, 0, 413, 431, head=b"Host: localhost\r\n" + b"X: y\r\n" * 20000)
request("a NUL", b"GET /%00 HTTP/1.1", 200, 400, 404)
request("a broken escape", b"GET /%zz%/debug/pprof/heap HTTP/1.1", 400, 404)
request("no UTF-8", b"GET /\xff\xfe/ HTTP/1.1", 400, 404)
request("no HTTP", b"\x16\x03\x01\x02\x00\x01\x00", 0, 400)
request("a version that is none", b"GET / HTTP/9.9", 0, 200, 400, 505)

# More silent connections than the server accepts: the first ones are answered, and the others as soon as others close.
crowd = []
for _ in range(200):
    try:
        crowd.append(socket.create_connection(place, timeout=5))
    except OSError:
        break
for client in crowd:
    client.close()
until("nobody else is answered after: a crowd", b"GET / HTTP/1.1", 200)

# More clients that wait for differences than the server accepts: the others are refused at once.
waiting = []
for _ in range(12):
    client = socket.create_connection(place, timeout=30)
    client.sendall(b"GET /%s/debug/pprof/heap?seconds=4 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n" % pid.encode())
    waiting.append(client)
answers = []
for client in waiting:
    with client:
        answers.append(status(client.recv(65536)))
check("deltas at once", (answers.count(200), answers.count(503)), (8, 4))
alive("deltas")

# A client that disconnects while it waits is forgotten.
for _ in range(8):
    with socket.create_connection(place, timeout=30) as client:
        client.sendall(b"GET /%s/debug/pprof/heap?seconds=1 HTTP/1.1\r\nHost: localhost\r\n\r\n" % pid.encode())
until("a delta after those who went", b"GET /%s/debug/pprof/heap?seconds=1 HTTP/1.1" % pid.encode(), 200)
alive("a delta after those who went")

# A client that sends an endless request slowly is disconnected.
began = time.monotonic()
with socket.create_connection(place, timeout=60) as client:
    try:
        client.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n")
        while time.monotonic() - began < 55:
            client.sendall(b"X")
            time.sleep(1)
        print("wrong: a slow request is not cut off")
    except OSError:
        pass
alive("a slow request")
print("done")
# SPDX-License-Identifier: MIT
