/* SPDX-License-Identifier: MIT */
/*
 * unwind.h -- unwinds with libunwind. Used on machines without rules, to check the rules, and if the user asks for
 * it.
 *
 * libunwind exports backtrace() and _Unwind_*(). Linked into a preloaded object, it would replace libc's and
 * libgcc's functions in the profiled program. Therefore a constructor loads it into a scope of its own (dlopen,
 * RTLD_LOCAL). Before that, it is unavailable.
 *
 * It must not wait for other threads. Its cache of unwind information is off, because that has one lock for all
 * threads (libunwind can be built with a cache per thread, but Debian's is not). It also searches for the object of
 * an address with dl_iterate_phdr(), which takes the loader's lock. A signal handler that interrupted dlopen()
 * while it held that lock would deadlock. Therefore libunwind's import of that function, and its own pointer to it
 * (1.7 and later), are redirected to a function of ours that uses _dl_find_object().
 */
#ifndef MP_UNWIND_H
#define MP_UNWIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <ucontext.h>

/* mp_unwind_open() loads libunwind and returns false if that fails. It uses malloc, so only a constructor may call
 * it. mp_unwind_ready() returns whether libunwind is loaded. */
bool mp_unwind_open(void);
bool mp_unwind_ready(void);

/* Returns whether the code at ADDRESS is libunwind's or the loader's. Only these allocate while libunwind runs. */
bool mp_unwind_calls(uintptr_t address);

/* Lists the chain by walking it one step at a time, which is slow and reliable. Writes at most ROOM keys to KEYS,
 * innermost first, beginning with HOOK_FRAME's caller. Returns their number. Replaces each frame of a language's
 * interpreter by the function that it runs (code_table.h). Sets *CUT to whether the chain ends early, because libunwind
 * read memory that is not readable, or because its steps do not get ahead. */
size_t mp_unwind_list(const void *hook_frame, uint64_t *keys, size_t room, bool *cut);

/* Lists the chain like mp_unwind_list(), but with libunwind's cache of steps (unw_backtrace()) as long as the cache
 * is correct. The cache knows no interpreter, and is wrong after code was unloaded and replaced. The cache makes
 * chains affordable on machines without rules. With mp_unwind_list() instead, whole programs execute 13 to 20 times
 * the instructions (callgrind; tests/programs/trees, random_calls, deep, examples/widgets). On machines with rules,
 * it serves --unwinder=libunwind and is tested. */
size_t mp_unwind_list_fast(const void *hook_frame, uint64_t *keys, size_t room, bool *cut);

/* If libunwind caused the fault with CONTEXT while it runs for the monitor in this thread, changes CONTEXT so that the
 * thread leaves libunwind, and returns true. IP is the interrupted instruction. Called by the handler of SIGSEGV and
 * SIGBUS (stack_word.c). libunwind tests most addresses before it reads there, but not all. */
bool mp_unwind_recover(ucontext_t *context, uintptr_t ip);

/* Stops using libunwind's cache, because code was unloaded. Lock held. */
void mp_unwind_code_unloaded(void);

#endif
