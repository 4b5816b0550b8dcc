/* SPDX-License-Identifier: MIT */
/* Finds a peak that is one short phase. */
#include "facts.h"

enum { PEAK, TIME, OTHER, FREED, SHARE };

static const struct mp_limit limits[] = {
    [PEAK] = {10000000, MP_IN_BYTES, "the peak is at least %s"},
    [TIME] = {100, MP_IN_PERMILLE,
              "more than half of the peak is live for at most %s of the time, without interruption"},
    [OTHER] = {300, MP_IN_PERMILLE, "at all other points less than %s of it is live"},
    [FREED] = {500, MP_IN_PERMILLE, "at least %s of it was freed later"},
    [SHARE] = {250, MP_IN_PERMILLE, "one place has at least %s of what was freed"},
};

/* The period in which more than half of the peak was alive. */
struct phase {
    uint64_t from, to;          /* ns */
    uint64_t other;             /* maximum live bytes outside of the period */
    bool once;
};

/* Finds the phase. Interpolates the live bytes linearly between two points. */
static struct phase
find_phase(const struct mp_timeline *line, uint64_t peak)
{
    const struct mp_point *before = &line->points[0];
    uint32_t rises = before->live > peak / 2;
    struct phase phase = {0};

    for (uint32_t i = 1; i < line->n_points; i++) {
        const struct mp_point *point = &line->points[i];
        const bool above = point->live > peak / 2;

        if (point->live == MP_NOT_SEEN)
            continue;
        if (above != (before->live > peak / 2))
            *(above ? &phase.from : &phase.to) = mp_point_crossing(before, point, peak / 2);
        rises += above && before->live <= peak / 2;
        if (above)
            phase.to = point->time;
        else if (point->live > phase.other)
            phase.other = point->live;
        before = point;
    }
    phase.once = rises == 1;
    return phase;
}

static void
say(struct mp_facts *facts, const struct mp_rule *rule, const struct mp_places *places,
    const struct mp_candidate_place *place, const struct phase *phase)
{
    const uint64_t duration = facts->view->meta.duration, held = mp_counts_key(&place->counts, MP_SORT_PEAK);
    struct mp_finding *finding = mp_facts_find(facts, rule, places, place, MP_SORT_PEAK,
                                               facts->peak - phase->other, facts->peak);

    MP_FINDING_TEXT(facts, finding, "The peak, %s, is one short phase: more than half of it was alive for "
                    "%s of %s, from %s on, and at most %s at all other points of the time line. %s "
                    "had %s of it.", mp_facts_bytes(facts, facts->peak),
                    mp_finding_number(phase->to - phase->from, MP_IN_NANOSECONDS, facts->arena),
                    mp_finding_number(duration, MP_IN_NANOSECONDS, facts->arena),
                    mp_finding_number(phase->from, MP_IN_NANOSECONDS, facts->arena),
                    mp_facts_bytes(facts, phase->other), finding->function,
                    mp_facts_bytes(facts, held));
    mp_finding_figure(finding, "peak", MP_IN_BYTES, facts->peak);
    mp_finding_figure(finding, "other", MP_IN_BYTES, phase->other);
    mp_finding_figure(finding, "from", MP_IN_NANOSECONDS, phase->from);
    mp_finding_figure(finding, "to", MP_IN_NANOSECONDS, phase->to);
    mp_finding_figure(finding, "held", MP_IN_BYTES, held);
    mp_facts_command(facts, finding, "--at=peak --table=tree --lines");
}

static void
find(struct mp_facts *facts, const struct mp_rule *rule)
{
    const struct mp_timeline *line = facts->view->timeline;
    uint64_t blocks, objects, all, part;
    const struct mp_candidate_place *block = mp_places_most_freed_later(&facts->blocks, &blocks);
    const struct mp_candidate_place *object = mp_places_most_freed_later(&facts->objects, &objects);
    bool lisp = !block || (object && mp_place_freed_later(object) > mp_place_freed_later(block));
    struct phase phase;

    if (!line || line->n_points < 2 || !mp_rule_has(rule, PEAK, facts->peak) ||
        (!block && !object))
        return;
    phase = find_phase(line, facts->peak);
    all = mp_plus(blocks, objects);
    part = mp_place_freed_later(lisp ? object : block);
    if (!phase.once || mp_rule_share(rule, OTHER, phase.other, facts->peak) ||
        mp_facts_reaches(phase.to - phase.from, facts->view->meta.duration, rule->limits[TIME].value + 1) ||
        !mp_rule_share(rule, FREED, all, facts->peak) || !mp_rule_share(rule, SHARE, part, all))
        return;
    say(facts, rule, lisp ? &facts->objects : &facts->blocks, lisp ? object : block, &phase);
}

const struct mp_rule mp_rule_phase = {
    .key = "phase", .title = "A peak that is one short phase", .family = MP_RULES_SHAPE,
    .of = MP_OF_ALL,
    .about = "The program needs much memory only for a short time.  The points of the time line show when, see "
             "mprof-run(1).  The live memory at the peak is exact.",
    MP_RULE_LIMITS(limits), .find = find,
};
