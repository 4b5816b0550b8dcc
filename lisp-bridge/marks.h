/* marks.h -- finds the marked objects of a page for the sweep (runtime/heap/heap.h). */
#ifndef MP_LISP_MARKS_H
#define MP_LISP_MARKS_H

#include <stdbool.h>
#include <stdint.h>

/* Implements find_alive of struct mp_collector. Called at the end of a collection (alive.h). */
void mp_lisp_find_marked(uintptr_t page, const uint64_t of[4], uint64_t marked[4]);

/* Returns whether marks are read for a whole page at once by now. If not, libgc is asked for each object. */
bool mp_lisp_marks_are_read(void);

#endif
