#!/bin/sh
# A program with much debug information: what was read of it does not stay in memory, however it is compressed.
. "${srcdir:-.}/tests/e2e/lib.sh"

# most FILE: prints the peak memory of its report in MB; the report is in the file `text`.
most()
{
    MPROF_CACHE=off "$python" -c '
import resource, subprocess, sys
status = subprocess.run(sys.argv[2:], stdout=open("text", "w"), stderr=open("err", "w")).returncode
size = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024
print(size if status == 0 else "status %d" % status)' \
        any "$mprof" report -v --lines --table=bins,leaks,flat "$1"
}

needs "much debug information" gcc objcopy "$python"

# One compilation unit, many times: its functions are kept, and each has its own types.
units=96
{
    echo '#include <stdlib.h>'
    seq 9000 | sed 's/.*/struct a& { struct a& *next; int b&; char c&[& % 90 + 1]; };/'
    echo 'struct all {'
    seq 9000 | sed 's/.*/struct a& *v&;/'
    echo '};'
    echo 'void *unit(void) { static struct all all; all.v5 = calloc(1, sizeof *all.v5);'
    echo 'return all.v6 ? 0 : all.v5; }'
} >unit.c
gcc -g -O0 -w -c unit.c
{
    seq $units | sed 's/.*/void *unit_&(void);/'
    echo 'int main(void) { int n = 0;'
    seq $units | sed 's/.*/n += unit_&() != 0;/'
    echo "return n != $units; }"
} >main.c
for i in $(seq $units); do
    objcopy --redefine-sym "unit=unit_$i" unit.o "unit_$i.o"
done
gcc -g -o plain main.c unit_*.o
rm unit_*.o
size=$(readelf -SW plain | sed -n 's/^.* \.debug_info *PROGBITS *[0-9a-f]* [0-9a-f]* \([0-9a-f]*\).*/\1/p')
at_least "megabytes of it" $((0x$size >> 20)) 50

for how in plain zlib zstd; do
    if [ $how != plain ] && ! objcopy "--compress-debug-sections=$how" plain $how 2>err; then
        skip "$how" "this objcopy does not know it"
        continue
    fi
    rm -f data
    MPROF_FILE=$tmp/data LD_PRELOAD=$library ./$how
    is "$how: recorded" "$?" 0
    memory=$(most data)
    if [ $how != plain ] && grep -q 'unreadable (compressed by' text; then
        skip "$how" "this libelf does not read it"
        continue
    fi
    has "$how: names, lines and types" text 'main \(main.c:[0-9]*\) > unit_?[0-9]* \(unit.c:[0-9]*\)$'
    # libelf decompresses zstd itself, and keeps the whole section in memory
    [ $how = zstd ] || at_most "$how: half of it in memory" "$memory" $((0x$size >> 21))
    grep -v -e '^Program' -e '^Command' -e '^Process' -e '^Started' -e '^Recorded' text >"text.$how"
    [ $how = plain ] || ok "$how: the same" diff text.plain "text.$how"
done

# packed FROM TO UNPACKED SIZE: makes TO, a copy of the program FROM whose section .debug_str is compressed by zlib. The
# section has SIZE bytes (0: as many as needed), claims to contain UNPACKED bytes, and has a wrong checksum.
packed()
{
    "$python" - "$@" <<'EOF'
import struct, sys, zlib

source, target, unpacked, size = *sys.argv[1:3], *map(int, sys.argv[3:])
file = bytearray(open(source, 'rb').read())
headers, = struct.unpack_from('<Q', file, 40)
count, names = struct.unpack_from('<HH', file, 60)
names_at, = struct.unpack_from('<Q', file, headers + 64 * names + 24)
stream = zlib.compressobj(9)
content = b''.join(stream.compress(bytes(1 << 20)) for _ in range(128)) + stream.flush()
content = struct.pack('<IIQQ', 1, 0, unpacked, 1) + content[:-1] + bytes([content[-1] ^ 1])
for at in range(headers, headers + 64 * count, 64):
    name_at = names_at + struct.unpack_from('<I', file, at)[0]
    if file[name_at:].startswith(b'.debug_str\0'):
        flags, = struct.unpack_from('<Q', file, at + 8)
        struct.pack_into('<Q', file, at + 8, flags | 0x800)
        struct.pack_into('<QQ', file, at + 24, len(file), size or len(content))
with open(target, 'wb') as out:
    out.write(file + content)
    out.truncate(len(file) + max(size, len(content)))
EOF
    chmod +x "$2"
}

printf '#include <stdlib.h>\nint main(void) { return malloc(77) == 0; }\n' >small.c
gcc -g -o small small.c
packed small damaged $((128 << 20)) 0
packed small large $((17 << 30)) $((20 << 20))
for how in damaged large; do
    rm -f data
    MPROF_FILE=$tmp/data LD_PRELOAD=$library ./$how
    is "$how: recorded" "$?" 0
    memory=$(most data)
    at_most "$how: memory" "$memory" 64
    has "$how: names of ELF" text '|| > main$'
done
has "large: it is said" text '^Module .*large: names incomplete \(they exceed --symbol-limit\)$'
plan
# SPDX-License-Identifier: MIT
