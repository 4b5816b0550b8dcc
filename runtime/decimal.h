/* decimal.h -- converts a number to decimal digits, without stdio. */
#ifndef MP_DECIMAL_H
#define MP_DECIMAL_H

#include <stdint.h>

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
