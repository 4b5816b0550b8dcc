/* heap_facts.h -- reads from which process and time a snapshot is, without loading its objects. */
#ifndef MP_HEAP_FACTS_H
#define MP_HEAP_FACTS_H

#include <stdbool.h>
#include <stdint.h>

#include "reporter/base/error.h"
#include "reporter/profile/profile.h"
#include "runtime/heap_format.h"

struct mp_heap_facts {
    uint64_t numbers[MP_FACTS]; /* by enum mp_heap_fact; 0 if unknown or a text */
    char language[64];          /* truncated if longer; "" if unknown */
};

/* Reads the facts that come before the objects in the snapshot PATH, which are all except the duration of writing.
 * Returns false and fills *ERROR if the file cannot be read. */
bool mp_heap_facts_read(const char *path, struct mp_heap_facts *facts, struct mp_error *error);

/* Returns whether two snapshots with the facts A and B are from one process. Facts are indexed by enum
 * mp_heap_fact. */
bool mp_heap_facts_same_process(const uint64_t a[static MP_FACTS], const uint64_t b[static MP_FACTS]);

/* mp_heap_facts_are_of() returns whether a snapshot with FACTS is from the process and recording of META.
 * mp_heap_facts_are_since() ignores the run id. It returns whether the snapshot is from the process of META and was
 * taken since the recording began. */
bool mp_heap_facts_are_of(const uint64_t facts[static MP_FACTS], const struct mp_meta *meta);
bool mp_heap_facts_are_since(const uint64_t facts[static MP_FACTS], const struct mp_meta *meta);

#endif
