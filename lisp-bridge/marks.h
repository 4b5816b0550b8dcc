/* marks.h -- which objects of a page libgc has marked, for the sweep (runtime/heap/heap.h). */
#ifndef MP_LISP_MARKS_H
#define MP_LISP_MARKS_H

#include <stdbool.h>
#include <stdint.h>

/* As find_alive of struct mp_collector: for the collector's end (alive.h). */
void mp_lisp_find_marked(uintptr_t page, const uint64_t of[4], uint64_t marked[4]);

/* Are the marks of a whole page known at once by now?  (If not, each object is asked for.) */
bool mp_lisp_marks_are_read(void);

#endif
