#include "startup.h"

#include <string.h>

static bool
begins(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

/* Names that the C standard reserves for the implementation: wherever they are. */
static bool
is_reserved(const char *name)
{
    return strcmp(name, "_start") == 0 || begins(name, "__libc_start_main") ||
           begins(name, "__libc_start_call_main") || strcmp(name, "__clone") == 0 ||
           strcmp(name, "__clone3") == 0 || strcmp(name, "__clone_internal") == 0;
}

/* A program may have functions of these names; then they are the program's business. */
static bool
is_of_libc(const char *name, const char *module)
{
    if (!begins(module, "libc.so") && !begins(module, "libc-") &&
        !begins(module, "libpthread"))
        return false;
    return strcmp(name, "start_thread") == 0 || strcmp(name, "clone") == 0 ||
           strcmp(name, "clone3") == 0 || strcmp(name, "thread_start") == 0 ||
           begins(name, "__GI___clone");
}

bool *
mp_startup_functions(const struct mp_profile *profile, struct mp_arena *arena)
{
    bool *flags = mp_arena_alloc(arena, profile->n_functions * sizeof *flags);

    for (uint32_t i = 0; i < profile->n_functions; i++) {
        const struct mp_function *function = &profile->functions[i];
        const char *bang = strchr(function->name, '!');     /* module!name */
        const char *name = bang ? bang + 1 : function->name;

        flags[i] = is_reserved(name) ||
                   (function->module < profile->n_modules &&
                    is_of_libc(name, profile->modules[function->module].name));
    }
    return flags;
}
