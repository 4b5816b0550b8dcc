#include "push.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "push_progress.h"
#include "queue.h"
#include "reporter/base/arena.h"
#include "reporter/base/clock.h"
#include "reporter/base/progress.h"
#include "reporter/base/text.h"
#include "reporter/export/export.h"
#include "reporter/load/load.h"
#include "reporter/profile/filter.h"
#include "reporter/read/live_writer.h"
#include "send.h"

/* ---------------------------------------------------------------- from a recording to a profile in the queue */

/* Stores the end and the length of the profile's interval in META. Does nothing for a whole recording if the receiver
 * does not read them there. */
static void
stamp(const struct mp_push_form *form, struct mp_meta *meta, bool part, uint64_t from, uint64_t until)
{
    const uint64_t start = meta->start_realtime;

    if (!part && !form->stamped)
        return;
    meta->start_realtime = start + until;
    meta->duration = !part && form->instant ? 0 : until - from;
}

static bool
write_wrapped(const struct mp_push_what *what, struct mp_queue *queue, const struct mp_meta *meta,
              const struct mp_push_profile *profile, char name[MP_QUEUE_NAME], struct mp_error *error)
{
    char *called = mp_push_name_of(mp_text_basename(meta->program));
    const struct mp_push_about about = {what->name ? what->name : called, what->labels, what->n_labels};
    struct mp_buffer url = {0}, body = {0};
    bool ok;

    mp_push_wrap(what->form, what->url, &about, profile, &url, &body);
    ok = mp_queue_write(queue, (const char *)url.bytes, what->form->type, body.bytes, body.size, name, error);
    mp_buffer_free(&url);
    mp_buffer_free(&body);
    free(called);
    return ok;
}

/* Writes PART of WHOLE as a hidden profile to QUEUE and stores its name in NAME. It covers the time from FROM until
 * UNTIL, ns since recording began. PART is NULL to write all of WHOLE. On failure returns false and fills *ERROR. */
static bool
write_part(const struct mp_push_what *what, struct mp_queue *queue, const struct mp_profile *whole,
           const struct mp_profile *part, uint64_t from, uint64_t until, char name[MP_QUEUE_NAME],
           struct mp_error *error)
{
    struct mp_profile *view = mp_filtered_view(part ? part : whole, &what->view, NULL, NULL, error);
    struct mp_export export = {.profile = whole, .view = view, .all_frames = what->view.all_frames};
    struct mp_push_profile profile = {.from = whole->meta.start_realtime + from,
                                      .until = whole->meta.start_realtime + until};
    char *bytes;
    bool ok;

    if (!view)
        return false;
    stamp(what->form, &view->meta, part != NULL, from, until);
    ok = mp_export_bytes(mp_export_named("pprof"), &export, &bytes, &profile.size, error);
    if (ok) {
        profile.bytes = bytes;
        ok = write_wrapped(what, queue, &whole->meta, &profile, name, error);
        free(bytes);
    }
    mp_profile_free(view);
    return ok;
}

/* Does what write_part() does, with the whole data file PATH. */
static bool
write_file(const struct mp_push_what *what, struct mp_queue *queue, const char *path, char name[MP_QUEUE_NAME],
           struct mp_error *error)
{
    struct mp_profile *whole = mp_load(path, what->executable, error);
    bool ok = whole && write_part(what, queue, whole, NULL, 0, whole->meta.duration, name, error);

    mp_profile_free(whole);
    return ok;
}

#define SECOND UINT64_C(1000000000)
#define TICK   UINT64_C(200000000)      /* maximum ns until the next check whether anything has ended */

struct push {
    const struct mp_push_options *options;
    struct mp_queue queue;
    struct mp_sender sender;
    bool stopped;               /* the receiver will take nothing; *ERROR has the reason */
    bool lost;                  /* something could not be added to the queue; a message was printed */
};

/* A recording that is sent repeatedly. */
struct recording {
    struct mp_process process;
    struct mp_progress progress;
    char path[MP_PROCESS_PATH]; /* path of its file */
    int ended;                  /* readable when the process has ended; -1 if unavailable */
};

static bool
is_interrupted(const struct push *push)
{
    return *push->options->http.until != 0;
}

/* Waits until TIME, for at most TICK. A signal or the end of the process ends the wait. */
static void
wait_until(uint64_t time, int ended)
{
    struct pollfd process = {.fd = ended, .events = POLLIN};
    const uint64_t here = mp_now(), wait = time <= here ? 0 : time - here < TICK ? time - here : TICK;

    poll(&process, 1, (int)((wait + 999999) / 1000000));
}

/* ---------------------------------------------------------------- sending */

/* Sends profiles of the queue until one is not taken, the queue is empty, or it is TIME for something else. Fills
 * *ERROR if it returns MP_SENDING_STOP. */
static enum mp_sending
send_waiting(struct push *push, uint64_t time, struct mp_error *error)
{
    enum mp_sending sending = MP_SENDING_ONE;

    if (push->sender.failures > 0 && mp_now() < push->sender.next)
        return MP_SENDING_LATER;
    while (sending == MP_SENDING_ONE && mp_now() < time)
        sending = mp_send_one(&push->sender, error);
    push->stopped |= sending == MP_SENDING_STOP;
    return sending;
}

/* Sends the rest of the queue at the end, for at most `patience` seconds. After an interruption, stops at the first
 * profile that is not taken. */
static void
send_rest(struct push *push, struct mp_error *error)
{
    const uint64_t until = mp_now() + push->options->patience * SECOND;

    push->sender.next = 0;
    while (!push->stopped) {
        enum mp_sending sending = send_waiting(push, UINT64_MAX, error);

        if (sending != MP_SENDING_LATER || is_interrupted(push) || push->sender.next > until)
            return;
        while (mp_now() < push->sender.next && !is_interrupted(push))
            wait_until(push->sender.next, -1);
    }
}

/* ---------------------------------------------------------------- a sample */

/* Returns whether ERROR only means that there is nothing to send yet. */
static bool
is_nothing(const struct mp_error *error)
{
    return error->code == MP_ERR_EMPTY || error->code == MP_ERR_NOTHING || error->code == MP_ERR_FUNCTION;
}

static bool
put_part(struct push *push, struct recording *recording, bool last, struct mp_error *error)
{
    const struct mp_push_options *options = push->options;
    struct mp_since look = {0}, *since = &recording->progress.since;
    struct mp_profile *whole, *part;
    char name[MP_QUEUE_NAME];
    bool ok;

    if (!last && !mp_since_look(&look, recording->process.file.fd, error))
        return false;
    part = mp_since_profile(since, last ? NULL : &look, recording->path, options->what.executable, &whole, error);
    if (!part) {
        mp_since_free(&look);
        return false;
    }
    ok = part->n_cells == 0 ||
         write_part(&options->what, &push->queue, whole, part, since->end,
                       last && whole->meta.duration > since->end ? whole->meta.duration : last ? since->end : look.end,
                       name, error);
    if (!ok || part->n_cells == 0)
        mp_since_free(&look);
    else
        ok = mp_progress_put(&recording->progress, &push->queue, &look, name, error);
    mp_profile_free(part);
    mp_profile_free(whole);
    return ok;
}

static bool
put_whole(struct push *push, const char *path, struct mp_error *error)
{
    char name[MP_QUEUE_NAME];

    if (!write_file(&push->options->what, &push->queue, path, name, error))
        return false;
    mp_queue_show(&push->queue, name);
    return true;
}

/* Samples the recording and adds the result to the queue. If that fails, the next sample includes it. After the LAST
 * one it is lost. */
static void
look(struct push *push, struct recording *recording, bool last)
{
    struct mp_error error = {0};
    bool ok = push->options->since ? put_part(push, recording, last, &error)
                                   : put_whole(push, recording->path, &error);

    if (ok || is_nothing(&error) || (!last && !mp_process_records(&recording->process)))
        return;                 /* if the recording has just ended, its last sample follows */
    push->lost |= last;
    mp_error_print(&error);
}

/* ---------------------------------------------------------------- repeatedly */

/* Samples and sends until the recording ends, somebody interrupts, or the receiver will take nothing. */
static void
follow(struct push *push, struct recording *recording, struct mp_error *error)
{
    const uint64_t every = push->options->every * SECOND;
    uint64_t next = mp_now();
    bool last;

    for (;;) {
        const bool interrupted = is_interrupted(push);
        const uint64_t time = mp_now();

        last = !mp_process_records(&recording->process);
        if (last || interrupted || time >= next) {
            look(push, recording, last);
            next += (time >= next ? (time - next) / every + 1 : 1) * every;
        }
        if (last || interrupted || send_waiting(push, next, error) == MP_SENDING_STOP)
            break;
        wait_until(push->sender.failures > 0 && push->sender.next < next ? push->sender.next : next, recording->ended);
    }
    mp_progress_close(&recording->progress, &push->queue, last && !push->lost);
}

/* Opens the process's recording, unless it is the one that began at SENT, ns, CLOCK_MONOTONIC; 0 accepts any. */
static bool
open_recording(struct push *push, struct recording *recording, uint64_t sent, struct mp_error *error)
{
    if (!mp_process_open(push->options->pid, &recording->process, error))
        return false;
    mp_process_path(&recording->process, recording->path);
    if ((sent == 0 || recording->process.header->start_monotonic != sent) &&
        mp_progress_open(&recording->progress, &push->queue, &recording->process, error))
        return true;
    mp_process_close(&recording->process);
    return false;
}

/* Sends all recordings of the process, one after the other. A process that executes another program or starts
 * recording again has several. */
static bool
push_process(struct push *push, struct mp_error *error)
{
    const uint32_t pid = push->options->pid;
    struct recording recording = {.ended = (int)syscall(SYS_pidfd_open, (pid_t)pid, 0)};
    struct mp_error none;
    const uint64_t ticks = mp_process_start_ticks(pid);
    uint64_t sent = 0;
    bool ok = open_recording(push, &recording, sent, error);

    if (ok && !mp_quiet())
        fprintf(stderr, "mprof: sending process %" PRIu32 " to %s every %u s until it ends; Ctrl-C ends the sending\n",
                pid, push->options->what.url, push->options->every);
    while (recording.process.header) {
        sent = recording.process.header->start_monotonic;
        follow(push, &recording, error);
        mp_process_close(&recording.process);
        while (!push->stopped && !is_interrupted(push) && mp_process_start_ticks(pid) == ticks && ticks != 0 &&
               !open_recording(push, &recording, sent, &none)) {
            send_waiting(push, UINT64_MAX, error);
            wait_until(UINT64_MAX, recording.ended);
        }
    }
    if (recording.ended >= 0)
        close(recording.ended);
    return ok;
}

/* ---------------------------------------------------------------- once */

static bool
push_running_once(struct push *push, struct mp_error *error)
{
    struct mp_process process;
    char path[MP_PROCESS_PATH];
    bool ok;

    if (!mp_process_open(push->options->pid, &process, error))
        return false;
    ok = put_whole(push, mp_process_path(&process, path), error);
    mp_process_close(&process);
    return ok;
}

/* Sends all files, or none if one cannot be read. */
static bool
push_files(struct push *push, struct mp_error *error)
{
    const unsigned n = push->options->n_files;
    char (*names)[MP_QUEUE_NAME] = mp_need(calloc(n + 1, sizeof *names));
    unsigned done = 0;

    while (done < n && write_file(&push->options->what, &push->queue, push->options->files[done], names[done],
                                          error))
        done++;
    for (unsigned i = 0; i < done; i++)
        if (done == n)
            mp_queue_show(&push->queue, names[i]);
        else
            mp_queue_forget(&push->queue, names[i]);
    free(names);
    return done == n;
}

/* ---------------------------------------------------------------- main part */

static bool
print_result(const struct push *push)
{
    const struct mp_sender *sender = &push->sender;
    const size_t waiting = push->stopped || sender->failures > 0 ? mp_queue_length(&push->queue) : 0;
    const bool ok = sender->refused == 0 && push->queue.given_up == 0 && waiting == 0 && !push->lost;

    if (ok && mp_quiet())
        return true;
    printf("mprof: %" PRIu64 " profile%s sent to %s", sender->sent, sender->sent == 1 ? "" : "s", sender->receiver);
    if (sender->refused > 0)
        printf("; %" PRIu64 " refused", sender->refused);
    if (push->queue.given_up > 0)
        printf("; %" PRIu64 " given up for want of room", push->queue.given_up);
    if (waiting > 0) {
        printf("; %zu wait%s in ", waiting, waiting == 1 ? "s" : "");
        mp_text_print(stdout, push->queue.folder);
        fputs(", for the next mprof push there", stdout);
    }
    putchar('\n');
    return ok;
}

static bool
run(struct push *push, struct mp_error *error)
{
    const struct mp_push_options *options = push->options;
    bool ok = true;

    mp_progress_recover(&push->queue);
    if (options->pid != 0)
        ok = options->every > 0 ? push_process(push, error) : push_running_once(push, error);
    else
        ok = push_files(push, error);
    if (!ok)
        return false;
    if (is_interrupted(push)) { /* another signal ends this process; the queue is kept */
        signal(SIGINT, SIG_DFL);
        signal(SIGTERM, SIG_DFL);
        signal(SIGHUP, SIG_DFL);
    }
    send_rest(push, error);
    return print_result(push) && !push->stopped;
}

bool
mp_push(const struct mp_push_options *options, struct mp_error *error)
{
    struct push push = {.options = options};
    char *receiver;
    bool ok;

    signal(SIGPIPE, SIG_IGN);
    if (asprintf(&receiver, "%s %s\n", options->what.form->name, options->what.url) < 0)
        mp_no_memory();
    push.sender = (struct mp_sender){.queue = &push.queue, .receiver = options->what.url};
    push.sender.http = mp_http_open(&options->http, error);
    ok = push.sender.http && mp_queue_open(&push.queue, options->spool, receiver, options->most, error);
    if (ok) {
        ok = run(&push, error);
        mp_queue_close(&push.queue);
    }
    mp_http_close(push.sender.http);
    free(receiver);
    return ok;
}
