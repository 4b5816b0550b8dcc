/* SPDX-License-Identifier: MIT */
/* decimal.h -- parses decimal and hexadecimal numbers, and writes decimal ones, without stdio. */
#ifndef MP_DECIMAL_H
#define MP_DECIMAL_H

#include <stdint.h>

/* Parses the decimal number at *AT and moves *AT to its end. Returns 0 if there are no digits. */
static inline uint64_t
mp_take_decimal(const char **at)
{
    uint64_t value = 0;

    for (; **at >= '0' && **at <= '9'; (*at)++)
        value = value * 10 + (uint64_t)(**at - '0');
    return value;
}

/* Does the same with a hexadecimal number in lower case. */
static inline uint64_t
mp_take_hex(const char **at)
{
    uint64_t value = 0;

    for (; (**at >= '0' && **at <= '9') || (**at >= 'a' && **at <= 'f'); (*at)++)
        value = value << 4 | (uint64_t)(**at <= '9' ? **at - '0' : **at - 'a' + 10);
    return value;
}

/* Capacity for the longest number and its NUL, bytes. */
#define MP_DECIMAL_SIZE 12

/* Writes NUMBER and a NUL to the end of DIGITS. Returns the first digit. */
static inline const char *
mp_decimal(uint32_t number, char digits[static MP_DECIMAL_SIZE])
{
    char *at = digits + MP_DECIMAL_SIZE - 1;

    *at = '\0';
    do
        *--at = (char)('0' + number % 10);
    while (number /= 10);
    return at;
}

#endif
