/* SPDX-License-Identifier: MIT */
#include "scan_threads.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>

#include "runtime/compiler.h"
#include "runtime/decimal.h"
#include "runtime/system/sys.h"
#include "runtime/system/sys_process.h"

#define ROOM  8192u                     /* maximum number of threads */
#define FIELDS 9u                       /* maximum number of numbers: the system call, six registers, stack
                                           pointer, program counter */

/* A record of getdents64(2). */
struct entry {
    uint64_t inode;
    int64_t offset;
    uint16_t length;
    uint8_t type;
    char name[];
};

/* ------------------------------------------------------------------ one thread */

/* Reads at most FIELDS numbers from TEXT. Returns how many there are. */
static unsigned
read_fields(const char *text, uint64_t fields[static FIELDS])
{
    unsigned n = 0;

    while (n < FIELDS && ((*text >= '0' && *text <= '9') || *text == '-')) {
        uint64_t value = 0;

        if (text[0] == '0' && text[1] == 'x')
            text += 2;
        for (; *text && *text != ' ' && *text != '\n'; text++)
            value = value << 4 | (*text <= '9' ? (uint64_t)(*text - '0') : (uint64_t)(*text - 'a' + 10));
        fields[n++] = value;
        text += *text == ' ';
    }
    return n;
}

/* Reads the registers of THREAD if it waits in the kernel. The kernel writes "0 0x3 0x7f.. ... SP PC" if the thread
 * is in a system call, and "-1 SP PC" if it waits elsewhere. */
static void
read_registers(struct mp_scan_thread *thread)
{
    char path[64] = "/proc/self/task/", digits[MP_DECIMAL_SIZE], text[256];
    uint64_t fields[FIELDS];
    unsigned n;
    long fd, size;

    strcat(strcat(path, mp_decimal(thread->tid, digits)), "/syscall");
    fd = mp_sys_open(path, O_RDONLY | O_CLOEXEC, 0);
    size = fd < 0 ? fd : mp_sys_read((int)fd, text, sizeof text - 1);
    if (fd >= 0)
        mp_sys_close((int)fd);
    if (size <= 0)
        return;
    text[size] = '\0';
    n = read_fields(text, fields);
    if (n == FIELDS) {
        memcpy(thread->registers, fields + 1, sizeof thread->registers);
        thread->n_registers = MP_SCAN_REGISTERS;
    }
    if (n >= 3)
        thread->sp = fields[n - 2];
}

/* Returns the distance from a thread's descriptor to the head of its robust list. The distance is the same for all
 * threads. */
static uintptr_t
distance(void)
{
    return mp_sys_robust_list(0) - (uintptr_t)pthread_self();
}

static void
add(struct mp_scan_threads *threads, uint32_t tid, uintptr_t sp)
{
    struct mp_scan_thread *thread = &threads->list[threads->n];
    uintptr_t head = mp_sys_robust_list(tid);

    if (threads->n == threads->room) {
        threads->cut = true;
        return;
    }
    *thread = (struct mp_scan_thread){ .tid = tid, .descriptor = head ? head - distance() : 0 };
    if (tid == (uint32_t)mp_sys_gettid()) {
        thread->sp = sp;
        thread->descriptor = (uintptr_t)pthread_self();
    } else {
        read_registers(thread);
        threads->without_registers++;
    }
    threads->n++;
}

/* ------------------------------------------------------------------ all */

static uint32_t
number(const char *name)
{
    const uint64_t value = mp_take_decimal(&name);

    return *name ? 0 : (uint32_t)value;
}

long
mp_scan_threads_find(struct mp_scan_threads *threads, uintptr_t sp)
{
    static MP_LARGE _Alignas(struct entry) char buffer[4096];   /* static because the stack may be small; guarded by
                                                                   the lock */
    long fd = mp_sys_open("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0), size;

    *threads = (struct mp_scan_threads){0};
    if (fd < 0)
        return fd;
    threads->list = mp_sys_map(ROOM * sizeof *threads->list);
    threads->room = threads->list ? ROOM : 0;
    while (threads->list && (size = mp_sys_read_directory((int)fd, buffer, sizeof buffer)) > 0)
        for (long at = 0; at < size; at += ((const struct entry *)(buffer + at))->length) {
            uint32_t tid = number(((const struct entry *)(buffer + at))->name);

            if (tid)
                add(threads, tid, sp);
        }
    mp_sys_close((int)fd);
    return threads->n == 0 || threads->cut ? -ENOMEM : 0;
}

void
mp_scan_threads_free(struct mp_scan_threads *threads)
{
    if (threads->list)
        mp_sys_unmap(threads->list, ROOM * sizeof *threads->list);
    threads->list = NULL;
}

bool
mp_scan_threads_know(struct mp_scan_threads *threads, uint32_t tid, uintptr_t descriptor)
{
    for (uint32_t i = 0; i < threads->n; i++)
        if (threads->list[i].tid == tid) {
            if (!threads->list[i].descriptor)
                threads->list[i].descriptor = descriptor;
            return true;
        }
    if (threads->n == threads->room)
        return false;
    threads->list[threads->n++] = (struct mp_scan_thread){ .tid = tid, .descriptor = descriptor };
    threads->without_registers++;
    return true;
}

const struct mp_scan_thread *
mp_scan_threads_in(const struct mp_scan_threads *threads, uintptr_t start, uintptr_t end)
{
    const struct mp_scan_thread *lowest = NULL;

    for (uint32_t i = 0; i < threads->n; i++) {
        const struct mp_scan_thread *thread = &threads->list[i];

        if (thread->descriptor >= start && thread->descriptor < end &&
            (!lowest || thread->descriptor < lowest->descriptor))
            lowest = thread;
    }
    return lowest;
}
