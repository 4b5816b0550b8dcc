/*
 * queue.h -- profiles that wait to be sent: files in a folder, so that nothing is lost when whoever receives them,
 * or this process, ends.
 *
 * A folder is that of one receiver; any number of processes may put profiles into it and take them out.  Who sends
 * one has its file locked, so nobody else does meanwhile.  A profile is put there in two steps: its file is written
 * under a hidden name, and then shown, by a rename, which can be done again (see progress.h).  Names ascend by time,
 * so the oldest comes first.
 */
#ifndef MP_PUSH_QUEUE_H
#define MP_PUSH_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "reporter/base/error.h"

#define MP_QUEUE_NAME 64u       /* bytes of a profile's name, with its NUL */

struct mp_queue {
    char *folder;
    int fd;
    uint64_t most;              /* bytes that its profiles may take together */
    uint64_t given_up;          /* profiles that were removed for want of room, by this process */
};

/* What is sent, as it will be. */
struct mp_letter {
    char name[MP_QUEUE_NAME];
    int fd;                     /* locked */
    char *bytes;                /* of the file; the rest points into it */
    const char *url, *type;
    const void *body;
    size_t size;
};

/* The folder of RECEIVER, a text of any length, below BASE; NULL: below XDG_STATE_HOME or ~/.local/state.  It is made
 * if it is not there, for this user only.  False and *ERROR. */
bool mp_queue_open(struct mp_queue *queue, const char *base, const char *receiver, uint64_t most,
                   struct mp_error *error);
void mp_queue_close(struct mp_queue *queue);

/* Write BODY for URL, which nobody sends yet; *NAME is what it is called.  False and *ERROR: it could not be written,
 * or is larger than all may be. */
bool mp_queue_write(struct mp_queue *queue, const char *url, const char *type, const void *body, size_t size,
                    char name[MP_QUEUE_NAME], struct mp_error *error);

/* Let NAME, which was written, wait to be sent, unless it does already; if there is no room, the oldest go. */
void mp_queue_show(struct mp_queue *queue, const char *name);

/* NAME, which was written and not shown, will not be sent. */
void mp_queue_forget(struct mp_queue *queue, const char *name);

/* The oldest that nobody else is sending and that came after the one called AFTER, or else the oldest of all; AFTER may
 * be "".  False: there is none. */
bool mp_queue_take(struct mp_queue *queue, const char *after, struct mp_letter *letter);

/* LETTER is done with; REMOVE: for good. */
void mp_queue_done(struct mp_queue *queue, struct mp_letter *letter, bool remove);

/* Remove what was written and not shown by processes that have ended, an hour ago and longer. */
void mp_queue_clean(struct mp_queue *queue);

/* How many wait, those that are being sent included. */
size_t mp_queue_length(const struct mp_queue *queue);

#endif
