/* SPDX-License-Identifier: MIT */
#include "inflate.h"

#include <string.h>

#include "runtime/system/gate.h"

#define MAX_LENGTH 15u          /* bits of a code */
#define LITERALS   288u
#define DISTANCES  30u
#define END        256u         /* the symbol that ends a block */
#define ORDERED    19u          /* codes of code lengths */

struct input {
    const uint8_t *at, *end;
    uint32_t held;              /* bits that were read from the input and are not decoded yet */
    unsigned n;                 /* number of bits in `held` */
    bool bad;
};

struct output { uint8_t *start, *at, *end; };

/* A prefix code. Codes of the same length are consecutive numbers. */
struct code {
    uint16_t counts[MAX_LENGTH + 1];    /* codes of each length */
    uint16_t symbols[LITERALS];         /* by code */
};

static unsigned
take(struct input *in, unsigned n)
{
    unsigned value;

    while (in->n < n) {
        if (in->at == in->end) {
            in->bad = true;
            return 0;
        }
        in->held |= (uint32_t)*in->at++ << in->n;
        in->n += 8;
    }
    value = in->held & ((1u << n) - 1);
    in->held >>= n;
    in->n -= n;
    return value;
}

/* Builds the canonical Huffman code of the symbols 0 to N - 1. LENGTHS has the bits of each symbol's code word, or 0
 * for a symbol that does not occur. */
static void
make(struct code *code, const uint8_t *lengths, unsigned n)
{
    uint16_t places[MAX_LENGTH + 1] = { 0 };

    memset(code, 0, sizeof *code);
    for (unsigned i = 0; i < n; i++)
        code->counts[lengths[i]]++;
    code->counts[0] = 0;
    for (unsigned i = 1; i < MAX_LENGTH; i++)
        places[i + 1] = (uint16_t)(places[i] + code->counts[i]);
    for (unsigned i = 0; i < n; i++)
        if (lengths[i])
            code->symbols[places[lengths[i]]++] = (uint16_t)i;
}

static unsigned
take_symbol(struct input *in, const struct code *code)
{
    unsigned value = 0, first = 0, before = 0;

    for (unsigned length = 1; length <= MAX_LENGTH && !in->bad; length++) {
        value = value << 1 | take(in, 1);
        if (value < first + code->counts[length])
            return code->symbols[before + value - first];
        before += code->counts[length];
        first = (first + code->counts[length]) << 1;
    }
    in->bad = true;
    return END;
}

/* Takes the number that is the N-th of a table in which PER entries have the same number of extra bits. The numbers
 * begin at LEAST. */
static unsigned
take_number(struct input *in, unsigned n, unsigned per, unsigned least)
{
    const unsigned extra = n < 2 * per ? 0 : n / per - 1;

    return least + (extra == 0 ? n : (per + n % per) << extra) + take(in, extra);
}

static void
copy_back(struct input *in, struct output *out, unsigned length, unsigned distance)
{
    if (distance > (uint64_t)(out->at - out->start) || length > (uint64_t)(out->end - out->at)) {
        in->bad = true;
        return;
    }
    for (; length > 0; length--, out->at++)
        *out->at = out->at[-(int64_t)distance];
}

static void
take_block(struct input *in, struct output *out, const struct code *literals, const struct code *distances)
{
    for (unsigned symbol; (symbol = take_symbol(in, literals)) != END && !in->bad;) {
        unsigned length, n;

        if (symbol < END) {
            if (out->at == out->end)
                in->bad = true;
            else
                *out->at++ = (uint8_t)symbol;
            continue;
        }
        length = symbol == 285 ? 258 : take_number(in, symbol - END - 1, 4, 3);
        n = take_symbol(in, distances);
        in->bad |= symbol > 285 || n >= DISTANCES;
        if (!in->bad)
            copy_back(in, out, length, take_number(in, n, 2, 1));
    }
}

static void
take_stored(struct input *in, struct output *out)
{
    unsigned size;

    in->held = in->n = 0;
    size = take(in, 16);
    if (take(in, 16) != (size ^ 0xffff) || size > (uint64_t)(in->end - in->at) ||
        size > (uint64_t)(out->end - out->at)) {
        in->bad = true;
        return;
    }
    memcpy(out->at, in->at, size);
    in->at += size;
    out->at += size;
}

/* Takes the lengths of N codes, which are coded themselves. */
static void
take_lengths(struct input *in, const struct code *code, uint8_t *lengths, unsigned n)
{
    for (unsigned i = 0; i < n && !in->bad;) {
        const unsigned symbol = take_symbol(in, code);
        const uint8_t last = i > 0 ? lengths[i - 1] : 0;
        unsigned times = symbol < 16 ? 1 : symbol == 16 ? 3 + take(in, 2) : symbol == 17 ? 3 + take(in, 3)
                                                                                      : 11 + take(in, 7);

        for (; times > 0 && i < n; times--)
            lengths[i++] = symbol < 16 ? (uint8_t)symbol : symbol == 16 ? last : 0;
    }
}

static void
take_codes(struct input *in, struct code *literals, struct code *distances)
{
    static const uint8_t order[ORDERED] = { 16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15 };
    const unsigned n_literals = 257 + take(in, 5), n_distances = 1 + take(in, 5), n = 4 + take(in, 4);
    uint8_t lengths[LITERALS + 32] = { 0 };

    for (unsigned i = 0; i < n; i++)
        lengths[order[i]] = (uint8_t)take(in, 3);
    make(literals, lengths, ORDERED);
    memset(lengths, 0, sizeof lengths);
    in->bad |= n_literals > LITERALS;
    take_lengths(in, literals, lengths, n_literals + n_distances);
    make(literals, lengths, in->bad ? 0 : n_literals);
    make(distances, lengths + n_literals, in->bad ? 0 : n_distances);
}

/* Builds the fixed codes (RFC 1951, section 3.2.6). */
static void
make_fixed(struct code *literals, struct code *distances)
{
    uint8_t lengths[LITERALS];

    for (unsigned i = 0; i < LITERALS; i++)
        lengths[i] = i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8;
    make(literals, lengths, LITERALS);
    memset(lengths, 5, DISTANCES);
    make(distances, lengths, DISTANCES);
}

bool
mp_inflate(const uint8_t *from, uint64_t size, uint8_t *to, uint64_t full)
{
    MP_LOCK_HELD();
    static struct code literals, distances;     /* static because the stack may be small; guarded by the lock */
    struct input in = { .at = from + 2, .end = from + size };
    struct output out = { to, to, to + full };
    bool last = size < 2;

    while (!last && !in.bad) {
        unsigned kind;

        last = take(&in, 1);
        kind = take(&in, 2);
        if (kind == 0) {
            take_stored(&in, &out);
        } else if (kind < 3) {
            if (kind == 1)
                make_fixed(&literals, &distances);
            else
                take_codes(&in, &literals, &distances);
            if (!in.bad)
                take_block(&in, &out, &literals, &distances);
        } else {
            in.bad = true;
        }
    }
    return !in.bad && out.at == out.end;
}
