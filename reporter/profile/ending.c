/* SPDX-License-Identifier: MIT */
#include "ending.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *
signal_text(int number, char *out, size_t size)
{
    const char *name = sigabbrev_np(number), *text = sigdescr_np(number);

    if (name && text)
        snprintf(out, size, "killed by SIG%s (%s)", name, text);
    else
        snprintf(out, size, "killed by signal %d", number);
    return out;
}

static const char *
exit_text(int32_t status, char *out, size_t size)
{
    if (status < 0)
        snprintf(out, size, "exited, status not known");
    else
        snprintf(out, size, "exit status %" PRId32, status);
    return out;
}

static const char *
full_text(uint32_t number, char *out, size_t size)
{
    const char *text = number > 0 && number < 4096 ? strerrordesc_np((int)number) : NULL;

    /* The meaning of these codes when the monitor stops recording. EPERM and EINTR occur only in a process
     * with a seccomp filter, see runtime/system/sandbox.h. */
    if (number == EPERM)
        text = "its seccomp filter allows no more space than was reserved";
    else if (number == EINTR)
        text = "behind its seccomp filter a signal handler jumped out of the monitor";
    else if (number == EOVERFLOW)
        text = "all numbers for records are used";
    else if (number == ENODATA)
        text = "its data file was truncated or overwritten";
    else if (number == EFAULT)
        text = "the program made memory of mprof inaccessible";
    else if (number == ESTALE)
        text = "its data file was removed or replaced";
    else if (number == EPIPE)
        text = "mprof run, which had its data, ended first";
    else if (number == EEXIST)
        text = "the program has memory where the recording was to grow";
    snprintf(out, size, "recording stopped early: %s", text ? text : "no more space");
    return out;
}

const char *
mp_ending_text(const struct mp_meta *meta, char out[static MP_ENDING_SIZE])
{
    const char *text = "not known";

    switch (meta->ending) {
    case MP_END_RUNNING:
        text = "still running";
        break;
    case MP_END_EXITED:
        return exit_text(meta->status, out, MP_ENDING_SIZE);
    case MP_END_SIGNAL:
        return signal_text(meta->status, out, MP_ENDING_SIZE);
    case MP_END_KILLED:
        text = "killed, or crashed";
        break;
    case MP_END_EXEC:
        text = "replaced itself by another program (exec)";
        break;
    case MP_END_STOPPED:
        text = "recording was stopped";
        break;
    case MP_END_FULL:
        return full_text(meta->stop_errno, out, MP_ENDING_SIZE);
    case MP_END_SNAPSHOT:
        text = "still running when this snapshot was made";
        break;
    }
    snprintf(out, MP_ENDING_SIZE, "%s", text);
    return out;
}

void
mp_ending_complete(struct mp_meta *meta, const struct mp_meta *seen)
{
    bool to_the_end = meta->ending == MP_END_RUNNING || meta->ending == MP_END_EXITED ||
                      meta->ending == MP_END_KILLED || meta->ending == seen->ending;

    if (to_the_end) {
        meta->ending = seen->ending;
        meta->status = seen->status;
        meta->duration = seen->duration;
    }
}

void
mp_ending_copied(struct mp_meta *meta)
{
    if (meta->ending == MP_END_RUNNING)
        meta->ending = MP_END_SNAPSHOT;
}
