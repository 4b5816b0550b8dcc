/* collector.h -- what libgc tells of its collections. */
#ifndef MP_LISP_COLLECTOR_H
#define MP_LISP_COLLECTOR_H

#include <stdbool.h>

/* Be told, or no more. */
void mp_lisp_collector_set(bool on);

#endif
