/* SPDX-License-Identifier: MIT */
#include "format_number.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *
mp_number_grouped(uint64_t number, char out[static MP_NUMBER_SIZE])
{
    char digits[MP_NUMBER_SIZE];
    int n = snprintf(digits, sizeof digits, "%" PRIu64, number);
    char *to = out;

    for (int i = 0; i < n; i++) {
        if (i > 0 && (n - i) % 3 == 0)
            *to++ = ',';
        *to++ = digits[i];
    }
    *to = '\0';
    return out;
}

const char *
mp_number_bytes(uint64_t bytes, char out[static MP_NUMBER_SIZE])
{
    return mp_number_bytes_like(bytes, bytes, out);
}

const char *
mp_number_bytes_like(uint64_t bytes, uint64_t like, char out[static MP_NUMBER_SIZE])
{
    static const char *const units[] = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};
    double value = (double)like, scale = 1;
    size_t unit = 0;

    /* 999.95 would be printed as 1000.0 */
    while (value >= (unit == 0 ? 1000 : 999.95) && unit + 1 < sizeof units / sizeof *units) {
        value /= 1000;
        scale *= 1000;
        unit++;
    }
    if ((double)bytes < scale / 10 && bytes > 0)
        return mp_number_bytes_like(bytes, bytes, out);
    snprintf(out, MP_NUMBER_SIZE, "%.*f %s", unit == 0 ? 0 : 1, (double)bytes / scale, units[unit]);
    return out;
}

const char *
mp_number_duration(uint64_t ns, char out[static MP_NUMBER_SIZE])
{
    uint64_t s = ns / 1000000000;

    if (s < 10)
        snprintf(out, MP_NUMBER_SIZE, "%.3f s", (double)ns / 1e9);
    else if (s < 120)
        snprintf(out, MP_NUMBER_SIZE, "%.1f s", (double)ns / 1e9);
    else if (s < 7200)
        snprintf(out, MP_NUMBER_SIZE, "%" PRIu64 " min %" PRIu64 " s", s / 60, s % 60);
    else
        snprintf(out, MP_NUMBER_SIZE, "%" PRIu64 " h %" PRIu64 " min", s / 3600, s / 60 % 60);
    return out;
}

/* Returns how many of PARTS equal parts of WHOLE are nearest to PART. Only all of WHOLE is all parts. */
static uint64_t
rounded(uint64_t part, uint64_t whole, unsigned parts)
{
    __extension__ typedef unsigned __int128 wide;
    const uint64_t nearest = whole > 0 ? (uint64_t)(((wide)part * parts + whole / 2) / whole) : 0;

    return nearest == parts && part < whole ? parts - 1 : nearest;
}

unsigned
mp_number_share(uint64_t part, uint64_t whole)
{
    return (unsigned)rounded(part < whole ? part : whole, whole, 100);
}

unsigned
mp_number_share_down(uint64_t part, uint64_t whole)
{
    __extension__ typedef unsigned __int128 wide;

    return whole == 0 ? 0 : part >= whole ? 100 : (unsigned)((wide)part * 100 / whole);
}

const char *
mp_number_percent(uint64_t part, uint64_t whole, char out[static MP_NUMBER_SIZE])
{
    unsigned percent = mp_number_share_down(part, whole);

    if (percent == 0)
        out[0] = '\0';
    else
        snprintf(out, MP_NUMBER_SIZE, "(%u)", percent);
    return out;
}

const char *
mp_number_tenths(uint64_t part, uint64_t whole, char out[static MP_NUMBER_SIZE])
{
    const uint64_t tenths = rounded(part, whole, 1000);

    snprintf(out, MP_NUMBER_SIZE, "%" PRIu64 ".%" PRIu64, tenths / 10, tenths % 10);
    return out;
}

/* Returns -1, 0 or 1 if PART is less than, equal to or more than PERMILLE/1000 of WHOLE. */
static int
compare_share(uint64_t part, uint64_t whole, unsigned permille)
{
    __extension__ typedef unsigned __int128 wide;
    wide left = (wide)part * 1000, right = (wide)whole * permille;

    return (left > right) - (left < right);
}

int
mp_at_least(uint64_t part, uint64_t whole, unsigned permille)
{
    return part > 0 && compare_share(part, whole, permille) >= 0;
}

int
mp_more_than(uint64_t part, uint64_t whole, unsigned permille)
{
    return part > 0 && compare_share(part, whole, permille) > 0;
}

bool
mp_number_parse(const char *text, bool units, uint64_t *number)
{
    static const char letters[] = "KkMmGg";
    const char *unit;
    char *end;
    unsigned shift = 0;

    if (!isdigit((unsigned char)*text))
        return false;
    errno = 0;
    *number = strtoull(text, &end, 10);
    if (*end && units && (unit = strchr(letters, *end))) {
        shift = 10 * (1 + (unsigned)(unit - letters) / 2);
        end++;
    }
    if (errno != 0 || *end != '\0' || *number > UINT64_MAX >> shift)
        return false;
    *number <<= shift;
    return true;
}

const char *
mp_plural(uint64_t number)
{
    return number == 1 ? "" : "s";
}
