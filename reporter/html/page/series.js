/*
 * series.js -- functions on series of values over time, which are {name, values}, values by moment.
 */
"use strict";
(() => {
    /* Returns the values of the series in LIST at MOMENTS and at TIMES between them, as {times, values}. `values` has a
     * list for each series. TOTALS has the sum of all series by TIMES, or null where the sum is unknown. Between two
     * moments, the shares of the series are interpolated. If TOTALS is null, returns the values at MOMENTS only. */
    function following(list, moments, times, totals) {
        const at = [], values = list.map(() => []);
        let p = 0;

        function add(time, of) {
            at.push(time);
            list.forEach((one, i) => values[i].push(of(one.values)));
        }

        moments.forEach((moment, m) => {
            const next = moments[m + 1];

            add(moment.time, column => column[m]);
            for (; totals && next && p < totals.length && times[p] < next.time; p++) {
                const way = (times[p] - moment.time) / (next.time - moment.time);
                const between = column => {
                    const from = Math.max(0, column[m]), to = Math.max(0, column[m + 1]);

                    return from + way * (to - from);
                };
                const sum = list.reduce((whole, one) => whole + between(one.values), 0), total = totals[p];

                if (way > 0 && total !== null)
                    add(times[p], column => sum > 0 ? between(column) / sum * total : 0);
            }
        });
        return { times: at, values };
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
