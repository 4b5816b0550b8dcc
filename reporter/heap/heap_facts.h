/* heap_facts.h -- which process and which moment a snapshot is of, without its objects. */
#ifndef MP_HEAP_FACTS_H
#define MP_HEAP_FACTS_H

#include <stdbool.h>
#include <stdint.h>

#include "reporter/base/error.h"
#include "runtime/heap_format.h"

struct mp_heap_facts {
    uint64_t numbers[MP_FACTS]; /* by enum mp_heap_fact; 0: not known, or a text */
    char language[64];          /* cut, where it is longer; "": not known */
};

/* Those of the snapshot PATH that stand before its objects: all but how long it took.  False and *ERROR: it cannot be
 * read. */
bool mp_heap_facts_read(const char *path, struct mp_heap_facts *facts, struct mp_error *error);

#endif
