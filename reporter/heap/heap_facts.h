/* heap_facts.h -- which process and which moment a snapshot is of, without its objects. */
#ifndef MP_HEAP_FACTS_H
#define MP_HEAP_FACTS_H

#include <stdbool.h>
#include <stdint.h>

#include "reporter/base/error.h"
#include "reporter/profile/profile.h"
#include "runtime/heap_format.h"

struct mp_heap_facts {
    uint64_t numbers[MP_FACTS]; /* by enum mp_heap_fact; 0: not known, or a text */
    char language[64];          /* cut, where it is longer; "": not known */
};

/* Those of the snapshot PATH that stand before its objects: all but how long it took.  False and *ERROR: it cannot be
 * read. */
bool mp_heap_facts_read(const char *path, struct mp_heap_facts *facts, struct mp_error *error);

/* Facts are numbers by enum mp_heap_fact.  Are snapshots with A and with B of one process? */
bool mp_heap_facts_same_process(const uint64_t a[static MP_FACTS], const uint64_t b[static MP_FACTS]);

/* Is one with FACTS of the process and recording that META tells?  And, whichever run started it: of that process,
 * since that recording began? */
bool mp_heap_facts_are_of(const uint64_t facts[static MP_FACTS], const struct mp_meta *meta);
bool mp_heap_facts_are_since(const uint64_t facts[static MP_FACTS], const struct mp_meta *meta);

#endif
