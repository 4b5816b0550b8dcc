#!/bin/sh
# cpu_time.sh -- runs a test, and ends its log with the processor time that it and what it waited for took.
#
#     tests/cpu_time.sh COMMAND...               as a LOG_COMPILER; the status is the command's
#     tests/cpu_time.sh --list [DIRECTORY]       the tests by that time in seconds, from their logs (make check-times)
#
# It is user and system time.  Unlike the time that passed, it hardly depends on the load of the machine.
if [ "$1" = --list ]; then
    cd "${2:-.}" || exit 1
    find tests -name '*.log' -exec grep -H '^# processor time: ' {} + |
        sed 's/^\(.*\)\.log:# processor time: \(.*\) s$/\2 \1/' | sort -rn |
        awk '{ sum += $1; printf "%8.1f  %s\n", $1, $2 } END { printf "%8.1f  %d tests\n", sum, NR }'
    exit
fi
"$@"
status=$?
# Fields 16 and 17 are those of the children; `times` in a pipe would be the pipe's.
if read -r stat </proc/$$/stat; then
    # shellcheck disable=SC2086
    set -- ${stat##*) }
    awk -v ticks=$((${14} + ${15})) -v second="$(getconf CLK_TCK)" \
        'BEGIN { printf "# processor time: %.1f s\n", ticks / second }'
fi
exit $status
