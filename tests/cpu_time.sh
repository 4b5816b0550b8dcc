#!/bin/sh
# cpu_time.sh -- runs a test and appends the processor time of the test and of its children to its log.
#
#     tests/cpu_time.sh COMMAND...               as a LOG_COMPILER; the status is that of COMMAND
#     tests/cpu_time.sh --list                   lists the tests by that time in seconds (make check-times)
#     tests/cpu_time.sh --slowest LOG...         lists the slowest ten of these tests
#
# TESTS_END      time in seconds since 1970, after which no test is started: it is skipped, and its log has the reason
#
# Processor time is user and system time. Unlike elapsed time, it hardly depends on the load of the machine.
by_time()
{
    xargs grep -aH '^# processor time: ' | sed 's/^\(.*\)\.log:# processor time: \(.*\) s$/\2 \1/' | sort -rn
}

case $1 in
--list)
    find tests -name '*.log' | by_time | awk '{ sum += $1; printf "%8.1f  %s\n", $1, $2 } END { printf "%8.1f  %d tests\n", sum, NR }'
    exit ;;
--slowest)
    shift
    echo "# the slowest tests, in seconds of processor time:"
    printf '%s\n' "$@" | by_time | head -n 10 | awk '{ printf "# %8.1f  %s\n", $1, $2 }'
    exit ;;
esac
if [ "$(date +%s)" -ge "${TESTS_END:-9999999999}" ]; then
    echo "1..0 # SKIP the time for tests is over"
    exit 0
fi
"$@"
status=$?
# Fields 16 and 17 are those of the children. `times` in a pipe would print those of the pipe.
if read -r stat </proc/$$/stat; then
    # shellcheck disable=SC2086
    set -- ${stat##*) }
    awk -v ticks=$((${14} + ${15})) -v second="$(getconf CLK_TCK)" \
        'BEGIN { printf "# processor time: %.1f s\n", ticks / second }'
fi
exit $status
# SPDX-License-Identifier: MIT
