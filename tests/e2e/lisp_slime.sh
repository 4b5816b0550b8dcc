#!/bin/sh
# In SLIME's server, with its threads: a form typed in the REPL is recorded with its own chains, without the server's;
# an error enters SLIME's debugger, which is not recorded. :CURRENT is needed, because other threads of the server
# send and receive messages meanwhile.
. "${srcdir:-.}/tests/e2e/lisp_lib.sh"

loader=/usr/share/common-lisp/source/slime/swank-loader.lisp
[ -f "$loader" ] || skip_all "SLIME" "Debian's cl-swank is not installed"
needs "SLIME" python3
TMPDIR=$tmp
HOME=$tmp
export TMPDIR HOME

cat >work.lisp <<'END'
(defun work (n)
  (let ((list (list)))
    (dotimes (i n list)
      (setf list (cons i list)))))
END
cat >server.lisp <<END
(load "$module")
(load (compile-file "work.lisp"))
;; Otherwise the C compiler takes most of the time of this test.
(let ((level (find-symbol "*CC-OPTIMIZE*" "C"))) (when level (set level "-O0")))
(load "$loader")
(swank-loader:init)
(let ((port (swank:create-server :port 0 :dont-close t :style :spawn)))
  (with-open-file (s "new-port" :direction :output)
    (format s "~D~%" port)))
(rename-file "new-port" "port")
(loop (sleep 60))
END
cat >client.py <<'END'
"""A session as Emacs has it: evaluate each argument, print what comes back."""
import json, os, socket, sys, time

while not os.path.exists("port"):
    if not os.path.exists("/proc/" + sys.argv[1]):
        sys.exit("the server is gone")
    time.sleep(0.1)
connection = socket.create_connection(("127.0.0.1", int(open("port").read())))
count = 0

def send(form, thread="t"):
    global count
    count += 1
    text = '(:emacs-rex %s "COMMON-LISP-USER" %s %d)' % (form, thread, count)
    connection.sendall(b"%06x" % len(text.encode()) + text.encode())

def take():
    size = int(connection.recv(6, socket.MSG_WAITALL), 16)
    return connection.recv(size, socket.MSG_WAITALL).decode()

def answer(kinds):
    while True:
        message = take()
        if message.startswith(kinds):
            return message

for form in sys.argv[2:]:
    send("(swank:eval-and-grab-output %s)" % json.dumps(form))
    message = answer(("(:return", "(:debug "))
    print(message.replace("\\n", "\n").replace('\\"', '"'))
    if message.startswith("(:debug "):
        thread = message.split()[1]
        send('(swank:backtrace 0 20)', thread)
        answer("(:return")
        send('(swank:eval-string-in-frame "(work 5000)" 0 "CL-USER")', thread)
        answer("(:return")
        send("(swank:throw-to-toplevel)", thread)
        answer("(:return (:abort \"#<")
END
"$ecl" --norc --load server.lisp </dev/null >server.out 2>&1 &
server=$!
returns "a form in the REPL: status" 0 python3 client.py $server \
    '(mprof:with-profiling (:threads :current :report :graph) (length (work 100)))' \
    '(mprof:report :type :sites :chain :all)'
hasnt "a form in the REPL: nothing of the server, no cycles" out 'SWANK|cycle|EVAL'
has "a form in the REPL: the function" out '^\[0\] .* \[0\] +WORK$'
is "a form in the REPL: it is all there is" "$(grep -c '^\[[0-9]*\]' out)" 1
has "a form in the REPL: its site" out '^ *1600 +\(100\) +100 .* CONS +WORK$'
returns "an error: status" 0 python3 client.py $server \
    '(mprof:with-profiling (:threads :current) (work 100) (error "in SLIME"))' \
    '(mprof:report :min-percent nil)'
has "an error: SLIME's debugger has it" out '^\(:debug .*in SLIME'
has "an error: what came before" out '^ *1600 +\([0-9]+\) +100 .* WORK$'
hasnt "an error: nothing of the server or its debugger" out '(SWANK[^"]*|BACKTRACE[^"]*)$'
kill $server
plan
# SPDX-License-Identifier: MIT
