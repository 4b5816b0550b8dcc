#!/bin/sh
# mprof push: what a receiver has in the end, whatever failures of the receiver or of mprof happened meanwhile.
. "${srcdir:-.}/tests/e2e/control_lib.sh"

if ! grep -q '^#define HAVE_LIBCURL 1' "$top/config.h"; then
    says "configured without libcurl: it says so" "1 mprof: this mprof was built without libcurl" "$mprof" push http://localhost
    plan
    exit
fi
needs "mprof push" python3
HOME=$tmp
PPROF_TMPDIR=$tmp
export HOME PPROF_TMPDIR
unset http_proxy HTTP_PROXY https_proxy HTTPS_PROXY all_proxy ALL_PROXY no_proxy NO_PROXY XDG_STATE_HOME
spool=$tmp/.local/state/mprof/push

# start_receiver FOLDER [PORT [CERTIFICATE]]: sets $receiver, $port, $url. The receiver keeps what FOLDER contains.
start_receiver()
{
    mkdir -p "$1"
    rm -f "$1/port"
    "$python" "$src/tests/e2e/push_receiver.py" "$1" "${2-0}" ${3+"$3"} >receiver.log 2>&1 &
    receiver=$!
    until_true 60 test -s "$1/port" || fail "the receiver does not listen: $(cat receiver.log)"
    port=$(cat "$1/port")
    url=http://127.0.0.1:$port
}

end_receiver()
{
    kill -9 "$receiver"
    wait "$receiver" 2>/dev/null
}

# plan_for FOLDER LINE...: sets the receiver's next answers.
plan_for()
{
    folder=$1
    shift
    printf '%s\n' "$@" >"$folder/plan"
}

# push ARGUMENT...: runs mprof push; sets $status, out, err.
push()
{
    run "$mprof" push "$@"
}

# stored FOLDER: prints how many profiles were received.
stored()
{
    find "$1" -name '*.json' | wc -l
}

has_stored()
{
    [ "$(stored "$1")" -ge "$2" ]
}

waiting()
{
    find "$spool" -name '*.profile' | wc -l
}

# field FOLDER N WHAT...: prints what was sent with profile N.
field()
{
    "$python" - "$@" <<'END'
import json, sys
value = json.load(open(f"{sys.argv[1]}/{sys.argv[2]}.json"))
for key in sys.argv[3:]:
    value = value.get(key) if value else value
print(value)
END
}

# work TYPE BODY...: prints the figures of work(), as an independent reader finds them. all_of: those of all
# functions.
work()
{
    type=$1
    shift
    "$python" "$src/tests/e2e/push_sums.py" "$type" work "$@"
}

all_of()
{
    type=$1
    shift
    "$python" "$src/tests/e2e/push_sums.py" "$type" "" "$@"
}

# worked KEY FILE: prints the figures of work() in a data file, from mprof: bytes or kept.
worked()
{
    "$mprof" export -F collapsed --full-names --no-skip --cost="$1" "$2" | awk '/;work /{ sum += $NF } END { print sum + 0 }'
}

# newest FOLDER: prints the last body.
newest()
{
    echo "$1/$(stored "$1").body"
}

# ------------------------------------------------------------------ files, once
profile widgets.data "$top/examples/widgets"
"$mprof" export -F pprof -o widgets.pb.gz widgets.data
start_receiver plain
push "$url/profiles" widgets.data
is "a file: sent" "$status $(cat out err)" "0 mprof: 1 profile sent to $url/profiles"
is "... to that URL, as what it is" "$(field plain 1 path) $(field plain 1 query) $(field plain 1 headers Content-Type)" \
    "/profiles {} application/octet-stream"
ok "... the same bytes as mprof export writes" cmp plain/1.body widgets.pb.gz
push --label=env=prod --label='zone=a b&c' "$url/profiles?x=1" widgets.data
is "labels become arguments of the URL" "$(field plain 2 query)" "{'x': '1', 'env': 'prod', 'zone': 'a b&c'}"
push "$url/" widgets.data widgets.pb.gz
is "several files" "$status $(cat out) $(stored plain)" "0 mprof: 2 profiles sent to $url/ 4"
push "$url/" widgets.data none.data
is "one that is not there: none is sent" "$status $(stored plain) $(cat err)" \
    "1 4 mprof: cannot open none.data: No such file or directory"

push --format=pyroscope --label=env=prod --label=zone=eu "$url" widgets.data
is "pyroscope: where" "$status $(field plain 5 path)" "0 /ingest"
is "... its name has the labels" "$(field plain 5 query name) $(field plain 5 query format)" \
    "widgets{env=prod,zone=eu} pprof"
ok "... and its time is that of the recording" "$python" -c '
import sys
begin, end = map(int, sys.argv[1:])
assert 0 < end - begin <= 60, (begin, end)
' "$(field plain 5 query from)" "$(field plain 5 query until)"
is "... the figures" "$(total bytes plain/5.body) $(total allocs plain/5.body)" \
    "$(total bytes widgets.data) $(total allocs widgets.data)"
push --format=pyroscope --name=shop.cart "$url/ingest/" widgets.data
is "... by a name that was given, and not /ingest twice" "$(field plain 6 path) $(field plain 6 query name)" "/ingest shop.cart"
push --format=parca --label=env=prod "$url" widgets.data
is "parca: where" "$status $(field plain 7 path) $(field plain 7 headers Content-Type)" \
    "0 /api/profiles/writeraw application/json"
is "... one series, with labels" "$("$python" - plain/7.body <<'END'
import base64, json, sys
series, = json.load(open(sys.argv[1]))["series"]
sample, = series["samples"]
open("parca.pb.gz", "wb").write(base64.b64decode(sample["raw_profile"], validate=True))
print({label["name"]: label["value"] for label in series["labels"]["labels"]})
END
)" "{'__name__': 'memory', 'job': 'widgets', 'env': 'prod'}"
is "... the figures" "$(total bytes parca.pb.gz) $(total allocs parca.pb.gz)" \
    "$(total bytes widgets.data) $(total allocs widgets.data)"
if need go; then
    go tool pprof -raw parca.pb.gz >parca.raw 2>&1
    go tool pprof -raw plain/5.body >pyroscope.raw 2>&1
    hasnt "... of an instant, as Go's own" parca.raw '^Duration: '
    has "pyroscope: of a time" pyroscope.raw '^Duration: '
else
    skip "what Go reads of it" "$missing"
fi

# ------------------------------------------------------------------ a receiver that fails
# trouble NAME STEP...: the receiver fails in these ways at first. Tests that it finally has the profile, once.
trouble()
{
    name=$1
    shift
    mkdir "t-$name"
    start_receiver "t-$name"
    plan_for "t-$name" "$@"
    push --timeout=2 "$url" widgets.data
    end_receiver
    is "$name: it is sent in the end" "$status $(cat out)" "0 mprof: 1 profile sent to $url"
    is "... and stored once" "$(stored "t-$name") $(total bytes "t-$name/1.body")" "1 $(total bytes widgets.data)"
    is "... after as many tries" "$(sed 's/ .*//' "t-$name/log" | grep -vc known)" "$(($# + 1))"
    is "... nothing waits" "$(waiting)" 0
    is "... what was wrong is said, and that it is over" "$(wc -l <err) $(tail -n 1 err)" "$(($(printf '%s\n' "$@" | uniq | wc -l) + 1)) mprof: $url answers again"
}
end_receiver
trouble unavailable 503 503
trouble overloaded "429 2"
trouble full "413 1"
trouble timeout 408
trouble bad-gateway 502
trouble hangs "hang 5"
trouble half half
trouble mute mute
mkdir cut
start_receiver cut
plan_for cut cut
push "$url" widgets.data
is "an answer that ends in the middle is one" "$status $(stored cut) $(cat cut/log)" "0 1 cut"
end_receiver

mkdir told
start_receiver told
plan_for told "503 3"
began=$(date +%s)
push "$url" widgets.data
ended=$(date +%s)
at_least "Retry-After: it is waited so long" "$((ended - began))" 2
end_receiver

# The receiver is missing at first.
mkdir late
start_receiver late
end_receiver
rm -f said
"$mprof" push "$url" widgets.data >sent 2>said &
pusher=$!
until_true 60 test -s said
has "nobody listens: that is said" said "^mprof: $url: .*[Cc]onnect.*; the next try is in [0-9.]+ s\$"
start_receiver late "$port"
wait $pusher
is "... and sent when somebody does" "$? $(stored late) $(waiting)" "0 1 0"
end_receiver

# Profiles that are not accepted in time wait for the next call, in order.
push --patience=0 "$url" widgets.data
is "nobody at all: it waits" "$status $(waiting) $(sed 's/ in .*//' out)" "1 1 mprof: 0 profiles sent to $url; 1 waits"
push --patience=0 "$url" widgets.pb.gz
is "... and so does the next" "$status $(waiting)" "1 2"
is "... where nobody else reads it" "$(find "$spool" -mindepth 1 -perm /077 | wc -l)" 0
start_receiver late "$port"
push "$url"
is "... until a push without anything sends them" "$status $(cat out) $(waiting)" "0 mprof: 2 profiles sent to $url 0"
ok "... the oldest first" cmp late/2.body widgets.pb.gz
end_receiver

# A profile that makes a receiver fail does not block others.
profile costs.data "$programs/costs"
push --patience=0 "$url" widgets.data
push --patience=0 "$url" costs.data
mkdir fails
start_receiver fails "$port"
plan_for fails 500 500 500
push "$url"
is "three failures with one: the next goes before it" "$status $(cat out) $(waiting)" "0 mprof: 2 profiles sent to $url 0"
is "... and is there first" "$(total bytes fails/1.body)" "$(total bytes costs.data)"
is "... the other one later" "$(total bytes fails/2.body)" "$(total bytes widgets.data)"
is "... what was said" "$(sed 's/ in [0-9.]* s$//' err)" "mprof: $url: HTTP status 500: as planned; the next try is
mprof: $url: HTTP status 500: as planned; other profiles go before this one now
mprof: $url answers again"
end_receiver

# never STATUS: tests that this profile is never accepted, but others are.
never()
{
    mkdir "never-$1"
    start_receiver "never-$1"
    plan_for "never-$1" "$1"
    push "$url" widgets.data widgets.data
    is "$1: not sent again, and the next is" "$status $(stored "never-$1") $(wc -l <"never-$1/log") $(waiting) $(cat out)" \
        "1 1 2 0 mprof: 1 profile sent to $url; 1 refused"
    is "... which is said" "$(cat err)" \
        "mprof: $url refused a profile, which will not be sent again: HTTP status $1: as planned"
    end_receiver
}
for status in 400 413 415 422; do
    never $status
done

# wrong STEP STATUS: tests that nothing is sent to such a receiver, and that all profiles wait.
wrong()
{
    mkdir "wrong-$2"
    start_receiver "wrong-$2"
    plan_for "wrong-$2" "$1"
    push "$url" widgets.data widgets.data
    is "$2: one try, and both wait" "$status $(wc -l <"wrong-$2/log") $(waiting)" "1 1 2"
    is "... which is said in one line" "$(wc -l <err) $(sed "s|$url||" err | cut -c1-24)" "1 mprof: : HTTP status $2"
    push "$url"
    is "... until it is put right" "$status $(stored "wrong-$2") $(waiting)" "0 2 0"
    end_receiver
}
wrong 401 401
wrong 404 404
wrong 501 501
wrong "redirect http://127.0.0.1:1/elsewhere" 307

# ------------------------------------------------------------------ no more than so much waits
size=$(($(wc -c <widgets.pb.gz) + 200))
for i in 1 2 3 4; do
    push --patience=0 --queue=$((3 * size)) "$url" widgets.data
done
has "a full queue: the oldest is given up, and that is said" out '^mprof: 0 profiles sent to .*; 1 given up for want of room; 3 wait in '
push --queue=100 "$url" widgets.data
is "one that is larger than all may be" "$status $(wc -l <err) $(waiting)" "1 1 3"
has "... it says so" err '^mprof: a profile of [0-9]+ bytes is larger than all that may wait to be sent; see --queue$'
rm -rf "$spool"
push --patience=0 "$url" widgets.data
for file in "$spool"/*/*.profile; do
    echo damaged >"$file"
done
push --patience=0 "$url"
is "what was damaged there is given up" "$status $(waiting) $(cat out)" \
    "1 0 mprof: 0 profiles sent to $url; 1 given up for want of room"
mkdir -p shared
push --spool=shared --patience=0 "$url" widgets.data
is "another place to wait at" "$(find shared -name '*.profile' | wc -l)" 1
chmod 777 shared/*
push --spool=shared "$url"
is "... not if others may write there" "$status $(wc -l <err)" "1 1"
has "... it says so" err ': others may write there$'

# ------------------------------------------------------------------ a process that runs
# follow ARGUMENT...: starts mprof push and sets $pusher.
follow()
{
    "$mprof" push "$@" >sent 2>said &
    pusher=$!
}

start_receiver since
start_program
order 100
follow --format=pyroscope --every=1 --name=control "$url" "$pid"
until_true 60 has_stored since 1 || fail "nothing comes: $(cat said)"
is "every second: at first what was allocated until then" "$(work alloc_space since/1.body) $(work inuse_space since/1.body)" "10000 1000"
order 50
until_true 60 has_stored since 3
end_receiver                    # it is killed, and
order 20
until_true 60 grep -q 'the next try is in' said || fail "nobody misses the receiver: $(cat said)"
start_receiver since "$port"    # comes again
order 30
until_true 60 has_stored since 6
push --format=pyroscope --every=1 "$url" "$pid"
is "twice the same: refused" "$status $(cat err)" "1 mprof: another mprof sends process $pid there already"
order 7
end_program
wait $pusher
is "it ends with the process" "$? $(waiting)" "0 0"
has "... having said that the receiver was away, and came again" said '^mprof: .* answers again$'
is "all together are what the recording has" "$(work alloc_space since/*.body)" "$((207 * 100))"
is "... all functions" "$(all_of alloc_space since/*.body) $(all_of alloc_objects since/*.body)" \
    "$(total bytes mprof.data) $(total allocs mprof.data)"
is "... the last has what lives" "$(work inuse_space "$(newest since)")" "$(worked kept mprof.data)"
is "... nothing of it is kept for a next time" "$(find "$spool" -name '*.look' -o -name '*.lock' | wc -l)" 0
if need go; then
    is "... as go reads it" "$(for body in since/*.body; do
        go tool pprof -top -unit=B -nodefraction=0 -symbolize=none -sample_index=alloc_space "$body" 2>/dev/null
    done | awk '$NF == "work" { sum += $1 } END { printf "%.0f\n", sum }')" "$((207 * 100))"
else
    skip "... as go reads it" "$missing"
fi
end_receiver

# An mprof push that is killed at any time continues where it was.
start_receiver killed
start_program 2
n=0
for delay in 0 0.1 0.2 0.3 0.4 0.5 0.7 0.9 1 1.1 1.2 1.3; do
    follow --format=pyroscope --every=1 "$url" "$pid"
    order 11
    sleep "$delay"
    kill -9 $pusher
    wait $pusher 2>/dev/null
    n=$((n + 2 * 11))
done
is "no look that was killed is in the way" "$(find "$spool" -name '*.look' | wc -l)" 1
before=$(stored killed)
follow --format=pyroscope --every=1 "$url" "$pid"
until_true 60 has_stored killed $((before + 1))
order 13
n=$((n + 2 * 13))
end_program
wait $pusher
is "killed again and again: nothing is lost, nothing comes twice" "$? $(work alloc_space killed/*.body) $(all_of alloc_space killed/*.body)" \
    "0 $((n * 100)) $(total bytes mprof.data)"
end_receiver

# A signal ends mprof push after it has sent the last sample.
start_receiver signal
start_program
order 10
follow --format=pyroscope --every=3600 "$url" "$pid"
until_true 60 has_stored signal 1
order 20
kill -INT $pusher
wait $pusher
is "interrupted: what happened until then is sent" "$? $(stored signal) $(work alloc_space signal/2.body)" "0 2 2000"
order 30
push "$url" "$pid"
is "once: all of it" "$status $(work alloc_space signal/3.body)" "0 6000"
follow --format=parca --every=1 --since "$url" "$pid"
until_true 60 has_stored signal 5
kill -TERM $pusher
wait $pusher
follow --whole --every=1 "$url" "$pid"
until_true 60 has_stored signal 8
end_program
wait $pusher
is "--whole: each time all" "$? $(work alloc_space "$(newest signal)") $(total bytes "$(newest signal)")" "0 6000 $(total bytes mprof.data)"
end_receiver

# A recording that has ended is sent once, and then the next one of the process.
start_receiver stopped
start_program
order 10
"$mprof" stop --wait=0 "$pid" >out
order 5
follow --format=pyroscope --every=1 "$url" "$pid"
until_true 60 has_stored stopped 1
sleep 1
is "stopped: sent once" "$(stored stopped) $(work alloc_space stopped/*.body)" "1 $(worked bytes mprof.data)"
"$mprof" start --wait=0 -o again.data "$pid" >out
order 20
until_true 60 has_stored stopped 2
order 30
end_program
wait $pusher
is "... and what was recorded later" "$? $(work alloc_space stopped/*.body)" \
    "0 $(($(worked bytes mprof.data) + $(worked bytes again.data)))"
end_receiver

# A process that becomes another program has two recordings.
mkfifo orders3
start_receiver becomes
"$mprof" run -q -f -o becomes.data sh -c 'echo begun; read -r line; exec "$1"' sh "$programs/control" \
    <orders3 >answers3 2>errors3 &
runner=$!
exec 9>orders3
until_true 60 test -s answers3
pid=$(program_of $runner)
follow --format=pyroscope --every=1 "$url" "$pid"
until_true 60 has_stored becomes 1
echo go >&9
echo 20 >&9
until_true 60 grep -q "done" answers3
until_true 60 sh -c "'$python' '$src/tests/e2e/push_sums.py' alloc_space work becomes/*.body | grep -q 2000"
echo 30 >&9
echo end >&9
exec 9>&-
wait $runner
wait $pusher
is "a process that becomes another program: both recordings are sent" \
    "$? $(work alloc_space becomes/*.body) $(all_of alloc_space becomes/*.body)" \
    "0 5000 $(($(total bytes becomes.data) + $(total bytes becomes.data."$pid")))"
is "... and no problem is said" "$(grep -vc ': sending process' said)" 0
end_receiver

# A recording that mprof run has sealed meanwhile.
mkfifo orders2
start_receiver sealed
"$mprof" run -q -o run.data "$programs/control" <orders2 >answers2 2>errors2 &
runner=$!
exec 9>orders2
echo 10 >&9
until_true 60 test -s answers2
pid=$(program_of $runner)
follow --format=pyroscope --every=3600 "$url" "$pid"
until_true 60 has_stored sealed 1
echo 20 >&9
echo end >&9
exec 9>&-
wait $runner
wait $pusher
is "sealed meanwhile: the rest is sent" "$? $(work alloc_space sealed/*.body) $(worked bytes run.data)" "0 3000 3000"
is "... by the same names" "$(all_of alloc_space sealed/*.body)" "$(total bytes run.data)"
end_receiver

# ------------------------------------------------------------------ secrets, and https
start_receiver headers
printf 'Authorization: Bearer s3cret\r\nX-Scope-OrgID: shop\n\n' >secret
push --header=@secret --header='X-More: 1' "$url" widgets.data
is "headers of a file" "$(field headers 1 headers Authorization) $(field headers 1 headers X-Scope-OrgID) $(field headers 1 headers X-More)" \
    "Bearer s3cret shop 1"
plan_for headers 401
push --header=@secret "$url" widgets.data
ok "... are in no message, and in no file" sh -c "! grep -q s3cret out err && ! grep -rq s3cret '$spool'"
end_receiver
rm -rf "$spool"
if need openssl; then
    openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out cert.pem -days 2 -subj /CN=localhost \
        -addext subjectAltName=IP:127.0.0.1 >openssl.log 2>&1
    cat cert.pem key.pem >both.pem
    start_receiver tls 0 both.pem
    push "https://127.0.0.1:$port" widgets.data
    is "https: a certificate that nobody vouches for" "$status $(stored tls) $(wc -l <err)" "1 0 1"
    push --cacert=cert.pem "https://127.0.0.1:$port"
    is "... but --cacert" "$status $(stored tls) $(total bytes tls/1.body)" "0 1 $(total bytes widgets.data)"
    end_receiver
else
    skip "https" "$missing"
fi

# ------------------------------------------------------------------ mistakes
printf 'Name value\n' >nocolon
: >empty
refused 2 '^mprof: no URL is given' push
refused 2 "^mprof: 'ftp://localhost': http and https only" push ftp://localhost
refused 2 "^mprof: 'localhost' is no URL" push localhost
refused 2 '^mprof: a URL with a name or password' push http://me:secret@localhost
refused 2 "^mprof: 'http://localhost/\?x': a URL for parca must not contain \?" push --format=parca 'http://localhost/?x'
refused 2 '^mprof: --format=otlp: pprof, pyroscope or parca' push --format=otlp http://localhost
refused 2 '^mprof: --every requires a running process' push --every=1 http://localhost widgets.data
refused 2 '^mprof: --since and --whole require --every' push --since http://localhost widgets.data
refused 2 '^mprof: --every=0: not a number from 1 to' push --every=0 http://localhost 1
refused 2 '^mprof: a process cannot be combined' push http://localhost 1 widgets.data
refused 2 '^mprof: --label=env: expected NAME=VALUE' push --label=env http://localhost
refused 2 '^mprof: --label=env: given twice' push --label=env=a --label=env=b http://localhost
refused 2 "^mprof: --label: 'a-b' is no name" push --label=a-b=c http://localhost
refused 2 "^mprof: --label: '__name__' is no name" push --label=__name__=c http://localhost
refused 2 '^mprof: --label: the value of a may not have' push --format=pyroscope '--label=a=b,c' http://localhost
refused 2 '^mprof: --name=a b: only letters' push '--name=a b' http://localhost
refused 2 '^mprof: --header: expected NAME: VALUE' push --header=nothing http://localhost
refused 2 '^mprof: --header: mprof itself sets Content-Length' push --header='content-length: 1' http://localhost
refused 2 '^mprof: --header=@none: No such file or directory' push --header=@none http://localhost
refused 2 '^mprof: --header: expected NAME: VALUE' push --header=@nocolon http://localhost
refused 2 '^mprof: --header=@empty: contains no header' push --header=@empty http://localhost
refused 2 '^mprof: --queue=0: not a number of bytes' push --queue=0 http://localhost
refused 1 '^mprof: none: cannot be read' push --cacert=none http://localhost widgets.data
refused 1 '^mprof: there is no process 999999999' push http://localhost 999999999
refused 1 '^mprof: process 1 ' push http://localhost 1
plan
