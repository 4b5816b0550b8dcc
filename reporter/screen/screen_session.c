/* SPDX-License-Identifier: MIT */
#include "screen_session.h"

#include <stdlib.h>
#include <time.h>

#include "reporter/base/clock.h"
#include "reporter/base/format_number.h"
#include "reporter/base/term.h"
#include "reporter/base/text.h"
#include "reporter/process/process.h"
#include "reporter/process/snapshot.h"
#include "terminal.h"

#define SECOND 1000000000.0
#define PATIENCE UINT64_C(1000000000)   /* maximum ns to wait for the process to set a checkpoint */

/* Returns when to take the next sample after one that lasted from BEGIN to END, ns. INTERVAL is in seconds. Samples
 * take at most a fifth of the time. */
static uint64_t
session_due(uint64_t begin, uint64_t end, double interval)
{
    const uint64_t due = begin + (uint64_t)(interval * SECOND), least = end + 4 * (end - begin);

    return due > least ? due : least;
}

/* Returns the options of a picture with the current state of LOOKS and CONTROLS. Writes texts to SETTINGS and SAYING,
 * to which the options refer. */
static struct mp_picture_options
session_picture(const struct mp_looks *looks, const struct mp_controls *controls,
                const struct mp_screen_lines *lines, char settings[static 64], char saying[static 256])
{
    return (struct mp_picture_options){
        .tally = looks->tally, .lines = lines, .how = &controls->how, .process = &looks->process,
        .settings = mp_controls_settings(controls, settings), .only = controls->only,
        .saying = mp_controls_saying(controls, saying), .ellipsis = mp_term_ellipsis()};
}

/* ---------------------------------------------------------------- the screen */

struct session {
    struct mp_looks *looks;
    struct mp_controls *controls;
    struct mp_screen_lines lines;
    uint64_t due;               /* time of the next sample, ns, CLOCK_MONOTONIC */
    unsigned long n, most;      /* number of samples taken, and its maximum; 0 means no limit */
};

static void
make_lines(struct session *s)
{
    mp_lines_free(&s->lines);
    s->lines = mp_lines_make(s->looks->tally, mp_controls_how(s->controls, s->looks->tally));
}

static void
draw(struct session *s)
{
    struct mp_controls *controls = s->controls;
    char settings[64], saying[256];
    struct mp_picture_options options;
    struct mp_picture *picture;

    mp_terminal_size(&controls->place.width, &controls->place.height);
    mp_controls_settle(controls, &s->lines);
    options = session_picture(s->looks, controls, &s->lines, settings, saying);
    picture = controls->help
                  ? mp_picture_text(mp_controls_help, options.saying,
                                    &(struct mp_picture_place){.width = controls->place.width,
                                                               .height = controls->place.height})
                  : mp_picture_draw(&options, &controls->place);
    mp_terminal_show(picture);
    mp_picture_free(picture);
}

/* ---------------------------------------------------------------- samples and keys */

static void
look(struct session *s)
{
    const struct mp_tally *tally = s->looks->tally;
    uint64_t begin = mp_now();

    mp_looks_again(s->looks);
    if (s->looks->tally != tally)
        mp_controls_forget(s->controls);
    if (s->looks->notice)
        snprintf(s->controls->saying, sizeof s->controls->saying, "%s", s->looks->notice);
    s->n++;
    make_lines(s);
    s->due = session_due(begin, mp_now(), s->controls->interval);
}

static void
write_snapshot(struct session *s)
{
    struct mp_controls *controls = s->controls;
    struct mp_snapshot snapshot = {0};
    struct mp_process process = {0};
    struct mp_error error = {0};
    char number[MP_NUMBER_SIZE];

    if (!s->looks->process.running)
        snprintf(controls->saying, sizeof controls->saying, "It has ended: all is in its data file");
    else if (mp_process_open(s->looks->pid, &process, &error) &&
             mp_snapshot(&process.file, NULL, &snapshot, &error))
        snprintf(controls->saying, sizeof controls->saying, "%s of data in %s",
                 mp_number_bytes(snapshot.size, number), mp_text_basename(snapshot.path));
    else
        snprintf(controls->saying, sizeof controls->saying, "%.*s",
                 (int)sizeof controls->saying - 1, error.text);
    free(snapshot.path);
    mp_process_close(&process);
}

/* Sets a checkpoint in the recording that is shown. Fails if the process has begun another recording since the last
 * sample. */
static bool
checkpoint(const struct mp_looks *looks, const char *name, struct mp_error *error)
{
    struct mp_process process;
    bool ok;

    if (!mp_process_open(looks->pid, &process, error))
        return false;
    ok = process.header->start_realtime == looks->start_realtime ||
         mp_fail(error, MP_ERR_PROGRAM, MP_NO_OFFSET, "No checkpoint was set: another recording has begun");
    ok = ok && mp_process_checkpoint(&process, name, PATIENCE, error);
    mp_process_close(&process);
    return ok;
}

static void
set_checkpoint(struct session *s)
{
    struct mp_controls *controls = s->controls;
    struct mp_error error = {0};
    const int most = (int)sizeof controls->saying - 1;

    if (!s->looks->process.running)
        snprintf(controls->saying, sizeof controls->saying, "No checkpoint was set: it has ended");
    else if (checkpoint(s->looks, controls->answer, &error))
        snprintf(controls->saying, sizeof controls->saying, "A checkpoint%s%s was set",
                 *controls->answer ? " " : "", controls->answer);
    else
        snprintf(controls->saying, sizeof controls->saying, "%.*s", most, error.text);
}

/* Returns the milliseconds until the next sample. */
static int
patience(const struct session *s)
{
    uint64_t now = mp_now();

    if (s->controls->paused)
        return 60000;
    return now >= s->due ? 0 : (int)((s->due - now) / 1000000) + 1;
}

/* Handles KEY. Returns false if the user quits. */
static bool
take_key(struct session *s, uint32_t key)
{
    switch (mp_controls_key(s->controls, s->looks->tally, &s->lines, key)) {
    case MP_DO_QUIT:
        return false;
    case MP_DO_LINES:
        make_lines(s);
        return true;
    case MP_DO_LOOK:
        look(s);
        return true;
    case MP_DO_SNAPSHOT:
        write_snapshot(s);
        return true;
    case MP_DO_CHECKPOINT:
        set_checkpoint(s);
        return true;
    default:
        return true;
    }
}

bool
mp_session(struct mp_looks *looks, struct mp_controls *controls, unsigned long n,
           struct mp_error *error)
{
    struct session s = {.looks = looks, .controls = controls, .n = 1, .most = n,
                        .due = mp_now() + (uint64_t)(controls->interval * SECOND)};
    uint32_t key;

    if (!mp_terminal_open(error))
        return false;
    make_lines(&s);
    for (;;) {
        draw(&s);
        key = mp_terminal_key(patience(&s));
        if (key != MP_KEY_NONE && key != MP_KEY_RESIZED && !take_key(&s, key))
            break;
        if (controls->paused || mp_now() < s.due)
            continue;
        if (s.most > 0 && s.n >= s.most)
            break;
        look(&s);
    }
    mp_terminal_close();
    mp_lines_free(&s.lines);
    return true;
}

/* ---------------------------------------------------------------- without a terminal */

static bool
print_look(const struct mp_looks *looks, const struct mp_controls *controls, uint32_t most, FILE *out)
{
    struct mp_screen_lines lines = mp_lines_make(looks->tally, &controls->how);
    char settings[64], saying[256];
    struct mp_picture_options options = session_picture(looks, controls, &lines, settings, saying);

    if (looks->notice)
        fprintf(out, "%s\n", looks->notice);
    mp_picture_print(&options, most, out);
    mp_lines_free(&lines);
    return fflush(out) == 0 && !ferror(out);
}

static void
wait_until(uint64_t due)
{
    const struct timespec when = {.tv_sec = (time_t)(due / 1000000000u),
                                  .tv_nsec = (long)(due % 1000000000u)};

    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &when, NULL) != 0)
        ;
}

bool
mp_batch(struct mp_looks *looks, struct mp_controls *controls, unsigned long n, uint32_t most,
         FILE *out)
{
    uint64_t begin = mp_now(), end = begin;

    for (unsigned long i = 1;; i++) {
        if (!print_look(looks, controls, most, out))
            return false;
        if (i == n || !looks->process.running)
            return true;
        wait_until(session_due(begin, end, controls->interval));
        fputc('\n', out);
        begin = mp_now();
        mp_looks_again(looks);
        end = mp_now();
    }
}
