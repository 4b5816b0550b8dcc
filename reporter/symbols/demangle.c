/* demangle.c -- see demangle.h */
#include "demangle.h"

#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

/* libiberty hands the text over in pieces.  A name of a few hundred bytes can unfold
 * exponentially (substitutions of substitutions), so the collector leaves it by longjmp() when
 * there is too much: libiberty holds nothing but its stack then. */
struct collector {
    jmp_buf too_long;
    size_t length;              /* bytes in text, without the NUL */
    char text[MP_DEMANGLE_MAX_OUTPUT];
};

static void
collect(const char *piece, size_t length, void *data)
{
    struct collector *collector = data;

    if (length >= sizeof collector->text - collector->length)
        longjmp(collector->too_long, 1);
    if (length > 0)             /* PIECE may be NULL */
        memcpy(collector->text + collector->length, piece, length);
    collector->length += length;
}

/* Legacy Rust names are C++ names with a hash at the end, so Rust is asked first. */
static bool
unfold(struct collector *collector, const char *mangled, int options)
{
    if (setjmp(collector->too_long) != 0)
        return false;
    if (rust_demangle_callback(mangled, options, collect, collector))
        return true;
    collector->length = 0;
    return cplus_demangle_v3_callback(mangled, options, collect, collector) != 0;
}

/* MANGLED without its parameters, or with them and a return type; NULL if it is not mangled. */
static char *
demangle(struct collector *collector, const char *mangled, bool parameters)
{
    /* libiberty's own limit refuses every name over 1024 bytes; ours is on the length */
    int options = DMGL_ANSI | DMGL_NO_RECURSE_LIMIT | (parameters ? DMGL_PARAMS : 0);

    collector->length = 0;
    if (!unfold(collector, mangled, options) || collector->length == 0)
        return NULL;
    return strndup(collector->text, collector->length);
}

/* Take the return type off FULL, which is NAME with parameters.  (DMGL_RET_DROP would also take
 * them out of function types inside: std::function<(int)>.) */
static void
drop_return_type(char *full, const char *name)
{
    size_t length = strlen(name);

    for (char *place = strstr(full, name); place != NULL; place = strstr(place + 1, name))
        if (place[length] == '(') {
            if (place > full && place[-1] == ' ')
                memmove(full, place, strlen(place) + 1);
            return;
        }
}

char *
mp_demangle(const char *mangled, bool parameters)
{
    struct collector *collector;
    char *name, *full;

    if ((strncmp(mangled, "_Z", 2) != 0 && strncmp(mangled, "_R", 2) != 0) ||
        strnlen(mangled, MP_DEMANGLE_MAX_INPUT + 1) > MP_DEMANGLE_MAX_INPUT)
        return NULL;
    collector = malloc(sizeof *collector);
    if (collector == NULL)
        return NULL;
    name = demangle(collector, mangled, false);
    full = name == NULL || !parameters ? NULL : demangle(collector, mangled, true);
    free(collector);
    if (!parameters)
        return name;
    if (full != NULL)
        drop_return_type(full, name);
    free(name);
    return full;
}
