"""A receiver of profiles that fails as planned.

push_receiver.py FOLDER PORT [CERTIFICATE]: listens at 127.0.0.1:PORT (0 for any free port), with TLS if there is a
CERTIFICATE with its key, and writes the port to FOLDER/port. Each request takes the first line out of FOLDER/plan:

    take                store it and answer 200; also if the plan is empty
    STATUS [SECONDS]    answer with STATUS, and with Retry-After: SECONDS
    hang SECONDS        read it, wait, and close without an answer
    half                read half of it and close
    mute                store it, and close without an answer
    cut                 store it, answer 200, and close in the middle of the answer
    redirect URL        answer 307

Profiles are stored as FOLDER/N.body and FOLDER/N.json. N starts at 1 and continues after a restart. A profile with a
key that is already stored is answered by 200 and not stored again. FOLDER/log has a line for each request.
"""
import http.server
import json
import os
import ssl
import sys
import time
import urllib.parse

folder, port = sys.argv[1], int(sys.argv[2])


def path(name):
    return os.path.join(folder, name)


def next_step():
    try:
        with open(path("plan")) as file:
            lines = file.read().splitlines()
    except FileNotFoundError:
        lines = []
    if not lines:
        return ["take"]
    with open(path("plan.new"), "w") as file:
        file.write("".join(line + "\n" for line in lines[1:]))
    os.replace(path("plan.new"), path("plan"))
    return lines[0].split()


def stored():
    names = [name for name in os.listdir(folder) if name.endswith(".json")]
    return [json.load(open(path(name))) for name in names]


class Receiver(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *unused):
        pass

    def note(self, what):
        with open(path("log"), "a") as file:
            file.write(f"{what}\n")

    def answer(self, status, text=b"", headers=()):
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def store(self, body):
        before = stored()
        key = self.headers["Idempotency-Key"]
        if any(one["headers"]["Idempotency-Key"] == key for one in before):
            self.note("known")
            return
        address = urllib.parse.urlsplit(self.path)
        about = {"path": address.path, "query": dict(urllib.parse.parse_qsl(address.query)),
                 "headers": dict(self.headers.items())}
        name = str(len(before) + 1)
        with open(path(name + ".body"), "wb") as file:
            file.write(body)
        with open(path(name + ".new"), "w") as file:
            json.dump(about, file)
        os.replace(path(name + ".new"), path(name + ".json"))

    def do_POST(self):
        length = int(self.headers["Content-Length"])
        step = next_step()
        self.note(" ".join(step))
        if step[0] == "half":
            self.rfile.read(length // 2)
            self.close_connection = True
            return
        body = self.rfile.read(length)
        if step[0] == "hang":
            time.sleep(float(step[1]))
        if step[0] in ("take", "mute", "cut"):
            self.store(body)
        if step[0] == "take":
            self.answer(200)
        elif step[0] == "cut":
            self.send_response(200)
            self.send_header("Content-Length", "100")
            self.end_headers()
            self.wfile.write(b"half of it")
        elif step[0] == "redirect":
            self.answer(307, headers=[("Location", step[1])])
        elif step[0].isdigit():
            self.answer(int(step[0]), b"as planned\nand more\n",
                        [("Retry-After", step[1])] if len(step) > 1 else [])
        if step[0] in ("hang", "mute", "cut"):
            self.close_connection = True


server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Receiver)
if len(sys.argv) > 3:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(sys.argv[3])
    server.socket = context.wrap_socket(server.socket, server_side=True)
with open(path("port.new"), "w") as file:
    print(server.server_port, file=file)
os.replace(path("port.new"), path("port"))
server.serve_forever()
