/*
 * queue.h -- profiles that wait to be sent. They are files in a folder, so nothing is lost if the receiver or this
 * process ends.
 *
 * Each receiver has a folder of its own. Several processes may use the same folder at once, to add, send and remove
 * profiles. While a process sends a profile, it holds a lock on the file, so that no other process sends it, too. A
 * profile is added in two steps. First its file is written under a hidden name. Then the file is renamed to a visible
 * name. The second step may be repeated (see push_progress.h). Later profiles have greater names, so the oldest profile
 * is the first in alphabetical order.
 */
#ifndef MP_PUSH_QUEUE_H
#define MP_PUSH_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "reporter/base/error.h"

#define MP_QUEUE_NAME 64u       /* maximum size of a profile's name with its NUL, bytes */

struct mp_queue {
    char *folder;
    int fd;
    uint64_t most;              /* maximum size of all its profiles, bytes */
    uint64_t given_up;          /* number of profiles that this process discarded because the queue was full or they
                                   were damaged */
};

/* A profile taken from the queue for sending. */
struct mp_letter {
    char name[MP_QUEUE_NAME];
    int fd;                     /* its file, locked */
    char *bytes;                /* content of the file; the following pointers refer to it */
    const char *url, *type;
    const void *body;
    size_t size;
};

/* Opens the folder of RECEIVER, a text of any length, below BASE. If BASE is NULL, it is below XDG_STATE_HOME or
 * ~/.local/state. Creates it for this user only if it does not exist. MOST is the maximum size, bytes. On failure
 * returns false and fills *ERROR. */
bool mp_queue_open(struct mp_queue *queue, const char *base, const char *receiver, uint64_t most,
                   struct mp_error *error);
void mp_queue_close(struct mp_queue *queue);

/* Writes BODY for URL to a hidden file, so that it is not sent yet, and stores its name in NAME. Returns false and
 * fills *ERROR if it cannot be written or is larger than the whole queue. */
bool mp_queue_write(struct mp_queue *queue, const char *url, const char *type, const void *body, size_t size,
                    char name[MP_QUEUE_NAME], struct mp_error *error);

/* Shows the hidden profile NAME, so that it will be sent. Does nothing if it was shown before. Discards the oldest
 * profiles if the queue is too large. */
void mp_queue_show(struct mp_queue *queue, const char *name);

/* Removes the hidden profile NAME. */
void mp_queue_forget(struct mp_queue *queue, const char *name);

/* Takes the oldest profile that no other process is sending and whose name is after AFTER. If there is none after
 * AFTER, takes the oldest of all. AFTER may be "". Returns false if there is nothing to take. */
bool mp_queue_take(struct mp_queue *queue, const char *after, struct mp_letter *letter);

/* Releases LETTER. If REMOVE, removes it from the queue, too. */
void mp_queue_done(struct mp_queue *queue, struct mp_letter *letter, bool remove);

/* Removes hidden profiles that are older than an hour and whose writers have ended. */
void mp_queue_clean(struct mp_queue *queue);

/* Returns the number of shown profiles, including profiles that are being sent. */
size_t mp_queue_length(const struct mp_queue *queue);

#endif
