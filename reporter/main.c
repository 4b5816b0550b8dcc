/* SPDX-License-Identifier: MIT */
#include "reporter/command/command.h"
#include "reporter/command/command_main.h"

int
main(int argc, char **argv)
{
    return mp_program(argc, argv, mp_command_main);
}
