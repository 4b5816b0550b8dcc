/*
 * unwind.h -- libunwind: where it is asked for, as the measure of the rules, and on machines
 * without them.
 *
 * libunwind exports backtrace() and _Unwind_*(): linked into a preloaded object it would replace
 * libc's and libgcc's in the profiled program.  So it is loaded into a scope of its own (dlopen,
 * RTLD_LOCAL), by a constructor, and is simply not there before.
 *
 * It must wait for nobody.  Its cache of unwind information is off: that has one lock for all
 * threads (a cache for each is a way to build libunwind; Debian's is built without).  And it looks
 * for the object of an address with dl_iterate_phdr(), which takes the loader's lock; a signal
 * handler that interrupted dlopen() just when it took that would wait for itself.  So libunwind's
 * import of that function, and its own pointer to it (1.7 and later), lead to one of ours, which asks
 * _dl_find_object().
 */
#ifndef MP_UNWIND_H
#define MP_UNWIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Load it; false if it is not there.  Only from a constructor: it uses malloc. */
bool mp_unwind_open(void);
bool mp_unwind_ready(void);

/* Is the code at ADDRESS libunwind's, or the loader's?  Only these allocate while libunwind
 * works. */
bool mp_unwind_calls(uintptr_t address);

/* The whole chain, innermost first, from the caller of HOOK_FRAME on, one step at a time: slow
 * and right.  Returns how many of at most ROOM were put into KEYS.  A frame of a language's
 * interpreter is the function that it runs (code_table.h). */
size_t mp_unwind_list(const void *hook_frame, uint64_t *keys, size_t room);

/* The same with libunwind's cache of steps (unw_backtrace()), as long as that is right: it knows
 * of no interpreter, and is wrong after code was unloaded and other code took its place.  Where
 * there are no rules this is what makes chains affordable: with mp_unwind_list() in its place
 * whole programs take 13 to 20 times the instructions (callgrind; tests/programs/trees,
 * random_calls, deep, examples/widgets).  Where there are rules it serves --unwinder=libunwind,
 * and is tested so. */
size_t mp_unwind_list_fast(const void *hook_frame, uint64_t *keys, size_t room);

/* Code was unloaded: from now on that cache is not used.  Gate's lock held. */
void mp_unwind_code_unloaded(void);

#endif
