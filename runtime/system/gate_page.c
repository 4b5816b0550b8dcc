/* SPDX-License-Identifier: MIT */
#include "gate_page.h"

static struct mp_gate no_gate = { .generation = MP_GATE_SHUT };
struct mp_gate *mp_gate = &no_gate;
