#include "second.h"

#include "ecl.h"

#include "kinds.h"
#include "names.h"
#include "runtime/monitor.h"

MP_TLS struct mp_lisp_thread mp_lisp_thread;

bool
mp_second_needed(int type)
{
    return type == t_instance || type == t_cfun || type == t_cfunfixed || type < 0;
}

void
mp_second_put(struct mp_lisp_thread *self, const void *object, int type, uint32_t cell,
              size_t requested)
{
    uint32_t at = self->n;

    if (at == MP_SECOND_ROOM) {         /* the oldest stays what it is counted as */
        for (uint32_t i = 1; i < MP_SECOND_ROOM; i++)
            self->later[i - 1] = self->later[i];
        at--;
    } else {
        self->n++;
    }
    self->later[at] = (struct mp_second){ .object = object, .cell = cell, .type = type,
                                          .requested = (uint32_t)requested };
}

void
mp_second_payload(struct mp_lisp_thread *self, const void *block, uint32_t cell, size_t requested)
{
    struct mp_second *last = &self->later[self->n - 1];

    if (self->n && last->type == t_instance && !last->payload) {
        last->payload = block;
        last->payload_cell = cell;
        last->payload_requested = (uint32_t)requested;
    }
}

/* An object of unknown type, made by a caller of ecl_alloc_object that is not libecl. */
static int
actual_type(const struct mp_second *second)
{
    return second->type >= 0 ? second->type : ((const struct ecl_dummy *)second->object)->t;
}

/* False: not yet ready. */
static bool
look(const struct mp_second *second, const void *hook_frame)
{
    cl_object object = (cl_object)(uintptr_t)second->object;
    int type = actual_type(second);
    unsigned kind = MP_LISP_KIND(type);

    if (type == 0)
        return false;
    if (type == t_cfun || type == t_cfunfixed) {
        if (!object->cfun.entry)
            return false;
        mp_lisp_name_function(object);
    }
    if (type == t_instance) {
        if (!object->instance.clas || !object->instance.slots)
            return false;
        kind = mp_lisp_class_kind(object->instance.clas);
        if (object->instance.slots == second->payload)
            mp_heap_change_kind(second->payload, second->payload_cell, second->payload_requested,
                                kind | MP_KIND_PAYLOAD, hook_frame);
    }
    if (kind != MP_LISP_KIND(second->type) && second->cell)
        mp_heap_change_kind(object, second->cell, second->requested, kind, hook_frame);
    return true;
}

MP_NOINLINE void
mp_second_look(struct mp_lisp_thread *self, const void *hook_frame)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < self->n; i++)
        if (!look(&self->later[i], hook_frame))
            self->later[kept++] = self->later[i];
    self->n = kept;
}
