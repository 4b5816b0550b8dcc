/* decimal.h -- a number in decimal digits, where there is no stdio. */
#ifndef MP_DECIMAL_H
#define MP_DECIMAL_H

#include <stdint.h>

/* The longest number needs no more bytes, the NUL included. */
#define MP_DECIMAL_SIZE 12

/* NUMBER, written into the end of DIGITS: where it begins. */
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
