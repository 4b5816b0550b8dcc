/* SPDX-License-Identifier: MIT */
#include "scan.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>

#include "runtime/compiler.h"
#include "runtime/record/sample.h"
#include "runtime/sizeclass.h"
#include "runtime/snapshot/snapshot_copy.h"
#include "runtime/snapshot/snapshot_file.h"
#include "runtime/snapshot/snapshot_stream.h"
#include "runtime/store/store.h"
#include "runtime/system/gate.h"
#include "runtime/system/hash.h"
#include "runtime/system/options.h"
#include "runtime/system/sandbox.h"
#include "runtime/system/sys.h"
#include "runtime/system/thread.h"
#include "scan_absent.h"
#include "scan_blocks.h"
#include "scan_collected.h"
#include "scan_descriptors.h"
#include "scan_mapped.h"
#include "scan_maps.h"
#include "scan_memory.h"
#include "scan_pointers.h"
#include "scan_roots.h"
#include "scan_threads.h"

/* The snapshot that is being made. Guarded by the gate's lock. The copy of the process that writes the snapshot has
 * its own copy of this variable. */
static struct job {
    struct mp_scan_threads threads;
    enum mp_heap_trigger trigger;
    const char *name;           /* the user's name of the snapshot, or NULL */
    uint32_t number;            /* number of the file; 0 if it has no name */
    struct mp_copy_file file;
    bool in_memory;             /* the file is copied to the data file at the end */
    uint64_t began;             /* ns, CLOCK_MONOTONIC */
    char path[MP_PATH_SIZE];    /* "" if the file has no name */
    struct mp_scan_memory *memory;
    bool absent_is_read;        /* memory that a copy lacks was read */
} job MP_LARGE;

/* At the end of the process, notes in the header what became of the search: STATE, and ERROR, which is -errno or 0.
 * Returns ERROR. */
static long
note(enum mp_leaks_state state, long error)
{
    if (job.trigger == MP_TRIGGER_EXIT && mp_store.header)
        mp_store.header->leaks = state | (uint32_t)-error << MP_LEAKS_BITS;
    return error;
}

/* ------------------------------------------------------------------ in the copy: facts */

static void
write_text(struct mp_stream *out, enum mp_heap_fact fact, const char *text)
{
    mp_stream_fact_text(out, fact, mp_stream_text(out, text, strlen(text)));
}

/* Returns the reasons why the monitor may not know all blocks or all memory of the program, as bits. */
static uint64_t
unseen(void)
{
    static const enum mp_missing all[] = { MP_MISS_DROPPED, MP_MISS_OPERATOR_NEW, MP_MISS_MALLOC, MP_MISS_LIBRARY };
    uint64_t bits = (!mp_scan_has_chunks() && mp_scan_mapped_is_cut() ? MP_UNSEEN_MAPPED : 0) |
                    (job.absent_is_read ? 0 : MP_UNSEEN_ABSENT);

    for (unsigned i = 0; i < sizeof all / sizeof *all; i++)
        bits |= mp_store.header->missing[all[i]] > 0 ? UINT64_C(1) << all[i] : 0;
    return bits;
}

static void
write_facts(struct mp_stream *out)
{
    const struct mp_live_header *header = mp_store.header;

    write_text(out, MP_FACT_LANGUAGE, "C");
    if (job.name && *job.name)
        write_text(out, MP_FACT_NAME, job.name);
    write_text(out, MP_FACT_PROGRAM, mp_store.strings + header->program);
    write_text(out, MP_FACT_DATA_FILE, mp_store_path());
    mp_stream_fact(out, MP_FACT_NUMBER, job.number);
    mp_stream_fact(out, MP_FACT_TRIGGER, job.trigger);
    mp_stream_fact(out, MP_FACT_PID, header->pid);
    mp_stream_fact(out, MP_FACT_RUN_1, header->run_id[0]);
    mp_stream_fact(out, MP_FACT_RUN_2, header->run_id[1]);
    mp_stream_fact(out, MP_FACT_REALTIME, mp_sys_clock(CLOCK_REALTIME));
    mp_stream_fact(out, MP_FACT_SINCE_START, job.began - header->start_monotonic);
    mp_stream_fact(out, MP_FACT_FORKED, 1);
    mp_stream_fact(out, MP_FACT_WORD, sizeof(void *));
    mp_stream_fact(out, MP_FACT_UNSEEN, unseen());
    mp_stream_fact(out, MP_FACT_THREADS_WITHOUT_REGISTERS, job.threads.without_registers);
}

/* Returns the number of threads that are in realloc now. The block that such a thread resizes is in no table meanwhile.
 * So the scan finds neither this block nor blocks that are reachable only through it. */
static uint64_t
count_resized(struct mp_scan_memory *memory)
{
    const uintptr_t place = (uintptr_t)&mp_thread.resizing.block - (uintptr_t)pthread_self();
    uint64_t n = 0, block;

    for (uint32_t i = 0; i < job.threads.n; i++)
        if (job.threads.list[i].descriptor &&
            mp_scan_word(memory, job.threads.list[i].descriptor + place, &block) && block != 0)
            n++;
    return n;
}

/* ------------------------------------------------------------------ in the copy: sites */

/* Hash table of sites by context. Its size is a power of two that exceeds the number of blocks. */
struct sites {
    struct { uint32_t context, site; } *list;
    unsigned bits;
};

/* Defines the sites of BLOCKS and stores them in the blocks. Counts blocks without a context in *MISSING. Returns
 * false if there is no memory. */
static bool
write_sites(struct mp_stream *out, struct mp_scan_blocks *blocks, uint64_t *missing)
{
    struct sites sites = { NULL, 10 };

    while ((size_t)1 << sites.bits <= blocks->n)
        sites.bits++;
    sites.list = mp_sys_map(sizeof *sites.list << sites.bits);
    for (size_t i = 0; sites.list && i < blocks->n; i++) {
        struct mp_scan_block *block = &blocks->list[i];
        uint64_t at = mp_hash(block->context, 64 - sites.bits);

        if (block->context == 0) {
            ++*missing;
            continue;
        }
        while (sites.list[at].context && sites.list[at].context != block->context)
            at = (at + 1) & (((uint64_t)1 << sites.bits) - 1);
        if (!sites.list[at].context) {
            sites.list[at].context = block->context;
            sites.list[at].site = mp_stream_site(out, block->context);
        }
        block->site = sites.list[at].site;
    }
    return sites.list != NULL;
}

/* ------------------------------------------------------------------ in the copy: usable sizes */

#define MOST_MORE (UINT64_C(1) << 26)   /* maximum bytes beyond the requested size, which are there for alignment
                                           and for pages, which may be huge */
#define LEAST_PAGE 4096u                /* all page sizes are multiples of this */

/* Returns the usable bytes of BLOCK, or 0 if there is no valid chunk size. The last word of a chunk cannot be used. A
 * chunk with its own mapping ends at the end of the mapping: in glibc 2.43 its size counts from the block, in glibc
 * 2.41 from the header of two words before it. */
static uint64_t
usable(const struct mp_scan_block *block, struct mp_scan_memory *memory)
{
    bool mapped;
    uint64_t chunk = mp_scan_chunk(memory, block->address, &mapped), unused = sizeof chunk, bytes;

    if (mapped && (block->address + chunk) % LEAST_PAGE != 0)
        unused = (block->address + chunk) % LEAST_PAGE;
    bytes = chunk - unused;
    if (chunk == 0 || unused > 2 * sizeof chunk || bytes < block->size || bytes - block->size > MOST_MORE)
        return 0;
    return bytes;
}

/* Writes the sums of the usable sizes of BLOCKS by size class. glibc stores the size of each chunk, with flags, in the
 * word before the block. Writes nothing if the allocator is not glibc's malloc, or if any block is not its own. */
static void
write_usable(struct mp_stream *out, const struct mp_scan_blocks *blocks, struct mp_scan_memory *memory)
{
    uint64_t sums[MP_KIND_C_COUNT] = { 0 };

    if (!mp_scan_has_chunks())
        return;
    for (size_t i = 0; i < blocks->n; i++) {
        const uint64_t bytes = usable(&blocks->list[i], memory);

        if (bytes == 0)
            return;
        sums[mp_sizeclass(blocks->list[i].size)] += bytes;
    }
    for (unsigned kind = 0; kind < MP_KIND_C_COUNT; kind++)
        if (sums[kind] > 0)
            mp_stream_fact(out, (enum mp_heap_fact)(MP_FACT_USABLE + kind), sums[kind]);
}

/* ------------------------------------------------------------------ in the copy: blocks */

/* Finds the words of BLOCK that point to blocks, and writes them to OUT. If OUT is NULL, instead follows the other
 * words to libgc's objects. Returns the number of words that point to blocks. */
static uint64_t
references(struct mp_stream *out, const struct mp_scan_roots *roots, const struct mp_scan_block *block)
{
    const uintptr_t end = block->address + (block->size & ~(uint64_t)7);
    uint64_t found = 0;
    size_t n;

    for (uintptr_t at = block->address; at < end; at += n * 8) {
        const uint64_t *words;

        n = 0;
        if (end - at > MP_SCAN_PIECE)
            at = mp_scan_touched(roots->memory, at, end) & ~(uintptr_t)7;
        if (at >= end)
            break;
        words = mp_scan_read(roots->memory, at, end, &n);
        for (size_t i = 0; words && i < n; i++) {
            const uintptr_t target = mp_scan_pointer(roots->blocks, roots->maps, words[i]);

            found += target != 0;
            if (target && out)
                mp_stream_reference(out, (at + i * 8 - block->address) / 8, false, target);
            else if (!target && !out)
                mp_scan_collected_reach(roots->collected, words[i], MP_SCAN_TO_ALL);
        }
    }
    return found;
}

static void
write_blocks(struct mp_stream *out, const struct mp_scan_roots *roots)
{
    const struct mp_scan_blocks *blocks = roots->blocks;
    uint32_t type = mp_stream_type(out, MP_SHAPE_BLOCK, mp_stream_text(out, "block", 5), 0, NULL);

    for (size_t i = 0; i < blocks->n && mp_stream_error(out) == 0; i++) {
        const struct mp_scan_block *block = &blocks->list[i];
        struct mp_stream_object object = { .address = block->address, .size = block->size, .type = type,
                                           .site = block->site };

        object.n_references = references(NULL, roots, block);
        mp_stream_object(out, &object);
        if (object.n_references > 0)
            references(out, roots, block);
    }
}

/* ------------------------------------------------------------------ in the copy: all */

static bool
write_all(struct mp_stream *out, struct mp_scan_memory *memory)
{
    struct mp_scan_blocks blocks;
    struct mp_scan_maps maps;
    struct mp_scan_descriptors descriptors;
    struct mp_scan_collected collected;
    const struct mp_scan_roots roots = { out, memory, &blocks, &maps, &job.threads, &descriptors, &collected };
    uint64_t missing = 0, word;

    mp_scan_memory_open(memory);
    mp_scan_memory_pipe(memory);
    if (!mp_scan_word(memory, (uintptr_t)&job & ~(uintptr_t)7, &word)) {
        note(MP_LEAKS_READ, 0);
        return false;
    }
    if (!mp_scan_blocks_find(&blocks) || !mp_scan_maps_read(&maps)) {
        note(MP_LEAKS_SEARCH, -ENOMEM);
        return false;
    }
    mp_scan_absent_add(&maps);
    mp_scan_collected_find(&collected, &maps);
    mp_scan_descriptors_find(&descriptors, &job.threads, memory);
    write_facts(out);
    mp_stream_fact(out, MP_FACT_RESIZED, count_resized(memory));
    if (!write_sites(out, &blocks, &missing))
        return false;
    mp_stream_fact(out, MP_FACT_MISSING_SITES, missing);
    mp_scan_roots_write(&roots);
    write_usable(out, &blocks, memory);
    write_blocks(out, &roots);
    mp_scan_roots_write_collected(&roots);
    mp_stream_fact(out, MP_FACT_WRITING, mp_sys_clock(CLOCK_MONOTONIC) - job.began);
    return true;
}

static void
work(void *unused)
{
    struct mp_stream *out = mp_stream_open(job.file.fd);
    bool ok = out && write_all(out, job.memory);
    long error;

    (void)unused;
    if (!out)
        note(MP_LEAKS_SEARCH, -ENOMEM);
    error = ok ? mp_stream_close(out) : 0;
    if (ok)
        note(error == 0 ? MP_LEAKS_DONE : MP_LEAKS_FILE, error);
    if ((!ok || error != 0) && job.path[0])
        mp_sys_unlink(job.path);
}

/* ------------------------------------------------------------------ before the copy */

/* Opens a file in memory, which mp_scan_end() copies to the data file. Called if, at the end of the process, the
 * snapshot cannot be written beside the data file, because the process has another user or root directory by now, or
 * would not be found there, because the data file was renamed. ERROR is that reason. Returns 0, or ERROR if there is no
 * file in memory. */
static long
open_memory_file(long error)
{
    const long fd = mp_sys_memory_file();

    if (fd < 0)
        return error;
    job.path[0] = '\0';
    mp_copy_opened((int)fd, &job.file);
    job.in_memory = true;
    return 0;
}

/* Creates the file for OFFER, as described for mp_scan_make(), and locks it. Returns 0 or -errno. */
static long
open_file(struct mp_live_offer *offer)
{
    uint32_t last = __atomic_load_n(&mp_store.header->snapshots, __ATOMIC_RELAXED);
    long result;

    job.number = 0;
    job.path[0] = '\0';
    if (offer)
        return mp_snapshot_create_offered(mp_store_path(), offer, &job.file);
    if (strlen(mp_store_path()) >= sizeof job.path)
        return -ENAMETOOLONG;
    strcpy(job.path, mp_store_path());
    if (job.trigger == MP_TRIGGER_EXIT && !mp_store_has_name())
        return open_memory_file(-ESTALE);
    result = mp_snapshot_create_next(job.path, sizeof job.path, job.name, &last, &job.number, &job.file);
    if (result < 0 && job.trigger == MP_TRIGGER_EXIT)
        return open_memory_file(result);
    if (result == 0)
        mp_snapshot_note(mp_store.header, job.number);
    return result;
}

/* Makes the copy of the process. This function saves its caller's registers in its own frame, above the address that it
 * passes as the stack pointer, so that the copy finds pointers in them. */
static long
make(void)
{
    uint64_t held;
    long pid;

    /* Makes the compiler save all call-preserved registers in this frame. */
    __builtin_unwind_init();
    job.memory = mp_sys_map(sizeof *job.memory);
    if (!job.memory)
        return note(MP_LEAKS_SEARCH, -ENOMEM);
    job.absent_is_read = mp_scan_absent_read(job.memory);
    pid = note(MP_LEAKS_PROC, mp_scan_threads_find(&job.threads, (uintptr_t)__builtin_frame_address(0) - 128));
    if (pid == 0) {
        note(MP_LEAKS_SEARCH, 0);       /* replaced by the copy when it has finished */
        pid = mp_copy_make(work, NULL, &job.file, &held);
        if (pid < 0)
            note(MP_LEAKS_COPY, pid);
    }
    mp_scan_threads_free(&job.threads);
    mp_scan_absent_free();
    mp_sys_unmap(job.memory, sizeof *job.memory);
    return pid;
}

MP_COLD MP_NOINLINE long
mp_scan_make(enum mp_heap_trigger trigger, const char *name, struct mp_live_offer *offer)
{
    MP_LOCK_HELD();
    long result, pid;

    if (mp_sandbox_is_shut())
        return -EPERM;
    if (job.in_memory && mp_copy_is_open(&job.file))
        return -EBUSY;                  /* the snapshot of the end is not in the data file yet */
    job.trigger = trigger;
    job.in_memory = false;
    if (mp_sample_period > 0)
        return note(MP_LEAKS_PARTIAL, -EOPNOTSUPP);
    job.name = name;
    result = open_file(offer);
    if (result < 0)
        return note(MP_LEAKS_FILE, result);
    job.began = mp_sys_clock(CLOCK_MONOTONIC);
    pid = make();
    if (pid < 0 && job.path[0])
        mp_sys_unlink(job.path);
    else if (pid > 0 && offer)
        mp_snapshot_offer(offer, &job.file, pid);
    if (!job.in_memory || pid < 0)
        mp_copy_closed(&job.file);
    return pid;
}

void
mp_scan_end(void)
{
    MP_LOCK_HELD();
    long error;

    if (!job.in_memory || !mp_copy_is_open(&job.file))
        return;
    if (mp_store.header->leaks == MP_LEAKS_DONE && (error = mp_store_keep_scan(job.file.fd)) != 0)
        note(MP_LEAKS_FILE, error);
    mp_copy_closed(&job.file);
}

const char *
mp_scan_file(void)
{
    MP_LOCK_HELD();
    return job.path;
}
