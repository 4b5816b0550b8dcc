/* SPDX-License-Identifier: MIT */
/*
 * runner.h -- sends messages to the mprof run that started the program, about events that mprof run cannot see from
 * outside.
 *
 * MPROF_RUNNER has the number of a descriptor that mprof run left open, and the inode of its socket. The program may
 * close the descriptor or reuse its number, so each use compares the inode. No function waits, and none works behind a
 * seccomp filter.
 */
#ifndef MP_RUNNER_H
#define MP_RUNNER_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/runner_message.h"

/* Keeps the socket from started programs unless they are to be profiled. */
void mp_runner_open(void);

/* Returns the number of the socket's descriptor, or -1 if there is none. mp_runner_is_open() returns whether it is
 * still the socket. mp_runner_listens() returns whether mprof run is still at the other end, too. */
int mp_runner_descriptor(void);
bool mp_runner_is_open(void);
bool mp_runner_listens(void);

/* Lets a program that is executed next inherit the socket, even if the present program has set close-on-exec. */
void mp_runner_pass_on(void);

/* Sends a message with TEXT, and with descriptor FD unless it is negative. Returns whether it was sent. */
bool mp_runner_tell(enum mp_runner_kind kind, uint32_t value, uint32_t pid, const char *text, int fd);

/* Receives the path of a spare file (reporter/run/spares.h) in PATH, which has MP_PATH_SIZE bytes, and the inode number
 * of the file. Returns false if there is no spare file. */
bool mp_runner_spare(char *path, uint64_t *inode);

#endif
