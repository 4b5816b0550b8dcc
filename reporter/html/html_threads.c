#include "html_threads.h"

#include <string.h>

#include "reporter/base/map.h"
#include "reporter/profile/threads.h"

struct mp_html_threads
mp_html_threads(const struct mp_profile *view, struct mp_arena *arena)
{
    const char **by_context = mp_thread_names(view, arena);
    struct mp_html_threads threads = {.of = mp_arena_alloc(arena, view->n_contexts * sizeof *threads.of)};
    struct mp_map numbers = {.arena = arena};

    threads.names = mp_arena_alloc(arena, ((size_t)view->n_contexts + 1) * sizeof *threads.names);
    for (uint32_t i = 0; i < view->n_cells; i++) {
        uint32_t context = view->cells[i].context;
        const char *name = by_context[context];
        uint32_t number = (uint32_t)mp_map_add(&numbers, name ? name : "", name ? strlen(name) + 1 : 0);

        threads.of[context] = number;
        threads.names[number] = name;
        threads.n = numbers.count;
    }
    return threads;
}
