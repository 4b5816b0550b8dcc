/* SPDX-License-Identifier: MIT */
/* collector.h -- handles libgc's events and removes dead objects from all tables. */
#ifndef MP_LISP_COLLECTOR_H
#define MP_LISP_COLLECTOR_H

/* Starts handling libgc's events, until the process ends. Events are handled even while nothing is recorded, so that
 * the tables are correct when recording begins again. */
void mp_lisp_collector_open(void);

/* Sets the function to call at the end of each collection, or NULL for none. */
void mp_lisp_collector_tell(void (*function)(void));

#endif
