/* collector.h -- libgc's events: dead objects leave all tables. */
#ifndef MP_LISP_COLLECTOR_H
#define MP_LISP_COLLECTOR_H

/* From now on until the process ends, also while nothing is recorded: what the bridge remembers of objects
 * must be right whenever recording begins again. */
void mp_lisp_collector_open(void);

/* FUNCTION is called at the end of each collection; NULL: none. */
void mp_lisp_collector_tell(void (*function)(void));

#endif
