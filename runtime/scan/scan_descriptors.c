/* SPDX-License-Identifier: MIT */
#include "scan_descriptors.h"

#include <dlfcn.h>
#include <stddef.h>

#include "runtime/system/sys.h"

#define MOST UINT32_C(1000000)          /* maximum number of threads in a list */

/* libc's description of a field: bits, number of elements, offset in bytes. */
struct field {
    uint32_t bits, count, offset;
};

static struct {
    uintptr_t lists;                    /* address of the heads of the three lists, one after the other; 0 if
                                           unknown */
    uint32_t link, tid, vector, size;   /* offsets of the link, the tid and the vector in a descriptor; size of a
                                           descriptor; all in bytes */
} glibc = { .vector = sizeof(void *) };

/* A head or a link of one of glibc's lists. */
struct link {
    const void *next, *previous;
};

/* ------------------------------------------------------------------ once */

static const void *
find(const char *name)
{
    const void *symbol = dlsym(RTLD_DEFAULT, name);

    if (!symbol)
        dlerror();              /* so that the program does not find our error there */
    return symbol;
}

static bool
is_list(const struct link *head)
{
    return ((const struct link *)head->next)->previous == head && ((const struct link *)head->previous)->next == head;
}

void
mp_scan_descriptors_open(void)
{
    const char *rtld = find("_rtld_global");
    const struct field *used = find("_thread_db_rtld_global__dl_stack_used");
    const struct field *user = find("_thread_db_rtld_global__dl_stack_user");
    const struct field *link = find("_thread_db_pthread_list"), *tid = find("_thread_db_pthread_tid");
    const struct field *vector = find("_thread_db_pthread_dtvp");
    const uint32_t *size = find("_thread_db_sizeof_pthread");
    const struct link *lists;

    if (!rtld || !used || !user || !link || !tid || !vector || !size || tid->bits != 32)
        return;
    /* libc exports no offset of the list of cached stacks, because debuggers do not need it. The head of this list
     * follows the head of the list of the program's stacks. */
    lists = (const struct link *)(const void *)(rtld + used->offset);
    if (user->offset != used->offset + MP_SCAN_USER * sizeof *lists)
        return;
    for (unsigned i = 0; i < MP_SCAN_LISTS; i++)
        if (!is_list(&lists[i]))
            return;
    glibc.link = link->offset;
    glibc.tid = tid->offset;
    glibc.vector = vector->offset;
    glibc.size = *size;
    glibc.lists = (uintptr_t)lists;
}

uintptr_t
mp_scan_descriptor_size(void)
{
    return glibc.size;
}

uintptr_t
mp_scan_descriptor_vector(void)
{
    return glibc.vector;
}

/* ------------------------------------------------------------------ in the copy */

/* Follows the list WHICH with HEAD and adds its descriptors to DESCRIPTORS if DESCRIPTORS has memory. Returns the
 * number of descriptors, or UINT32_MAX if the list cannot be read. Uses only the links to the next element, because the
 * links to the previous one may be invalid while a thread changes the list. */
static uint32_t
walk(struct mp_scan_descriptors *descriptors, struct mp_scan_memory *memory, uintptr_t head, enum mp_scan_list which)
{
    uint64_t at = head;

    for (uint32_t n = 0; n < MOST; n++) {
        if (!mp_scan_word(memory, at + offsetof(struct link, next), &at))
            return UINT32_MAX;
        if (at == head)
            return n;
        if (descriptors->list)
            descriptors->list[descriptors->n++] =
                (struct mp_scan_descriptor){ .address = at - glibc.link, .list = which };
    }
    return UINT32_MAX;
}

/* Sets descriptor->runs if DESCRIPTOR belongs to an existing thread. The kernel writes the thread's number before
 * clone() returns, and 0 when the thread has ended. */
static void
find_thread(struct mp_scan_descriptor *descriptor, struct mp_scan_threads *threads, struct mp_scan_memory *memory)
{
    uint64_t word;
    uint32_t tid;

    if (!mp_scan_word(memory, (descriptor->address + glibc.tid) & ~(uintptr_t)7, &word))
        return;
    tid = (uint32_t)(glibc.tid % 8 ? word >> 32 : word);
    if (descriptor->list != MP_SCAN_CACHED && (int32_t)tid > 0)
        descriptor->runs = mp_scan_threads_know(threads, tid, descriptor->address);
}

void
mp_scan_descriptors_find(struct mp_scan_descriptors *descriptors, struct mp_scan_threads *threads,
                         struct mp_scan_memory *memory)
{
    uint32_t room = 1;

    *descriptors = (struct mp_scan_descriptors){ 0 };
    if (!glibc.lists)
        return;
    for (unsigned i = 0; i < MP_SCAN_LISTS; i++) {
        const uint32_t n = walk(descriptors, memory, glibc.lists + i * sizeof(struct link), (enum mp_scan_list)i);

        if (n == UINT32_MAX)
            return;
        room += n;
    }
    descriptors->list = mp_sys_map(room * sizeof *descriptors->list);
    for (unsigned i = 0; descriptors->list && i < MP_SCAN_LISTS; i++)
        walk(descriptors, memory, glibc.lists + i * sizeof(struct link), (enum mp_scan_list)i);
    for (uint32_t i = 0; i < descriptors->n; i++)
        find_thread(&descriptors->list[i], threads, memory);
}

bool
mp_scan_descriptors_idle(const struct mp_scan_descriptors *descriptors, uintptr_t start, uintptr_t end)
{
    for (uint32_t i = 0; i < descriptors->n; i++) {
        const struct mp_scan_descriptor *one = &descriptors->list[i];

        if (one->address >= start && one->address < end && !one->runs && one->list != MP_SCAN_USER)
            return true;
    }
    return false;
}
