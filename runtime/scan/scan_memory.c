/* SPDX-License-Identifier: MIT */
#include "scan_memory.h"

#include <fcntl.h>

#include "runtime/system/sys.h"
#include "runtime/system/sys_process.h"

#define PAGE    ((uintptr_t)4096)       /* bytes; the page size of every machine is a multiple */
#define ENTRIES 512u
#define THERE   ((uint64_t)3 << 62)     /* bits of an entry of the page map: page is in memory, page is swapped */

/* Memory whose contents are elsewhere. */
static const struct mp_scan_moved *moved;
static uint32_t n_moved;

void
mp_scan_memory_move(const struct mp_scan_moved *list, uint32_t n)
{
    moved = list;
    n_moved = n;
}

/* Returns the address at which the contents of ADDRESS are, usually ADDRESS itself. Stores in *STOP the first address
 * behind ADDRESS for which the distance to its contents may differ. */
static uintptr_t
place_of(uintptr_t address, uintptr_t *stop)
{
    uint32_t low = 0, high = n_moved;

    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;

        if (moved[middle].end <= address)
            low = middle + 1;
        else
            high = middle;
    }
    *stop = low == n_moved ? UINTPTR_MAX : moved[low].start;
    if (low == n_moved || address < moved[low].start)
        return address;
    *stop = moved[low].end;
    return moved[low].contents + (address - moved[low].start);
}

void
mp_scan_memory_open(struct mp_scan_memory *memory)
{
    memory->pages = (int)mp_sys_open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC, 0);
    memory->pipe[0] = memory->pipe[1] = -1;
    mp_scan_memory_shared(memory, false);
}

void
mp_scan_memory_close(struct mp_scan_memory *memory)
{
    if (memory->pages >= 0)
        mp_sys_close(memory->pages);
}

void
mp_scan_memory_pipe(struct mp_scan_memory *memory)
{
    mp_sys_pipe(memory->pipe);
}

bool
mp_scan_peek(uintptr_t address, void *buffer, size_t size)
{
    char *to = buffer;

    while (size > 0) {
        uintptr_t stop, place = place_of(address, &stop);
        const size_t n = size < stop - address ? size : stop - address;

        if (mp_sys_peek(place, to, n) != 0)
            return false;
        address += n;
        to += n;
        size -= n;
    }
    return true;
}

void
mp_scan_memory_shared(struct mp_scan_memory *memory, bool shared)
{
    memory->shared = shared;
    memory->start = memory->end = 0;
}

/* Reads the page at ADDRESS by writing it to a pipe, which the kernel does for memory that other system calls do not
 * read: memfd_secret(2), and what a driver has mapped page by page. Returns false if it cannot be read. */
static bool
read_by_pipe(struct mp_scan_memory *memory, uintptr_t address)
{
    const long n = mp_sys_write(memory->pipe[1], (const void *)address, PAGE);

    return n > 0 && mp_sys_read(memory->pipe[0], memory->words, PAGE) == (long)PAGE;
}

/* Reads a whole number of pages from ADDRESS on. Returns false if nothing can be read. */
static bool
fill(struct mp_scan_memory *memory, uintptr_t address)
{
    for (size_t size = memory->shared ? PAGE : MP_SCAN_PIECE; size >= PAGE; size = size > PAGE ? PAGE : 0)
        if (mp_scan_peek(address, memory->words, size) || (size == PAGE && read_by_pipe(memory, address))) {
            memory->start = address;
            memory->end = address + size;
            return true;
        }
    memory->start = memory->end = 0;
    return false;
}

const uint64_t *
mp_scan_read(struct mp_scan_memory *memory, uintptr_t address, uintptr_t end, size_t *n)
{
    const uintptr_t page = address & ~(PAGE - 1);
    bool there = (address >= memory->start && address < memory->end) || fill(memory, page);
    uintptr_t last = there ? memory->end : page + PAGE;

    if (last > end)
        last = end;
    *n = last >= address + 8 ? (last - address) / 8 : 1;
    return there ? &memory->words[(address - memory->start) / 8] : NULL;
}

bool
mp_scan_word(struct mp_scan_memory *memory, uintptr_t address, uint64_t *word)
{
    const uint64_t *at;
    size_t n;

    if (address % 8 != 0 || !(at = mp_scan_read(memory, address, address + 8, &n)))
        return false;
    *word = *at;
    return true;
}

/* Does what mp_scan_touched() does, for a shared mapping. */
static uintptr_t
next_resident(uintptr_t address, uintptr_t end)
{
    uint8_t pages[ENTRIES];

    while (address < end) {
        const uintptr_t from = address & ~(PAGE - 1);
        const size_t n = end - from < sizeof pages * PAGE ? (end - from + PAGE - 1) / PAGE : sizeof pages;

        if (mp_sys_resident((void *)from, n * PAGE, pages) != 0)
            return address;
        for (size_t i = 0; i < n; i++, address = from + i * PAGE)
            if (pages[i] & 1)
                return address;
    }
    return end;
}

/* Does what mp_scan_touched() does, for memory whose contents were not moved. */
static uintptr_t
next_touched(const struct mp_scan_memory *memory, uintptr_t address, uintptr_t end)
{
    uint64_t entries[ENTRIES];

    if (memory->shared)
        return next_resident(address, end);
    while (memory->pages >= 0 && address < end) {
        long n = mp_sys_pread(memory->pages, entries, sizeof entries, address / PAGE * sizeof *entries);

        if (n < (long)sizeof *entries)
            return address;
        for (long i = 0; i < n / (long)sizeof *entries && address < end; i++) {
            if (entries[i] & THERE)
                return address;
            address = (address & ~(PAGE - 1)) + PAGE;
        }
    }
    return address < end ? address : end;
}

uintptr_t
mp_scan_touched(const struct mp_scan_memory *memory, uintptr_t address, uintptr_t end)
{
    while (address < end) {
        uintptr_t stop, found;
        const uintptr_t place = place_of(address, &stop);

        if (stop > end)
            stop = end;
        found = next_touched(memory, place, place + (stop - address)) - place + address;
        if (found < stop)
            return found;
        address = stop;
    }
    return end;
}
