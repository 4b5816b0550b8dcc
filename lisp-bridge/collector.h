/* collector.h -- what libgc tells of its collections. */
#ifndef MP_LISP_COLLECTOR_H
#define MP_LISP_COLLECTOR_H

#include <stdbool.h>

/* Be told, or no more. */
void mp_lisp_collector_set(bool on);

/* FUNCTION is called after each collection, under libgc's lock; NULL: none. */
void mp_lisp_collector_tell(void (*function)(void));

#endif
