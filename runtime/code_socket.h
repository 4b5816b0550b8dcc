/*
 * code_socket.h -- the socket through which programs hand the files of their code over to mprof run.
 *
 * It is a datagram socket with an abstract name, which any process in the same network namespace can reach, whatever
 * its user, root directory and mounts are. Any user can read the name, so it contains only half of the run's id. A
 * message is the other half, which nobody else knows, with one descriptor, opened with O_PATH.
 */
#ifndef MP_CODE_SOCKET_H
#define MP_CODE_SOCKET_H

#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "compiler.h"

#define MP_CODE_MOUNTS 5u       /* number of mounts whose files are handed over */

#ifndef STATX_MNT_ID
#define STATX_MNT_ID 0x1000u    /* Linux 5.8; without it, no file is handed over */
#endif

/* Sets *ADDRESS to the address of the socket of the run RUN_ID. Returns its size. */
MP_INLINE socklen_t
mp_code_socket(const uint64_t run_id[2], struct sockaddr_un *address)
{
    static const char name[] = "mprof-code-";
    char *at = address->sun_path;

    address->sun_family = AF_UNIX;
    *at++ = '\0';
    memcpy(at, name, sizeof name - 1);
    at += sizeof name - 1;
    for (unsigned i = 0; i < 16; i++)
        *at++ = "0123456789abcdef"[run_id[0] >> 4 * i & 15];
    return (socklen_t)(at - (char *)address);
}

#endif
