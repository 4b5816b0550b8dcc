/* main.c -- main() of the unit tests that do not define one. */
#include "tests/unit/tap.h"

int
main(void)
{
    return tap_run();
}
/* SPDX-License-Identifier: MIT */
