/* SPDX-License-Identifier: MIT */
#include "thread.h"

MP_TLS struct mp_thread mp_thread = { .generation = UINT32_MAX };
