#!/bin/sh
# mprof run as root, of a process that becomes another user's: whatever that process writes into its recording, root
# touches no other file.
. "${srcdir:-.}/tests/e2e/lib.sh"

if [ "$(id -u)" -ne 0 ] || ! id nobody >/dev/null 2>&1; then
    skip_all "root runs a process that becomes another user's" "not root, or there is no user nobody"
fi
group=$(id -gn nobody)
chmod 711 "$tmp"
mkdir theirs ours
chmod 777 theirs
chmod 700 ours
cp "$programs/hostile_header" "$library" .      # the build tree may be shut to others
drop="setpriv --reuid=nobody --regid=$group --clear-groups"

# The other user claims that the recording continues in a recording of the same run that belongs to root.
cat >inside <<END
cp theirs/run.data ours/victim.data
cksum <ours/victim.data >ours/sum
exec $drop ./hostile_header - follows "$tmp/ours/victim.data"
END
run env MPROF_LIBRARY="$tmp/libmprof.so" "$mprof" run -q -f -o theirs/run.data sh inside
is "the process names a recording of root's: status" "$status" 0
is "... which was there" "$(head -c 8 ours/victim.data)" MPROFLIV
is "... it is as it was" "$(cksum <ours/victim.data)" "$(cat ours/sum)"
for file in theirs/*; do
    is "... ${file#theirs/} of the run is sealed" "$(head -c 8 "$file")" MPROFDAT
done

plan
# SPDX-License-Identifier: MIT
