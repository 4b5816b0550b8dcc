#include "shared.h"

#include <signal.h>
#include <sys/mman.h>

static _Thread_local struct mp_shared *volatile in_use;
static _Thread_local volatile sig_atomic_t is_short;
static struct sigaction before;

/* Replaces the mapping in use with zeroed memory. The kernel repeats the access when this returns. For other
 * addresses, restores the previous action, so that the repeated access raises the signal again. */
static void
on_bus_error(int number, siginfo_t *info, void *context)
{
    const struct mp_shared *shared = in_use;
    const uint8_t *address = info->si_addr;

    (void)context;
    if (shared && address >= shared->bytes && address < shared->bytes + shared->size &&
        mmap(shared->bytes, shared->size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) !=
            MAP_FAILED)
        is_short = 1;
    else
        sigaction(number, &before, NULL);
}

static void
handle(void)
{
    struct sigaction action = {.sa_sigaction = on_bus_error, .sa_flags = SA_SIGINFO}, old;

    sigemptyset(&action.sa_mask);
    if (sigaction(SIGBUS, NULL, &old) == 0 && ((old.sa_flags & SA_SIGINFO) == 0 || old.sa_sigaction != on_bus_error)) {
        before = old;
        sigaction(SIGBUS, &action, NULL);
    }
}

bool
mp_shared_open(struct mp_shared *shared, int fd, uint64_t offset, size_t size)
{
    void *bytes = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)offset);

    *shared = (struct mp_shared){NULL, 0};
    if (bytes == MAP_FAILED)
        return false;
    handle();
    *shared = (struct mp_shared){bytes, size};
    return true;
}

void
mp_shared_close(struct mp_shared *shared)
{
    if (shared->bytes)
        munmap(shared->bytes, shared->size);
    *shared = (struct mp_shared){NULL, 0};
}

void
mp_shared_begin(struct mp_shared *shared)
{
    is_short = 0;
    in_use = shared;
}

bool
mp_shared_end(void)
{
    in_use = NULL;
    return !is_short;
}

bool
mp_shared_exchange(struct mp_shared *shared, size_t offset, uint32_t expected, uint32_t wanted)
{
    uint32_t *word = (uint32_t *)(void *)(shared->bytes + offset);
    bool done;

    mp_shared_begin(shared);
    done = __atomic_compare_exchange_n(word, &expected, wanted, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
    return mp_shared_end() && done;
}
