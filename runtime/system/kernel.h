/* SPDX-License-Identifier: MIT */
/* kernel.h -- makes a system call without libc, even in a sandboxed process (sandbox.h). */
#ifndef MP_KERNEL_H
#define MP_KERNEL_H

/* Makes the system call NUMBER and returns the kernel's result, which is -errno if it is negative. Does not
 * change errno, and is not a cancellation point. */
long mp_kernel_call(long number, long a, long b, long c, long d, long e, long f);

#endif
