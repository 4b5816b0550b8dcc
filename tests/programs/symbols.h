/* symbols.h -- for the programs that test_symbols looks up names in; nobody runs them. */
#ifndef TEST_SYMBOLS_H
#define TEST_SYMBOLS_H

/* A global label NAME on an instruction of this very line: the test takes it for a call. */
#define SITE(name) __asm__ volatile(".globl " #name "\n" #name ": nop")

#endif
