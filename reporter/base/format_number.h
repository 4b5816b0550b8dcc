/* SPDX-License-Identifier: MIT */
/* format_number.h -- human-readable numbers. Functions with the argument OUT write to it and return it. */
#ifndef MP_FORMAT_NUMBER_H
#define MP_FORMAT_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

#define MP_NUMBER_SIZE 32

/* 1234567 -> "1,234,567" */
const char *mp_number_grouped(uint64_t number, char out[static MP_NUMBER_SIZE]);

/* Bytes in powers of 1000, with at least two significant digits: 999 -> "999 B", 1023876 -> "1.0 MB", 12345678
 * -> "12.3 MB" */
const char *mp_number_bytes(uint64_t bytes, char out[static MP_NUMBER_SIZE]);

/* Writes BYTES in the unit that mp_number_bytes() chooses for LIKE, so that numbers of one sentence can be compared:
 * 263000 like 8100000 -> "0.3 MB". Numbers that would be below 0.1 have their own unit. */
const char *mp_number_bytes_like(uint64_t bytes, uint64_t like, char out[static MP_NUMBER_SIZE]);

/* Nanoseconds: "0.123 s", "12.3 s", "2 min 5 s", "3 h 2 min" */
const char *mp_number_duration(uint64_t ns, char out[static MP_NUMBER_SIZE]);

/* Return PART as a percentage of WHOLE, rounded, or rounded down like the whole percents in tables of the original
 * mprof of 1988. Only all of WHOLE is 100 %. Return 0 if WHOLE is 0. */
unsigned mp_number_share(uint64_t part, uint64_t whole);
unsigned mp_number_share_down(uint64_t part, uint64_t whole);

/* Writes mp_number_share_down() as "(50)", or "" if it is less than 1 %. */
const char *mp_number_percent(uint64_t part, uint64_t whole, char out[static MP_NUMBER_SIZE]);

/* Writes PART as a percentage of WHOLE, rounded to one decimal, "49.8". Only all of WHOLE is "100.0". Writes "0.0" if
 * WHOLE is 0. */
const char *mp_number_tenths(uint64_t part, uint64_t whole, char out[static MP_NUMBER_SIZE]);

/* Return whether PART is at least (mp_at_least) or more than (mp_more_than) PERMILLE/1000 of WHOLE. False if
 * PART is 0. */
int mp_at_least(uint64_t part, uint64_t whole, unsigned permille);
int mp_more_than(uint64_t part, uint64_t whole, unsigned permille);

/* Parses TEXT, decimal digits. If UNITS, K, M or G may follow for units of 1024. Returns false if TEXT is anything
 * else or the number is too large. */
bool mp_number_parse(const char *text, bool units, uint64_t *number);

/* Returns "" if NUMBER is 1, else "s", as in "1 block", "2 blocks". */
const char *mp_plural(uint64_t number);

#endif
