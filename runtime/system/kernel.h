/* kernel.h -- a system call without libc, whether the process is shut off (sandbox.h) or not. */
#ifndef MP_KERNEL_H
#define MP_KERNEL_H

/* The kernel's value: negative is -errno.  errno is untouched, and it is no cancellation point. */
long mp_kernel_call(long number, long a, long b, long c, long d, long e, long f);

#endif
