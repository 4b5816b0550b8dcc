/* SPDX-License-Identifier: MIT */
#include "entries.h"

#include <fcntl.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>

#include "runtime/system/sys.h"

#ifdef __x86_64__

#define PAGE     4096u
#define JUMP     5u                 /* bytes of a jump with a displacement of 32 bits */
#define MOST     (JUMP + 14)        /* maximum number of bytes that are replaced, whole instructions */
#define ROOM     64u                /* bytes of near code for each function */
#define MAX_FUNCTIONS 8u
#define REACH    ((uintptr_t)1 << 30)   /* maximum distance of the near code from the program */

/* A decoded instruction. `size` is 0 if the instruction is of an unknown kind. */
struct instruction {
    unsigned size;
    unsigned displacement;          /* offset of a displacement relative to the next instruction; 0 for none */
    bool jumps;                     /* the instruction never continues at the next one */
};

struct entry {
    uintptr_t start;
    size_t size;
    uint8_t old[MOST];
    unsigned n;                     /* number of bytes of `old` in use */
    bool jumps;                     /* the last instruction in `old` is a jump */
};

/* Code and words near the program. */
static uint8_t *near_code;
static void **near_words;

/* ------------------------------------------------------------------ decoding */

/* Returns the size of the ModRM byte at CODE with what belongs to it. Sets *RELATIVE if it has an address relative to
 * the next instruction. */
static unsigned
operand_size(const uint8_t *code, bool *relative)
{
    const unsigned mod = code[0] >> 6, rm = code[0] & 7;
    const unsigned has_base = mod != 3 && rm == 4, has_byte = mod == 1;

    *relative = mod == 0 && rm == 5;
    if (*relative || mod == 2 || (has_base && mod == 0 && (code[1] & 7) == 5))
        return 1 + has_base + 4;
    return 1 + has_base + has_byte;
}

/* Decodes an instruction with a ModRM byte at CODE[AT], followed by an operand of IMMEDIATE bytes. */
static struct instruction
with_operand(const uint8_t *code, unsigned at, unsigned immediate)
{
    bool relative;
    const unsigned size = operand_size(code + at, &relative);

    return (struct instruction){ at + size + immediate, relative ? at + 1 : 0, false };
}

static bool
is_one_of(uint8_t byte, const uint8_t *bytes, size_t n)
{
    return memchr(bytes, byte, n) != NULL;
}

/* Decodes the instruction at CODE, of which 15 bytes can be read. */
static struct instruction
decode(const uint8_t *code)
{
    static const uint8_t endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa },
        operands[] = { 0x01, 0x03, 0x09, 0x0b, 0x21, 0x23, 0x29, 0x2b, 0x31, 0x33, 0x38, 0x39, 0x3a, 0x3b,
                       0x84, 0x85, 0x88, 0x89, 0x8a, 0x8b, 0x8d },      /* arithmetic, test, mov, lea */
        with_byte[] = { 0x80, 0x83, 0xc6 }, with_word[] = { 0x81, 0xc7 },
        two_bytes[] = { 0x1f, 0xb6, 0xb7, 0xbe, 0xbf };                 /* nop, movzx, movsx */
    unsigned at = 0;
    bool wide = false;
    uint8_t opcode;

    if (memcmp(code, endbr64, sizeof endbr64) == 0)
        return (struct instruction){ sizeof endbr64, 0, false };
    at += code[at] == 0x64;                             /* a thread's variable */
    if ((code[at] & 0xf0) == 0x40)
        wide = code[at++] & 8;
    opcode = code[at++];
    if (is_one_of(opcode, operands, sizeof operands))
        return with_operand(code, at, 0);
    if (is_one_of(opcode, with_byte, sizeof with_byte))
        return with_operand(code, at, 1);
    if (is_one_of(opcode, with_word, sizeof with_word))
        return with_operand(code, at, 4);
    if ((opcode & 0xf8) == 0x50)                        /* push */
        return (struct instruction){ at, 0, false };
    if ((opcode & 0xf8) == 0xb8)                        /* mov */
        return (struct instruction){ at + (wide ? 8 : 4), 0, false };
    if (opcode == 0xe9)                                 /* jmp */
        return (struct instruction){ at + 4, at, true };
    if (opcode == 0x0f && (code[at] & 0xf0) == 0x80)    /* conditional jumps */
        return (struct instruction){ at + 5, at + 1, false };
    if (opcode == 0x0f && is_one_of(code[at], two_bytes, sizeof two_bytes))
        return with_operand(code, at + 1, 0);
    return (struct instruction){ 0, 0, false };
}

/* ------------------------------------------------------------------ is it safe? */

static bool
has_one_thread(void)
{
    struct stat status;

    return mp_sys_stat("/proc/self/task", 0, &status) == 0 && status.st_nlink == 3;
}

/* Finds the instructions that a jump at the beginning of ENTRY replaces. Returns false if one of them is of an unknown
 * kind, or if the function is too small. */
static bool
read_entry(struct entry *entry)
{
    const uint8_t *code = (const uint8_t *)entry->start;

    while (entry->n < JUMP) {
        const struct instruction next = decode(code + entry->n);

        if (!next.size || entry->jumps || entry->n + next.size > entry->size)
            return false;
        entry->n += next.size;
        entry->jumps = next.jumps;
    }
    memcpy(entry->old, code, entry->n);
    return true;
}

/* Returns whether the function may jump to an address in a register or in a table. */
static bool
jumps_anywhere(const struct entry *entry)
{
    const uint8_t *code = (const uint8_t *)entry->start;

    for (size_t i = 0; i + 1 < entry->size; i++)
        if (code[i] == 0xff && ((code[i + 1] & 0xf8) == 0xe0 || (code[i + 1] & 0x3f) == 0x24))
            return true;
    return false;
}

static bool
is_inside(const struct entry *entries, size_t n, uintptr_t target)
{
    for (size_t i = 0; i < n; i++)
        if (target - entries[i].start - 1 < JUMP - 1)
            return true;
    return false;
}

/* Return whether the bytes before a displacement of 8 or 32 bits may be the opcode of a jump or call. */
static bool
is_short_jump(uint8_t opcode)
{
    return (opcode & 0xf0) == 0x70 || opcode == 0xeb || (opcode & 0xfc) == 0xe0;
}

static bool
is_jump(const uint8_t *displacement)
{
    const uint8_t last = displacement[-1], before = displacement[-2];

    return (last & 0xfe) == 0xe8 || (before == 0x0f && (last & 0xf0) == 0x80) || (before == 0xc7 && last == 0xf8);
}

/* Returns whether a jump with a displacement of 8 bits in the function may lead between its replaced instructions.
 * Other functions have no such jumps: compilers jump only to the start of another function, and a part of a function
 * that they place elsewhere uses displacements of 32 bits. */
static bool
short_jump_leads_inside(const struct entry *entry)
{
    for (uintptr_t at = entry->start + 1; at < entry->start + entry->size; at++)
        if (is_short_jump(((const uint8_t *)at)[-1]) &&
            is_inside(entry, 1, at + 1 + (uintptr_t)(intptr_t)*(const int8_t *)at))
            return true;
    return false;
}

/* Returns whether a jump with a displacement of 32 bits in the SIZE bytes at START may lead between the replaced
 * instructions of one of the N ENTRIES. */
static bool
jump_leads_inside(uintptr_t start, size_t size, const struct entry *entries, size_t n)
{
    uintptr_t least = UINTPTR_MAX, greatest = 0;
    int32_t displacement;

    for (size_t i = 0; i < n; i++) {
        least = entries[i].start < least ? entries[i].start : least;
        greatest = entries[i].start > greatest ? entries[i].start : greatest;
    }
    for (uintptr_t at = start + 2; at + sizeof displacement <= start + size; at++) {
        uintptr_t target;

        memcpy(&displacement, (const void *)at, sizeof displacement);
        target = at + sizeof displacement + (uintptr_t)(intptr_t)displacement;
        if (target - least < greatest + JUMP - least && is_inside(entries, n, target) && is_jump((const uint8_t *)at))
            return true;
    }
    return false;
}

static bool
code_leads_inside(const struct entry *entries, size_t n)
{
    const uintptr_t bias = mp_ecl.libecl->l_addr;
    const ElfW(Phdr) *segments = (const void *)getauxval(AT_PHDR);
    const unsigned long n_segments = getauxval(AT_PHNUM);

    for (unsigned long i = 0; segments && i < n_segments; i++) {
        if (segments[i].p_type == PT_LOAD && (segments[i].p_flags & PF_X) &&
            jump_leads_inside(bias + segments[i].p_vaddr, segments[i].p_memsz, entries, n))
            return true;
    }
    return !segments;
}

/* ------------------------------------------------------------------ code near the program */

/* Maps a page for code and a page for words below the program, so that jumps of 32 bits reach it. */
static bool
map_near(void)
{
    const uintptr_t lowest = mp_ecl.libecl_code.start & ~(uintptr_t)0xffff;

    for (uintptr_t down = 0x10000; down < REACH && down + 0x10000 < lowest; down += 0x10000) {
        near_code = (uint8_t *)(lowest - down);
        near_words = (void **)(near_code + PAGE);
        if (mp_sys_map_at(near_code, 2 * PAGE) == 0)
            return true;
    }
    return false;
}

static void
put_jump(uint8_t *at, uintptr_t from, uintptr_t target)
{
    const int32_t displacement = (int32_t)(target - from - JUMP);

    *at = 0xe9;
    memcpy(at + 1, &displacement, sizeof displacement);
}

/* Copies the replaced instructions of ENTRY to TO, with corrected displacements. All addresses are within REACH. */
static void
copy_instructions(const struct entry *entry, uint8_t *to)
{
    memcpy(to, entry->old, entry->n);
    for (unsigned at = 0; at < entry->n;) {
        const struct instruction next = decode((const uint8_t *)entry->start + at);
        int32_t displacement;

        if (next.displacement) {
            memcpy(&displacement, to + at + next.displacement, sizeof displacement);
            displacement += (int32_t)(entry->start - (uintptr_t)to);
            memcpy(to + at + next.displacement, &displacement, sizeof displacement);
        }
        at += next.size;
    }
    if (!entry->jumps)
        put_jump(to + entry->n, (uintptr_t)to + entry->n, entry->start + entry->n);
}

/* Writes the near code of ENTRY number I: a jump through its word, and the copy, to which the word refers. */
static void
write_near(const struct entry *entry, size_t i)
{
    uint8_t *code = near_code + i * ROOM;
    const int32_t displacement = (int32_t)((uintptr_t)&near_words[i] - (uintptr_t)(code + 6));

    code[0] = 0xff;
    code[1] = 0x25;
    memcpy(code + 2, &displacement, sizeof displacement);
    copy_instructions(entry, code + 8);
    near_words[i] = code + 8;
}

/* Writes the jumps to the near code. The kernel writes them into private copies of the pages, whose protection does not
 * change. */
static bool
write_jumps(const struct entry *entries, size_t n)
{
    const long fd = mp_sys_open("/proc/self/mem", O_RDWR | O_CLOEXEC, 0);
    size_t done = 0;
    bool all;

    if (fd < 0)
        return false;
    for (; done < n; done++) {
        uint8_t jump[JUMP];

        put_jump(jump, entries[done].start, (uintptr_t)near_code + done * ROOM);
        if (mp_sys_pwrite_all((int)fd, jump, JUMP, entries[done].start) != 0)
            break;
    }
    all = done == n;
    while (!all && done-- > 0)
        mp_sys_pwrite_all((int)fd, entries[done].old, JUMP, entries[done].start);
    mp_sys_close((int)fd);
    return all;
}

/* ------------------------------------------------------------------ all of it */

static const char *
examine(struct entry *entries, size_t n)
{
    if (!has_one_thread())
        return "it may already have several threads";
    for (size_t i = 0; i < n; i++)
        if (!read_entry(&entries[i]) || jumps_anywhere(&entries[i]) || short_jump_leads_inside(&entries[i]))
            return "the code of its libgc cannot be redirected";
    return code_leads_inside(entries, n) ? "the code of its libgc cannot be redirected" : NULL;
}

const char *
mp_entries_redirect(struct mp_import *imports, const struct mp_range *functions, size_t n)
{
    struct entry entries[MAX_FUNCTIONS] = { 0 };
    size_t used[MAX_FUNCTIONS], n_used = 0;
    const char *reason;

    for (size_t i = 0; i < n && n_used < MAX_FUNCTIONS; i++)
        if (functions[i].size) {
            entries[n_used] = (struct entry){ .start = functions[i].start, .size = functions[i].size };
            used[n_used++] = i;
        }
    reason = examine(entries, n_used);
    if (reason)
        return reason;
    if (!map_near())
        return "there is no memory near its code";
    for (size_t i = 0; i < n_used; i++)
        write_near(&entries[i], i);
    if (mp_sys_protect(near_code, PAGE, PROT_READ | PROT_EXEC) != 0 || !write_jumps(entries, n_used)) {
        mp_sys_unmap(near_code, 2 * PAGE);
        return "the system does not allow to change its code";
    }
    for (size_t i = 0; i < n_used; i++) {
        imports[used[i]].word = &near_words[i];
        imports[used[i]].theirs = near_words[i];
    }
    return NULL;
}

#else

const char *
mp_entries_redirect(struct mp_import *imports, const struct mp_range *functions, size_t n)
{
    (void)imports, (void)functions, (void)n;
    return "its libgc can be redirected only on x86-64";
}

#endif
