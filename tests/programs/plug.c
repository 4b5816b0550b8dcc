/*
 * plug.c -- the source of two plug-ins that have the same code at the same offsets, but frames of different sizes,
 * and functions of different names of the same length. See reload.c.
 */
#include "program.h"

void *plug_run(size_t size);

static FRAME void *
PLUG_LEAF(size_t size)
{
    volatile char pad[PLUG_PAD];
    void *volatile block;

    pad[0] = 1;
    block = malloc(size);
    KEEP(pad);
    return block;
}

static FRAME void *
PLUG_MIDDLE(size_t size)
{
    volatile char pad[2 * PLUG_PAD];
    void *volatile block;

    pad[0] = 2;
    block = PLUG_LEAF(size);
    KEEP(pad);
    return block;
}

void *
plug_run(size_t size)
{
    void *volatile block = PLUG_MIDDLE(size);

    return block;
}
/* SPDX-License-Identifier: MIT */
