/*
 * Fuzzes the reader of unwind rules with hostile .eh_frame and .eh_frame_hdr. An input is the offset of .eh_frame_hdr
 * (two bytes, little-endian), then the object as it is in memory.
 */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "runtime/unwind/cfi_value.h"
#include "runtime/unwind/rule.h"
#include "runtime/unwind/stack_word.h"

#define MOST_SIZE 0xffffu       /* bytes of an object */
#define MOST_ENTRIES 64u        /* entries of the table that are looked up */

static volatile uint8_t seen;

/* The only function of stack_word.c that is needed. Here is no handler of faults. */
bool
mp_stack_is_readable(uint64_t address)
{
    uint64_t word;
    struct iovec local = {&word, sizeof word}, remote = {(void *)address, sizeof word};

    return process_vm_readv(getpid(), &local, 1, &remote, 1, 0) == (ssize_t)sizeof word;
}

/* Evaluates an expression with registers that are partly known, and that are partly addresses of memory. */
static void
evaluate(const uint8_t *at, uint64_t size)
{
    uint64_t stack[8] = {0}, value;
    struct mp_cfi_registers registers = {.known = 0x100f0};

    for (unsigned i = 0; i < MP_CFI_REGISTERS; i++)
        registers.value[i] = i % 2 ? (uintptr_t)stack : i;
    registers.frame_end = (uintptr_t)(stack + 8);
    if (mp_cfi_value(&registers, at, size, NULL, &value) &&
        mp_cfi_value(&registers, at, size, &value, &value))
        seen ^= (uint8_t)value;
}

/* Checks that an expression is inside of the object, reads it, and evaluates it. */
static void
touch(const struct mp_eh_object *object, const uint8_t *at, uint64_t size)
{
    if (!at)
        return;
    if (at < object->start || at > object->end || size > (uint64_t)(object->end - at))
        abort();
    for (uint64_t i = 0; i < size; i++)
        seen ^= at[i];
    evaluate(at, size);
}

static void
look_up(const struct mp_eh_object *object, uintptr_t pc)
{
    struct mp_cfi_row row;
    uintptr_t start;
    uint32_t rule = mp_rule_find(object, pc, &start);

    if (mp_rule_kind(rule) == MP_RULE_FP_UNPROVED || (rule & MP_RULE_INTERPRETER))
        abort();
    if (mp_eh_frame_find(object, pc, &row) != MP_CFI_FOUND)
        return;
    if (row.start > pc || row.start != start)
        abort();
    if (row.cfa_is_expression)
        touch(object, row.cfa_expression, row.cfa_expression_size);
    for (unsigned i = 0; i < MP_CFI_REGISTERS; i++)
        touch(object, row.rules[i].expression, row.rules[i].expression_size);
}

/* Looks up addresses at and after the start of each function in the table. */
static void
look_up_all(const struct mp_eh_object *object)
{
    const uint8_t *at = object->eh_frame_hdr + 12;
    uintptr_t header = (uintptr_t)object->eh_frame_hdr;

    look_up(object, header);
    look_up(object, 0);
    look_up(object, UINTPTR_MAX);
    for (unsigned i = 0; i < MOST_ENTRIES && at + 8 <= object->end; i++, at += 8) {
        int32_t start;

        memcpy(&start, at, sizeof start);
        for (uintptr_t k = 0; k <= 64; k = k < 4 ? k + 1 : 2 * k)
            look_up(object, header + (uintptr_t)(intptr_t)start + k);
    }
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mp_eh_object object;
    size_t header;
    uint8_t *copy;

    if (size < 3 || size > MOST_SIZE)
        return 0;
    size -= 2;
    header = (data[0] | (size_t)data[1] << 8) % size;
    copy = fuzz_copy(data + 2, size);
    object = (struct mp_eh_object){copy, copy + size, copy + header};
    look_up_all(&object);
    free(copy);
    return 0;
}
/* SPDX-License-Identifier: MIT */
