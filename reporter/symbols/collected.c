/* SPDX-License-Identifier: MIT */
#include "collected.h"

#include <stdlib.h>
#include <string.h>

uint32_t
mp_symbols_function(struct mp_symboliser *symboliser, uint32_t module, const char *key,
                    struct mp_symbol_function **function)
{
    uint32_t known = symboliser->keys.count, id;
    size_t length = strlen(key);
    char *whole = mp_need(malloc(length + sizeof module));

    memcpy(whole, &module, sizeof module);
    memcpy(whole + sizeof module, key, length);
    id = symboliser->closed ? mp_map_find(&symboliser->keys, whole, length + sizeof module)
                            : mp_map_add(&symboliser->keys, whole, length + sizeof module);
    free(whole);
    if (id == MP_NO_ID)
        return id;
    if (id == known) {
        symboliser->functions = mp_arena_grow(symboliser->scratch, symboliser->functions, known,
                                              &symboliser->functions_room,
                                              sizeof *symboliser->functions);
        symboliser->functions[id] = (struct mp_symbol_function){ .is.module = module };
    }
    *function = &symboliser->functions[id];
    return id;
}

/* Fills in FUNCTION, which another copy of the same function may have filled in before. */
static void
describe(struct mp_symboliser *symboliser, const struct mp_known_function *known,
         struct mp_symbol_function *function)
{
    struct mp_texts *names = &symboliser->names;
    struct mp_function *is = &function->is;
    const char *file = *known->file == '\0' ? NULL : mp_texts_add(&symboliser->files, known->file);

    if (!function->filled) {
        is->plain = mp_texts_add(names, known->name);
        is->file = known->declared ? file : NULL;
        is->unit = known->declared ? NULL : file;
        is->line = known->line;
        is->language = (uint16_t)known->language;
        is->clone = (uint16_t)known->clone;
        is->kind = known->clone > 0 ? MP_FUNCTION_CLONE : known->lambda ? MP_FUNCTION_LAMBDA : MP_FUNCTION_ORDINARY;
        function->filled = true;
    }
    if (known->alias != NULL) {
        is->plain = mp_texts_add(names, known->alias);
        is->parameters = NULL;
    } else if (known->parameters != NULL) {
        is->parameters = mp_texts_add(names, known->parameters);
    }
    if (known->start != 0 && (is->start == 0 || known->start < is->start))
        is->start = known->start;
}

uint32_t
mp_symbols_known(struct mp_symboliser *symboliser, uint32_t module, struct mp_known_function *known)
{
    struct mp_symbol_function *function;

    if (known->id != MP_NO_ID)
        return known->id;
    known->id = mp_symbols_function(symboliser, module, known->key, &function);
    if (known->id != MP_NO_ID)
        describe(symboliser, known, function);
    return known->id;
}

void
mp_symbols_locate(struct mp_symboliser *symboliser, struct mp_location location)
{
    symboliser->locations = mp_arena_grow(symboliser->scratch, symboliser->locations,
                                          symboliser->n_locations, &symboliser->locations_room,
                                          sizeof *symboliser->locations);
    symboliser->locations[symboliser->n_locations++] = location;
    symboliser->functions[location.function].wanted |= location.inlined || !symboliser->named;
}
