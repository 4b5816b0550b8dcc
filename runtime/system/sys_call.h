/* SPDX-License-Identifier: MIT */
/*
 * sys_call.h -- makes a system call of the monitor; for sys*.c only.
 */
#ifndef MP_SYS_CALL_H
#define MP_SYS_CALL_H

/* Returns the kernel's value, or -EPERM in a sandboxed process (sandbox.h). */
long mp_sys_call(long number, long a, long b, long c, long d, long e, long f);

#define CALL0(n)             mp_sys_call(n, 0, 0, 0, 0, 0, 0)
#define CALL1(n, a)          mp_sys_call(n, (long)(a), 0, 0, 0, 0, 0)
#define CALL2(n, a, b)       mp_sys_call(n, (long)(a), (long)(b), 0, 0, 0, 0)
#define CALL3(n, a, b, c)    mp_sys_call(n, (long)(a), (long)(b), (long)(c), 0, 0, 0)
#define CALL4(n, a, b, c, d) mp_sys_call(n, (long)(a), (long)(b), (long)(c), (long)(d), 0, 0)

#endif
