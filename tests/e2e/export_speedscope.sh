#!/bin/sh
# mprof export -F speedscope is read by speedscope's own importer and validated by its schema: chains, figures, units.
# The npm package is taken from NODE_PATH, or from the registry.
. "${srcdir:-.}/tests/e2e/lib.sh"

reader=$src/tests/e2e/speedscope.js
tested=1.25.0

if ! need node npm python3; then
    skip "speedscope" "$missing"
    plan
    exit 0
fi
package=$(node -p 'require("path").dirname(require.resolve("speedscope/package.json"))' 2>/dev/null)
if [ -z "$package" ] && HOME=$tmp timeout 60 npm pack --silent --fetch-retries=0 --fetch-timeout=20000 speedscope@$tested >npm.out 2>&1 &&
    tar xzf speedscope-$tested.tgz; then
    package=$tmp/package
fi
if [ -z "$package" ]; then
    skip "speedscope" "Node has no speedscope (npm install speedscope, and NODE_PATH), nor can npm get it: $(tail -n 1 npm.out)"
    plan
    exit 0
fi
profile costs "$programs/costs"
"$mprof" export -F speedscope -o costs.json costs
node "$reader" "$package" costs.json >imported 2>err
if [ $? = 3 ]; then
    skip "speedscope" "version $(node -p "require('$package/package.json').version") has its importer elsewhere"
    plan
    exit 0
fi

# same NAME DATA COST: tests that the profile NAME has the chains of the collapsed export.
same()
{
    sed -n "/^$1 /,/^[^ ]/s/^  //p" imported | LC_ALL=C sort >chains
    "$mprof" export -F collapsed --cost="$3" "$2" | LC_ALL=C sort >expected
    ok "$2: $1: all $(wc -l <expected) chains" cmp chains expected
}

# well_formed TEXT FILE: validates FILE by the schema.
well_formed()
{
    if "$python" -c 'import jsonschema' 2>/dev/null; then
        ok "$1" "$python" -c '
import json, sys
import jsonschema
jsonschema.validate(json.load(open(sys.argv[1])), json.load(open(sys.argv[2])))' "$2" \
            "$package/dist/release/file-format-schema.json"
    else
        skip "$1" "python3-jsonschema is not installed"
    fi
}

profile cycles "$programs/cycles"
cp "$src/tests/data/sealed-time.data" "$src/tests/data/sealed-lisp.data" .
for data in costs cycles sealed-time.data sealed-lisp.data; do
    "$mprof" export -F speedscope -o file.json $data
    well_formed "$data: the schema of the format" file.json
    node "$reader" "$package" file.json >imported 2>err
    is "$data: speedscope reads it" "$? $(cat err)" "0 "
    has "$data: bytes" imported "^bytes allocated bytes $(total bytes $data)\$"
    has "$data: allocations" imported "^allocations none $(total allocs $data)\$"
    same "bytes allocated" $data bytes
    same allocations $data objects
    same "bytes kept" $data kept
done
has "the peak" imported '^bytes alive at the peak bytes [0-9]+$'
"$mprof" export -F speedscope -o peak.json --at=peak costs
node "$reader" "$package" peak.json >imported 2>err
is "of a moment only what was alive" "$(grep -v '^ ' imported)" "bytes kept bytes $(total peak costs)"
"$mprof" export -F speedscope -o go.json "$src/tests/fuzz/corpus/import/go.pb.gz"
node "$reader" "$package" go.json >imported 2>err
is "of what another tool wrote, only what is known" "$(sed -n 's/ [0-9]*$//; /^[^ ]/p' imported | paste -sd ,)" \
    "bytes allocated bytes,allocations none,bytes kept bytes"
echo '{}' >nothing.json
node "$reader" "$package" nothing.json >imported 2>err
is "it does not read everything" "$?" 1
plan
# SPDX-License-Identifier: MIT
