/* symbols.h -- used by the programs in which test_symbols looks up names. They are never run. */
#ifndef TEST_SYMBOLS_H
#define TEST_SYMBOLS_H

/* Defines a global label NAME at an instruction of this line. The test treats it as a call. */
#define SITE(name) __asm__ volatile(".globl " #name "\n" #name ": nop")

#endif
/* SPDX-License-Identifier: MIT */
