/* SPDX-License-Identifier: MIT */
#include "budget.h"

#include <stdlib.h>
#include <sys/stat.h>

#include "symbols.h"

/* The command's budget by default, and what each byte of a file on disk adds to the file's account. Debug information
 * is rarely compressed to less than a tenth. */
static const struct {
    uint64_t most, each_byte;
} sizes[MP_RESOURCES] = {
    [MP_UNPACKED] = {UINT64_C(512) << 20, 10},
    [MP_MEMORY] = {UINT64_C(512) << 20, 4},
    [MP_WORK] = {UINT64_C(32) << 20, 2},
};

static struct {
    uint32_t percent;           /* 0 = not yet known */
    uint64_t used[MP_RESOURCES];        /* by the accounts that are not entered */
} command;

static struct mp_account *current;

void
mp_symbols_limit(uint32_t percent)
{
    command.percent = percent;
    command.used[MP_WORK] = 0;
}

/* Returns the budget of the command in percent of the default, as the option or the environment sets it, or 100. */
static uint32_t
percent_of_command(void)
{
    const char *text = getenv("MPROF_SYMBOL_LIMIT");
    char *end = NULL;
    unsigned long percent = command.percent != 0 || text == NULL ? 100 : strtoul(text, &end, 10);

    if (command.percent == 0)
        command.percent = (end == NULL || (*end == '\0' && *text != '-')) && percent > 0 &&
                          percent <= MP_SYMBOLS_MOST_LIMIT ? (uint32_t)percent : 100;
    return command.percent;
}

/* Returns how much ACCOUNT uses beyond its free amount. This is taken from the command's budget. */
static uint64_t
excess(const struct mp_account *account, int resource)
{
    const uint64_t used = account->used[resource], paid = account->free[resource];

    return used > paid ? used - paid : 0;
}

void
mp_account_enter(struct mp_account *account)
{
    for (int i = 0; i < MP_RESOURCES; i++) {
        const uint64_t most = sizes[i].most / 100 * percent_of_command();
        const uint64_t own = account->limit[i] == 0 ? 0 : excess(account, i);

        command.used[i] -= own < command.used[i] ? own : command.used[i];
        account->limit[i] = command.used[i] < most ? (most - command.used[i] + 1) / 2 : 1;
    }
    current = account;
}

void
mp_account_leave(struct mp_account *account)
{
    for (int i = 0; i < MP_RESOURCES; i++)
        command.used[i] += excess(account, i);
    current = NULL;
}

void
mp_account_close(struct mp_account *account)
{
    command.used[MP_UNPACKED] -= excess(account, MP_UNPACKED);
    command.used[MP_MEMORY] -= excess(account, MP_MEMORY);
}

void
mp_budget_add_file(int fd)
{
    struct stat status;
    uint64_t bytes;

    if (current == NULL || fstat(fd, &status) != 0 || status.st_size <= 0)
        return;
    /* holes are not on disk */
    bytes = (uint64_t)status.st_blocks * 512 < (uint64_t)status.st_size ? (uint64_t)status.st_blocks * 512
                                                                        : (uint64_t)status.st_size;
    for (int i = 0; i < MP_RESOURCES; i++)
        current->free[i] += bytes * sizes[i].each_byte;
}

bool
mp_budget_has(enum mp_resource resource, uint64_t amount)
{
    uint64_t most;

    if (current == NULL)
        return true;
    most = current->free[resource] + current->limit[resource];
    if (!current->spent && current->used[resource] <= most && amount <= most - current->used[resource])
        return true;
    current->refused = true;
    return false;
}

bool
mp_budget_take(enum mp_resource resource, uint64_t amount)
{
    if (!mp_budget_has(resource, amount))
        return false;
    if (current != NULL)
        current->used[resource] += amount;
    return true;
}

void
mp_budget_return(enum mp_resource resource, uint64_t amount)
{
    if (current != NULL)
        current->used[resource] -= amount;
}

bool
mp_budget_work(uint64_t units)
{
    if (mp_budget_take(MP_WORK, units))
        return true;
    current->spent = true;
    return false;
}

void
mp_budget_hold(uint64_t bytes)
{
    if (!mp_budget_take(MP_MEMORY, bytes))
        current->spent = true;
}
