#include "numbers.h"

#include <stdlib.h>

#include "runtime/ecl_c_name.h"

struct mp_numbered {
    uint32_t unit;
    bool own;
    long number;
};

static int
compare(const void *a, const void *b)
{
    const struct mp_numbered *x = a, *y = b;

    if (x->unit != y->unit)
        return x->unit < y->unit ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

/* Returns whether SYMBOL begins a unit. The symbol table has the name of each file before its local symbols. */
static bool
begins_unit(const Elf64_Sym *symbol)
{
    return ELF64_ST_TYPE(symbol->st_info) == STT_FILE;
}

void
mp_numbers_open(struct mp_numbers *numbers, const struct mp_fas *fas)
{
    uint32_t unit = 0;

    *numbers = (struct mp_numbers){ .fas = fas, .all = calloc(fas->n + 1, sizeof *numbers->all) };
    for (size_t i = 0; numbers->all && i < fas->n; i++) {
        const char *name = mp_fas_name(fas, &fas->symbols[i]);
        bool own = mp_ecl_after_number(name, "L") != NULL;

        unit += begins_unit(&fas->symbols[i]);
        if (own || mp_ecl_after_number(name, "LC"))
            numbers->all[numbers->n++] =
                (struct mp_numbered){ unit, own, mp_ecl_number(name) };
    }
    if (numbers->n > 0)
        qsort(numbers->all, numbers->n, sizeof *numbers->all, compare);
}

void
mp_numbers_close(struct mp_numbers *numbers)
{
    free(numbers->all);
}

static uint32_t
unit_of(const struct mp_fas *fas, const Elf64_Sym *symbol)
{
    uint32_t unit = 0;

    for (const Elf64_Sym *each = fas->symbols; each <= symbol; each++)
        unit += begins_unit(each);
    return unit;
}

/* Returns the number of functions that sort before WANTED. */
static size_t
find(const struct mp_numbers *numbers, const struct mp_numbered *wanted)
{
    size_t low = 0, high = numbers->n;

    while (low < high) {
        size_t middle = (low + high) / 2;

        if (compare(&numbers->all[middle], wanted) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool
mp_numbers_lack_local(const struct mp_numbers *numbers, const Elf64_Sym *symbol)
{
    struct mp_numbered here = { .unit = unit_of(numbers->fas, symbol),
                                .number = mp_ecl_number(mp_fas_name(numbers->fas, symbol)) };

    for (size_t i = find(numbers, &here); i-- > 0 && numbers->all[i].unit == here.unit;) {
        if (numbers->all[i].number < here.number - 1)
            return true;
        if (numbers->all[i].own)
            return false;
        here.number = numbers->all[i].number;
    }
    return numbers->all && here.number > 1;
}
