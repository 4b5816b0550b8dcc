/* SPDX-License-Identifier: MIT */
/*
 * budget.h -- limits what the symbols of all files together may cost one command.
 *
 * Anybody can write a small ELF file that takes minutes or gigabytes to read, and root may report on the programs of
 * such people. Everything that can grow faster than a file's bytes on disk is therefore charged before it happens:
 * bytes that are unpacked, bytes of memory, and units of work. A unit of work takes about a quarter of a microsecond.
 *
 * Each file has an account. An amount that is proportional to the file's bytes on disk is free, so real programs,
 * however large, hardly use the command's budget. Beyond it, a file may take half of what is left of the command's
 * budget, so one bad file does not use up what other files need. mp_symbols_limit() changes the command's budget. Work
 * is charged to the account that was entered last. Without an account nothing is limited.
 */
#ifndef MP_SYMBOLS_BUDGET_H
#define MP_SYMBOLS_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

enum mp_resource {
    MP_UNPACKED,                /* bytes of private copies and of sections that libelf unpacks */
    MP_MEMORY,                  /* bytes of tables and names in memory */
    MP_WORK,                    /* units of work */
    MP_RESOURCES
};

/* What one file costs. Initially zero. */
struct mp_account {
    uint64_t used[MP_RESOURCES], free[MP_RESOURCES], limit[MP_RESOURCES];       /* `limit` does not include `free` */
    bool refused;               /* something was too expensive and was not read */
    bool spent;                 /* work or small allocations exceeded the limit; nothing more is read */
};

/* Charges what follows to ACCOUNT, which must stay in place until it is left. */
void mp_account_enter(struct mp_account *account);
void mp_account_leave(struct mp_account *account);
/* Returns bytes to the budget when the file of ACCOUNT, which was left, is closed. Work is not returned. */
void mp_account_close(struct mp_account *account);

/* Adds the free amount for the bytes of the file FD on disk to the account. Must be called once for each file. */
void mp_budget_add_file(int fd);

/* Charges AMOUNT. If the account has not enough left, charges nothing, notes that something was refused, and returns
 * false. */
bool mp_budget_take(enum mp_resource resource, uint64_t amount);
/* Returns whether mp_budget_take() would charge AMOUNT. If not, also notes that something was refused. */
bool mp_budget_has(enum mp_resource resource, uint64_t amount);
void mp_budget_return(enum mp_resource resource, uint64_t amount);

/* Charges UNITS of work. Returns false if the account is spent; the caller then stops its work. */
bool mp_budget_work(uint64_t units);
/* Charges BYTES of memory that the caller allocates in any case. */
void mp_budget_hold(uint64_t bytes);

#endif
