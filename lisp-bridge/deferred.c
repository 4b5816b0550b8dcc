/* SPDX-License-Identifier: MIT */
#include "deferred.h"

#include "alive.h"
#include "ecl.h"
#include "functions.h"
#include "kinds.h"
#include "names.h"
#include "runtime/heap/heap_record.h"

#define MAX_LOOKS 4

MP_TLS struct mp_lisp_thread mp_lisp_thread;

static bool
is_function(int type)
{
    return type == t_cfun || type == t_cfunfixed || type == t_cclosure;
}

void
mp_deferred_put(struct mp_lisp_thread *self, const void *object, int type, uint32_t cell,
                size_t size, size_t requested, const void *hook_frame)
{
    const uint32_t session = mp_heap_sampled();

    if (self->n == MP_DEFERRED_ROOM) {  /* drop the oldest, which keeps its present kind */
        for (uint32_t i = 1; i < MP_DEFERRED_ROOM; i++)
            self->waiting[i - 1] = self->waiting[i];
        self->n--;
    }
    self->waiting[self->n++] = (struct mp_deferred){
        .object = { object, cell, (uint32_t)requested }, .type = type, .stops = mp_lisp_stops,
        .context = session && cell == 0 && is_function(type) ? mp_heap_here(hook_frame) : 0,
        .session = session, .size = (uint32_t)size };
}

bool
mp_deferred_payload(struct mp_lisp_thread *self, const void *block, uint32_t cell, size_t requested)
{
    if (!mp_deferred_needs_slots(self))
        return false;
    self->waiting[self->n - 1].payload = (struct mp_heap_counted){ block, cell, (uint32_t)requested };
    return true;
}

/* Returns the type of OBJECT. If it was unknown at the allocation, because ecl_alloc_object() was called from outside
 * libecl, reads it from the object's header. */
static int
actual_type(const struct mp_deferred *deferred, cl_object object)
{
    return deferred->type >= 0 ? deferred->type : object->d.t;
}

/* Returns whether a closure over the same code was named recently. Such closures are created often and need not be
 * named again. */
static bool
named_lately(uintptr_t entry)
{
    uintptr_t *place = &mp_lisp_thread.named[(entry >> 4) % MP_NAMED_ROOM];
    bool lately = *place == entry;

    *place = entry;
    return lately;
}

/* Returns the context in which DEFERRED was allocated, or 0 if it is unknown. */
static uint32_t
context_of(const struct mp_deferred *deferred)
{
    return deferred->object.cell                       ? mp_heap_context(deferred->object.cell)
           : deferred->session == mp_heap_sampled() ? deferred->context : 0;
}

/* If a sampled recording has counted DEFERRED by kind, moves it from its present kind to TYPE, a kind without
 * classes. */
static void
set_type(const struct mp_deferred *deferred, unsigned type)
{
    const unsigned from = mp_lisp_type_kind(deferred->type);

    if (deferred->session && type != from)
        mp_heap_change_counted(deferred->session, deferred->size, from, type);
}

/* Counts DEFERRED, and its payload if that is not NULL, as objects of KIND, which belongs to TYPE. */
static void
set_kind(const struct mp_deferred *deferred, const struct mp_heap_counted *payload, unsigned kind, unsigned type,
         const void *hook_frame)
{
    set_type(deferred, type);
    if (deferred->object.cell || (payload && payload->cell))
        mp_heap_change_kind(&deferred->object, payload, kind, hook_frame);
}

/* Names FUNCTION. A function without a name is examined several times, because (SETF FOO) allocates memory before it
 * becomes a function's name. Returns false if it must be examined again. */
static bool
name(cl_object function, struct mp_deferred *deferred)
{
    const bool again = deferred->looks > 0;
    const uint32_t context = context_of(deferred);

    if (mp_lisp_has_name(function)) {
        mp_lisp_name_function(function);
        return true;
    }
    if (!context || (!again && named_lately(mp_lisp_entry(function))))
        return true;
    deferred->looks++;
    return mp_lisp_name_closure(function, context, deferred->looks == MAX_LOOKS);
}

static bool
look_at_instance(const struct mp_deferred *deferred, cl_object object, const void *hook_frame)
{
    bool is_method, is_payload = object->instance.slots == deferred->payload.block;
    unsigned kind;

    if (!object->instance.clas || !object->instance.slots)
        return false;
    kind = mp_lisp_class_kind(object->instance.clas, &is_method);
    if (is_method)
        mp_lisp_name_method(object);
    if (kind != MP_LISP_KIND(t_instance) || is_payload)
        set_kind(deferred, is_payload ? &deferred->payload : NULL, kind, mp_lisp_base_kind(kind), hook_frame);
    return true;
}

/* Examines a waiting object. Returns false if it must wait further. */
static bool
look(struct mp_deferred *deferred, const void *hook_frame)
{
    cl_object object = mp_lisp_still_there((void *const *)&deferred->object.block, deferred->stops,
                                           deferred->object.cell);
    int type;

    if (!object)
        return true;            /* the object has died */
    type = actual_type(deferred, object);
    if (type == 0)
        return false;
    if (type == t_instance)
        return look_at_instance(deferred, object, hook_frame);
    if (is_function(type)) {
        if (!object->cfun.entry || !name(object, deferred))
            return false;
    }
    if (type != deferred->type)
        set_kind(deferred, NULL, mp_lisp_type_kind(type), mp_lisp_type_kind(type), hook_frame);
    return true;
}

MP_COLD void
mp_deferred_resolve(struct mp_lisp_thread *self, const void *hook_frame)
{
    struct mp_deferred *last = &self->waiting[self->n - 1];
    cl_object object;
    int type;

    if (last->type >= 0)
        return;
    object = mp_lisp_still_there((void *const *)&last->object.block, last->stops, last->object.cell);
    type = object ? object->d.t : 0;
    if (type <= 0)
        return;
    self->last_kind = mp_lisp_type_kind(type);
    if (type != t_instance)     /* a block's kind can be changed only once, and an instance's class is still to come */
        set_kind(last, NULL, self->last_kind, self->last_kind, hook_frame);
    else
        set_type(last, self->last_kind);
    last->type = type;
    if (!mp_deferred_needed(type))
        self->n--;
}

MP_NOINLINE void
mp_deferred_look(struct mp_lisp_thread *self, const void *hook_frame)
{
    uint32_t kept = 0;

    if (!mp_ecl.known)
        self->n = 0;
    for (uint32_t i = 0; i < self->n; i++)
        if (!look(&self->waiting[i], hook_frame))
            self->waiting[kept++] = self->waiting[i];
    self->n = kept;
}
