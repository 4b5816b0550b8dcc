#!/bin/sh
# Labels of a run, and how its process was started and ended: in the recording, the report, JSON, merged files and exports.
. "${srcdir:-.}/tests/e2e/lib.sh"

# labels FILE: prints the labels in the JSON report of FILE.
labels()
{
    "$mprof" report --json "$1" | jq -c .process.labels
}

MPROF_LABELS=container=         # the labels are the same if the tests run in a container
export MPROF_LABELS
returns "mprof run --label" 7 "$mprof" run -q -o one.data --label release=1.4 --label dc=us \
    --label 'note=a,b=c\' "$programs/killme" 100 exit
is "... JSON has them" "$(labels one.data)" '{"release":"1.4","dc":"us","note":"a,b=c\\"}'
prints "... and the head" '^Labels  *release=1\.4,dc=us,note=a\\,b=c\\\\$' "$mprof" report --no-pager --verbose one.data
refuses "a label without a key" 2 '^mprof: --label==1: ' "$mprof" run --label =1 true
refuses "a label twice" 2 '^mprof: --label=a: given twice' "$mprof" run --label a=1 --label a=2 true
refuses "a label without a value" 2 '^mprof: --label=release: ' "$mprof" run --label release true
refuses "labels that are too long" 2 '^mprof: --label: ' "$mprof" run --label "b=$(head -c 2100 /dev/zero | tr '\0' x)" true

# In a container: its engine mounts a file at /etc/hostname, in a folder with the name of the container.
id=$(printf %064d 0 | tr 0 c)
mkdir -p "containers/$id"
echo >"containers/$id/hostname"
# contained ARGUMENT...: runs mprof run ARGUMENT... with that file at /etc/hostname.
contained()
{
    # shellcheck disable=SC2016
    run env -u MPROF_LABELS unshare -rm sh -c 'mount --bind "$1" /etc/hostname && shift && exec "$@"' sh "containers/$id/hostname" \
        "$mprof" run -q -o contained.data "$@" "$programs/killme" 100 exit
}
if unshare -rm mount --bind "containers/$id/hostname" /etc/hostname 2>/dev/null; then
    contained --label dc=us
    is "in a container" "$(labels contained.data)" "{\"dc\":\"us\",\"container\":\"$id\"}"
    contained
    is "... without other labels" "$(labels contained.data)" "{\"container\":\"$id\"}"
    contained --label container=web
    is "... with the user's own" "$(labels contained.data)" '{"container":"web"}'
else
    skip "in a container" "nothing can be mounted at /etc/hostname: unshare -rm"
fi

# The monitor stores the labels of MPROF_LABELS in the data file, so preloaded and killed programs have them, too.
MPROF_LABELS=release=1.4,dc=eu,,=x,nothing,release=1.5,
export MPROF_LABELS
profile two.data "$programs/killme" 100 exit
is "MPROF_LABELS" "$(labels two.data)" '{"release":"1.5","dc":"eu"}'
returns "mprof seal" 0 "$mprof" seal two.data
is "... in a sealed file" "$(labels two.data)" '{"release":"1.5","dc":"eu"}'
MPROF_LABELS=$MPROF_LABELS,container= "$mprof" run -q -o kept.data --label release=1.4 "$programs/killme" 100 exit
is "... mprof run keeps them" "$(labels kept.data)" '{"release":"1.4","dc":"eu"}'
unset MPROF_LABELS
profile none.data "$programs/killme" 100 exit
is "no labels" "$(labels none.data)" '{}'
run "$mprof" report --no-pager --verbose none.data
hasnt "... and no line of the head" out '^Labels'

# A merged file has the labels of each process. The labels of the whole file are those that all its processes have.
returns "mprof merge" 0 "$mprof" merge -o merged.data one.data two.data kept.data
is "... each process has its own" "$("$mprof" report --json merged.data | jq -c '[.processes[].labels.release] | sort')" \
    '["1.4","1.4","1.5"]'
run "$mprof" report --no-pager --verbose merged.data
hasnt "... nothing is common to all" out '^Labels'
"$mprof" merge -o same.data one.data kept.data
prints "... but a release is" '^Labels  *release=1\.4$' "$mprof" report --no-pager --verbose same.data

run "$mprof" merge --by=program -o folded.data one.data two.data kept.data
has "... what a part does not distinguish is said" err '^mprof:   parts contain different values of these labels: release, dc, note$'
is "... its rows have none of it" "$("$mprof" export -F ndjson folded.data | jq -c .labels | sort -u)" '{}'
run "$mprof" merge --by=none -o folded.data one.data kept.data
has "... a release is common" err '^mprof:   parts contain different values of these labels: dc, note$'
run "$mprof" merge --by=process -o whole.data one.data two.data kept.data
hasnt "... nothing is folded if processes are distinguished" err 'labels'

# Exports: a label of the command replaces a recorded one.
"$mprof" export -F ndjson --label dc=asia -o one.ndjson one.data
is "ndjson" "$(jq -c .labels one.ndjson | sort -u)" '{"dc":"asia","release":"1.4","note":"a,b=c\\"}'
"$mprof" export -F ndjson -o merged.ndjson merged.data
is "ndjson of a merged file: rows have their process's labels" \
    "$(jq -r .labels.release merged.ndjson | sort -u | xargs)" "1.4 1.5"
"$mprof" export -F csv -o one.csv one.data
is "csv" "$(tail -n 1 one.csv | grep -c '"release=1.4;dc=us;note=a,b=c\\"')" 1

# How the process was started and ended.
id=$(readelf -n "$programs/killme" | sed -n 's/.*Build ID: //p')
is "command, build-id, parent, sampling" "$(jq -c '[.command, .build_id, (.parent_pid > 0), (.duration_ns > 0),
    .exit_status, .sample_period]' one.ndjson | sort -u)" "[\"$programs/killme 100 exit\",\"$id\",true,true,7,0]"
is "csv has the same" "$(head -n 1 one.csv | tr , '\n' | tail -n 6 | xargs) $(tail -n 1 one.csv | awk -F, '{ print $NF }')" \
    "command build_id parent_pid duration_ns exit_status sample_period 0"
"$mprof" export -F csv --null='\N' --no-header -o bare.csv none.data
is "--no-header" "$(sed 1d one.csv | wc -l)" "$(wc -l <bare.csv)"
is "--null" "$(awk -F, '{ print $(NF - 6) }' bare.csv | sort -u)" '\N'
refuses "--null in another format" 2 '^mprof: --null: ' "$mprof" export -F ndjson --null=x none.data
refuses "--no-header in another format" 2 '^mprof: --no-header: ' "$mprof" export -F ndjson --no-header none.data
run "$mprof" run -q -o failed.data sh -c 'exit 7'
"$mprof" export -F ndjson -o failed.ndjson failed.data
is "an exit status" "$status $(jq -c .exit_status failed.ndjson | sort -u)" "7 7"
run "$mprof" run -q -o killed.data sh -c 'kill -9 $$'
"$mprof" export -F ndjson -o killed.ndjson killed.data
is "a signal, as a shell has it" "$status $(jq -c .exit_status killed.ndjson | sort -u)" "137 137"
run "$mprof" run -q --sample=1K -o sampled.data "$programs/killme" 10000 exit
"$mprof" export -F ndjson -o sampled.ndjson sampled.data
is "the sampling period" "$(jq -c .sample_period sampled.ndjson | sort -u)" 1024
if "$mprof" export -F sqlite -o runs.db one.data 2>err; then
    is "sqlite" "$(sqlite3 runs.db 'SELECT key, value FROM labels ORDER BY key' | tr '\n' ' ')" 'dc|us note|a,b=c\ release|1.4 '
else
    skip "sqlite" "$(cat err)"
fi
plan
# SPDX-License-Identifier: MIT
