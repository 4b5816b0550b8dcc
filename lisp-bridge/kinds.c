#include "kinds.h"

#include <pthread.h>
#include <string.h>

#include "ecl.h"
#include "print.h"

#define TABLE_BITS  15u
#define TABLE_SIZE  (1u << TABLE_BITS)
#define MOST_CLASSES (MP_KIND_END - MP_KIND_CLASS)
#define NAME_SIZE   256

static const struct mp_kind_name types[MP_LISP_KINDS] = {
#define TYPE(tag, name, category) [MP_LISP_KIND(tag)] = { name, MP_LISP_KIND(tag), category },
#define EXTRA(id, name, category) [MP_LISP_##id] = { name, MP_LISP_##id, category },
#include "types.def"
#undef TYPE
#undef EXTRA
};

/* Classes by address: read without a lock. */
static struct slot {
    uintptr_t class;            /* 0 free, GONE: it is dead; written last */
    uint32_t kind;
    bool method;                /* its instances are methods */
} table[TABLE_SIZE];
#define GONE 1u

static struct class {
    const char *name;
    unsigned base;
} classes[MOST_CLASSES];
static uint32_t n_classes, n_slots;     /* n_slots: not free */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Names live as long as the process. */
static char names[1u << 20];
static size_t names_used;

void
mp_lisp_describe_kind(unsigned kind, struct mp_kind_name *name)
{
    if (kind >= MP_KIND_CLASS && kind - MP_KIND_CLASS < n_classes)
        *name = (struct mp_kind_name){ classes[kind - MP_KIND_CLASS].name,
                                       classes[kind - MP_KIND_CLASS].base, 's' };
    else if (kind < MP_LISP_KINDS && types[kind].name)
        *name = types[kind];
}

bool
mp_lisp_is_provisional(unsigned kind)
{
    return kind == MP_LISP_KIND(t_instance) || kind == MP_LISP_OBJECT;
}

/* ------------------------------------------------------------------ classes */

static bool
is_instance(cl_object o)
{
    return o && !ECL_IMMEDIATE(o) && o->d.t == t_instance && o->instance.slots;
}

static bool
is_structure_class(cl_object class)
{
    cl_object meta = ECL_CLASS_OF(class);
    char name[32] = "";
    struct mp_text text = mp_text_begin(name, sizeof name);

    if (is_instance(meta))
        mp_text_print(&text, ECL_CLASS_NAME(meta));
    return strcmp(name, "STRUCTURE-CLASS") == 0;
}

static bool
inherits_method(cl_object class, unsigned depth)
{
    char name[32] = "";
    struct mp_text text = mp_text_begin(name, sizeof name);

    if (!is_instance(class) || class->instance.length < 5 || depth == 16)
        return false;
    mp_text_print(&text, ECL_CLASS_NAME(class));
    if (strcmp(name, "METHOD") == 0)
        return true;
    for (cl_object list = ECL_CLASS_SUPERIORS(class); list && ECL_CONSP(list);
         list = ECL_CONS_CDR(list))
        if (inherits_method(ECL_CONS_CAR(list), depth + 1))
            return true;
    return false;
}

static struct slot *
find(uintptr_t class)
{
    uint32_t at = (uint32_t)((uint64_t)class * 0x9e3779b97f4a7c15u >> (64 - TABLE_BITS));

    for (;; at = (at + 1) % TABLE_SIZE) {
        uintptr_t there = __atomic_load_n(&table[at].class, __ATOMIC_ACQUIRE);

        if (there == class || there == 0)
            return &table[at];
    }
}

/* A kind for CLASS, one of an equally named class that is gone if there is one (a class that was
 * defined again).  Lock held. */
static unsigned
add(cl_object class)
{
    char name[NAME_SIZE];
    struct mp_text text = mp_text_begin(name, sizeof name);
    unsigned base = is_structure_class(class) ? MP_LISP_STRUCTURE : MP_LISP_KIND(t_instance);
    size_t size;

    mp_text_print(&text, ECL_CLASS_NAME(class));
    size = strlen(name) + 1;
    for (uint32_t i = 0; i < n_classes; i++)
        if (classes[i].base == base && strcmp(classes[i].name, name) == 0)
            return MP_KIND_CLASS + i;
    if (n_classes == MOST_CLASSES || size > sizeof names - names_used)
        return base;
    memcpy(names + names_used, name, size);
    classes[n_classes] = (struct class){ names + names_used, base };
    names_used += size;
    return MP_KIND_CLASS + n_classes++;
}

unsigned
mp_lisp_class_kind(cl_object class)
{
    struct slot *slot = find((uintptr_t)class);
    unsigned kind;

    if (__atomic_load_n(&slot->class, __ATOMIC_ACQUIRE))
        return slot->kind;
    if (!is_instance(class) || class->instance.length < 5)
        return MP_LISP_KIND(t_instance);
    pthread_mutex_lock(&lock);
    kind = add(class);
    slot = find((uintptr_t)class);
    if (!slot->class && n_slots < TABLE_SIZE / 2) {
        n_slots++;
        slot->kind = kind;
        slot->method = inherits_method(class, 0);
        __atomic_store_n(&slot->class, (uintptr_t)class, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&lock);
    return kind;
}

bool
mp_lisp_is_method_class(cl_object class)
{
    const struct slot *slot = find((uintptr_t)class);

    return __atomic_load_n(&slot->class, __ATOMIC_ACQUIRE) && slot->method;
}

void
mp_lisp_forget_classes(bool (*marked)(const void *object))
{
    for (uint32_t i = 0; i < TABLE_SIZE; i++)
        if (table[i].class > GONE && !marked((const void *)table[i].class))
            __atomic_store_n(&table[i].class, GONE, __ATOMIC_RELEASE);
}
