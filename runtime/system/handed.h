/* SPDX-License-Identifier: MIT */
/*
 * handed.h -- hands the files of the program's code over to mprof run.
 *
 * A file of code may be removed or replaced as soon as it is mapped, but the reporter reads names from it only after
 * the end of the process. So the monitor sends mprof run a descriptor of the file (runner.h). The monitor opens the
 * descriptor with O_PATH, so no device is opened and no permission to read the file is needed, and closes it at once,
 * under the gate's lock. A file on another mount than those that mprof run names is not handed over, because the
 * program may want to unmount it.
 */
#ifndef MP_HANDED_H
#define MP_HANDED_H

#include <stdbool.h>
#include <stdint.h>

/* What identifies the content of a file. */
struct mp_code_file {
    uint64_t inode, size;
    uint64_t mtime;             /* time of the last modification, ns */
};

/* Writes to *FILE what identifies the regular file PATH. Hands the file over, unless it is one of the last ones that
 * were handed over, or mprof run does not record this program. Returns 0 or -errno. Lock held. */
long mp_hand_over(const char *path, struct mp_code_file *file);

/* Finds the file with the inode number INODE among the last ones that were handed over. Returns false if it is not one
 * of them. Lock held. */
bool mp_handed_over(uint64_t inode, struct mp_code_file *file);

/* Returns whether A and B may be inode numbers of one file, one from stat(2) and the other from /proc/self/maps. With
 * overlayfs, the number from stat(2) has the number of the layer in its highest 16 bits, which are not compared. */
bool mp_same_inode(uint64_t a, uint64_t b);

#endif
