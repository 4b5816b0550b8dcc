/* SPDX-License-Identifier: MIT */
#include "member_places.h"

#include <string.h>

#include "objects.h"

#define WORD sizeof(cl_object)

bool
mp_places_of_symbols(struct mp_ecl_layout *at, size_t size)
{
    const size_t first = sizeof(struct ecl_symbol), last = 5 * WORD;
    size_t more;

    if (size < first + last || size > UINT8_MAX || size % WORD != 0)
        return false;
    more = (size - first - last) / WORD;
    at->symbol_size = (uint16_t)size;
    at->symbol_plist = (uint16_t)(size - 5 * WORD);
    at->symbol_name = (uint16_t)(size - 4 * WORD);
    at->symbol_cname = (uint16_t)(size - 3 * WORD);
    at->symbol_hpack = (uint16_t)(size - 2 * WORD);
    at->symbol_binding = (uint16_t)(size - WORD);
    /* Development versions since 2024 have two more members before these: an entry for calls while the function is
     * undefined, and the expansion function. Those since 2025 also have the SETF function. */
    at->symbol_macfun = (uint16_t)(more == 2 || more == 3 ? first + WORD : 0);
    at->symbol_setf = (uint16_t)(more == 3 ? first + 2 * WORD : 0);
    at->symbol_whole = more == 0 || more == 2 || more == 3;
    return true;
}

bool
mp_places_of_bytecodes(struct mp_ecl_layout *at, size_t size)
{
    const size_t first = sizeof(struct ecl_bytecodes);

    if (size < first || size > UINT8_MAX)
        return false;
    /* Development versions since 2025 have two more members before the file and the position in it: captured
     * variables, and the number of local ones. */
    at->bytecodes_whole = size == first + 2 * WORD || size == first + 4 * WORD;
    at->bytecodes_flex = (uint16_t)(size == first + 4 * WORD ? first : 0);
    at->bytecodes_file = (uint16_t)(at->bytecodes_whole ? size - 2 * WORD : 0);
    at->bytecodes_file_position = (uint16_t)(at->bytecodes_whole ? size - WORD : 0);
    return true;
}

#define MEMBER(name, ...) { __VA_ARGS__ },
static const uint16_t environments[][2] = {
#include "environments.def"
};
#undef MEMBER
#define N_MEMBERS (sizeof environments / sizeof *environments)
#define N_COLUMNS (sizeof *environments / sizeof **environments)

bool
mp_places_of_environment(struct mp_ecl_layout *at, size_t i)
{
    uint16_t places[N_MEMBERS];

    _Static_assert(offsetof(struct mp_ecl_layout, env_stack) + sizeof places == sizeof *at, "a column fills the rest");
    if (i >= N_COLUMNS)
        return false;
    for (size_t member = 0; member < N_MEMBERS; member++)
        places[member] = environments[member][i];
    memcpy(&at->env_stack, places, sizeof places);
    return true;
}
