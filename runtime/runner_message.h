/* SPDX-License-Identifier: MIT */
/*
 * runner_message.h -- messages of recorded processes to the mprof run that started the first of them.
 *
 * They go through a SOCK_SEQPACKET socket, which all processes of the run inherit. A message is a struct
 * mp_runner_message and a text without a NUL, perhaps with a descriptor (SCM_RIGHTS). The kernel adds the pid of the
 * sender. The sender may belong to another user and be hostile. In the other direction mprof run sends the paths of
 * spare files (reporter/run/spares.h).
 */
#ifndef MP_RUNNER_MESSAGE_H
#define MP_RUNNER_MESSAGE_H

#include <stdint.h>

#define MP_CODE_MOUNTS 5u       /* number of mounts whose files of code are handed over */

#ifndef STATX_MNT_ID
#define STATX_MNT_ID 0x1000u    /* Linux 5.8; without it, no file of code is handed over */
#endif

enum mp_runner_kind {
    MP_RUNNER_BEGUN = 1,        /* a recording began. Text: path of its file; descriptor: the file; value: 1 if it has
                                   no name, because the process could not create one */
    MP_RUNNER_NONE,             /* the process is not recorded. Text: its program; value: error number, or 0 if it is
                                   not to be recorded */
    MP_RUNNER_STARTS,           /* the process executes a program, or has started process `pid`, which does. Text: path
                                   of the program; descriptor: its file, if it can be read; value: enum mp_reach */
    MP_RUNNER_NOT_STARTED,      /* the program announced by MP_RUNNER_STARTS was not executed */
    MP_RUNNER_CODE,             /* descriptor: a file of code, opened with O_PATH (handed.h) */
    MP_RUNNER_SPARE             /* from mprof run, for whoever receives it first: a file that may be renamed to become
                                   a data file. Text: its path; value and pid: low and high half of its inode number */
};

/* Whether a process that is started can be recorded, as far as the starting process knows. */
enum mp_reach {
    MP_REACH_YES,
    MP_REACH_OTHER_RUN,         /* another mprof run, which is this process, records it */
    MP_REACH_SANITIZER,         /* a sanitizer must be preloaded first */
    MP_REACH_NO_LIBRARY,        /* the library cannot be read there */
    MP_REACH_NO_FILE,           /* its data file cannot be created */
    MP_REACH_UNFIT,             /* the program cannot be preloaded */
    MP_REACH_END
};

struct mp_runner_message {
    uint32_t kind;              /* enum mp_runner_kind */
    uint32_t value;
    uint32_t pid;               /* process that was started, as the sender numbers it; 0 means the sender */
    uint32_t sender;            /* pid of the sender, as it numbers itself */
    uint32_t started;           /* 1 if another recorded process executed the program of this one */
};

#endif
