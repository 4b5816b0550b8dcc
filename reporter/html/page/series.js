/* SPDX-License-Identifier: MIT */
/*
 * series.js -- functions on series of values over time, which are {name, values}, values by moment.
 */
"use strict";
(() => {
    const AROUND = 40;          /* a moment's values are also shown for at most 1/AROUND of the time to each side */
    const NEAR = 32;            /* near means: different by at most 1/NEAR of the highest sum */

    /* Returns how the series in LIST, whose values are known at MOMENTS, are drawn over SPAN ns, as {times, values,
     * counted, rest}. `values` has a list for each series, `counted` is false where the series were not counted, and
     * `rest` has what was live there. TOTALS has the sum of all series by TIMES, or null where the sum is unknown. TOTALS
     * may be null. These are the rules of reporter/draw/plot.c. */
    function following(list, moments, times, totals, span) {
        const found = { times: [], values: list.map(() => []), counted: [], rest: [] };
        const points = totals ? Array.from(times, (time, i) => ({ time, total: totals[i] })).filter(p => p.total !== null) : [];
        const sums = moments.map((_, m) => list.reduce((sum, one) => sum + Math.max(0, one.values[m]), 0));
        const near = [...sums, ...points.map(p => p.total)].reduce((a, b) => Math.max(a, b), 0) / NEAR;
        const around = span / AROUND, isNear = (total, sum) => total === null || Math.abs(total - sum) <= near;

        function add(time, m, total) {
            found.times.push(time);
            list.forEach((one, i) => found.values[i].push(m === null ? 0 : one.values[m]));
            found.counted.push(m !== null);
            found.rest.push(total || 0);
        }

        /* Returns the total at TIME, on the line between two points, or null if it is unknown. */
        function totalAt(time) {
            const next = points.findIndex(p => p.time > time), b = points[next], a = points[next < 0 ? points.length - 1 : next - 1];

            return !a ? null : !b ? a.total : a.total + (time - a.time) / (b.time - a.time) * (b.total - a.total);
        }

        /* Returns until which of the times of PASSED, and LAST, all totals are near SUM. START is the time if none is. */
        function limit(passed, last, sum, start) {
            const far = passed.findIndex(p => !isNear(p.total, sum));

            if (far >= 0)
                return far > 0 ? passed[far - 1].time : start;
            return isNear(totalAt(last), sum) ? last : passed.length ? passed[passed.length - 1].time : start;
        }

        function cross(m) {
            const a = moments[m].time, b = moments[m + 1].time, close = b - a <= 2 * around;
            const between = points.filter(p => p.time > a && p.time < b);

            if (close && between.every(p => isNear(p.total, sums[m] + (p.time - a) / (b - a) * (sums[m + 1] - sums[m]))))
                return;
            const end = close ? b : a + around, until = limit(between.filter(p => p.time < end), end, sums[m], a);
            const start = close ? until : b - around;
            const from = limit(between.filter(p => p.time > start).reverse(), start, sums[m + 1], b);

            add(until, m, 0);
            add(until, null, totalAt(until));
            between.filter(p => p.time > until && p.time < from).forEach(p => add(p.time, null, p.total));
            add(from, null, totalAt(from));
            add(from, m + 1, 0);
        }

        moments.forEach((moment, m) => {
            if (m > 0)
                cross(m - 1);
            add(moment.time, m, 0);
        });
        return found;
    }

    /* Returns LIST sorted by the value at moment AT, or by the mean over the time of MOMENTS if AT is null, largest
     * first. */
    function ranked(list, moments, at) {
        function mean(values) {
            let area = 0;

            for (let m = 1; m < values.length; m++)
                area += (values[m] + values[m - 1]) / 2 * (moments[m].time - moments[m - 1].time);
            return area;
        }

        const keys = new Map(list.map(one => [one, at === null ? mean(one.values) : one.values[at]]));
        return [...list].sort((a, b) => keys.get(b) - keys.get(a) || (a.name < b.name ? -1 : 1));
    }

    /* Returns `picked`, the series in LIST that NAMES contains, and `others`, the sum of the other series, or null if
     * there are no others. */
    function chosen(list, names) {
        const picked = names.map(name => list.find(one => one.name === name)).filter(one => one);
        const rest = list.filter(one => !picked.includes(one));

        if (!rest.length)
            return { picked, others: null };
        const values = new Float64Array(rest[0].values.length);
        for (const one of rest)
            one.values.forEach((value, m) => values[m] += value);
        return { picked, others: { name: "others (" + mprof.format.grouped(rest.length) + ")", values } };
    }

    mprof.series = { following, ranked, chosen };
})();
