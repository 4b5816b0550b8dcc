/* html_lifetimes.c -- writes the lifetimes of blocks by node of the page. */
#include "html_parts.h"
#include "reporter/base/json.h"
#include "reporter/profile/lifetimes.h"

/* Returns the lifetimes by node of the page. A merged node has the sums of its nodes in the view. An item is NULL if
 * the node has no freed blocks with a known lifetime. The result is allocated in ARENA. */
static struct mp_lifetimes **
sum_up(const struct mp_html_tree *page, struct mp_arena *arena)
{
    const struct mp_tree *tree = page->tree;
    struct mp_lifetimes **sums = mp_arena_alloc(arena, page->n_nodes * sizeof *sums);

    for (uint32_t i = 0; i < tree->n_nodes; i++) {
        struct mp_lifetimes self;

        if (mp_tree_self_lifetimes(tree, i, &self) && mp_lifetimes_all(&self).blocks > 0)
            mp_lifetimes_add(&sums[page->to[i]], &self, arena);
    }
    return sums;
}

enum column { NODE, BUCKET, BLOCKS, BYTES };

static void
write_column(const struct mp_html_tree *page, struct mp_lifetimes *const *sums, const char *key, enum column column,
             struct mp_buffer *out)
{
    uint32_t last = 0;

    mp_json_key_open(out, key, '[');
    for (uint32_t node = 0; node < page->n_nodes; node++) {
        for (unsigned i = 0; sums[node] && i < MP_LIFETIMES; i++) {
            const uint64_t values[] = {node - last, i, sums[node]->blocks[i], sums[node]->bytes[i]};

            if (sums[node]->blocks[i] == 0)
                continue;
            mp_json_number(out, values[column]);
            last = node;
        }
    }
    mp_json_close(out, ']');
}

void
mp_html_lifetimes_write(const struct mp_html_tree *page, struct mp_buffer *out)
{
    struct mp_arena *arena;
    struct mp_lifetimes **sums;

    if (!page->tree->profile->lifetimes)
        return;
    arena = mp_arena_new();
    sums = sum_up(page, arena);
    mp_json_key_open(out, "lived", '{');
    mp_json_key_open(out, "below", '[');
    for (unsigned i = 0; i + 1 < MP_LIFETIMES; i++)
        mp_json_number(out, (uint64_t)1 << MP_LIFETIME_BITS(i));
    mp_json_close(out, ']');
    mp_json_key_number(out, "short", MP_LIFETIMES_SHORT);
    write_column(page, sums, "node", NODE, out);
    write_column(page, sums, "bucket", BUCKET, out);
    write_column(page, sums, "blocks", BLOCKS, out);
    write_column(page, sums, "bytes", BYTES, out);
    mp_json_close(out, '}');
    mp_arena_free(arena);
}
