#include "export.h"

#include <stdlib.h>
#include <string.h>

#include "export_formats.h"
#include "reporter/base/text.h"

const struct mp_export_format mp_export_formats[] = {
    {"pprof", "profile.proto, gzip: go tool pprof, Parca, Pyroscope", true, false, .write = mp_export_pprof},
    {"pprof-legacy", "gperftools' text of addresses: google-pprof", false, false, .write = mp_export_pprof_legacy},
    {"speedscope", "JSON, with all figures: speedscope.app", false, false, .write = mp_export_speedscope},
    {"collapsed", "a line for each chain: flamegraph.pl, speedscope, inferno", false, true,
     .write = mp_export_collapsed},
    {"callgrind", "functions, lines and calls: KCachegrind, callgrind_annotate", false, false,
     .write = mp_export_callgrind},
    {"massif", "what lived when, and at the peak: ms_print, massif-visualizer", false, false,
     .write = mp_export_massif},
    {"dhat", "chains with total, peak and end, as JSON: dh_view.html of valgrind", false, false,
     .write = mp_export_dhat},
    {"heaptrack", "chains and sizes, to a name in .zst, .gz or plain: heaptrack_gui, heaptrack_print", false, false,
     .write = mp_export_heaptrack},
    {"csv", "a line for each chain and type, with all figures: DuckDB, sqlite3, spreadsheets", false, false,
     .write = mp_export_csv, .labels = true, .by_process = true},
    {"ndjson", "the same as JSON, with whole chains: DuckDB, jq", false, false, .write = mp_export_ndjson,
     .labels = true, .by_process = true},
    {"sqlite", "appended to the database that -o names, for queries over many runs: sqlite3", true, false,
     .append = mp_export_sqlite, .labels = true},
    {"chains", "a line for each chain, with whole names and most figures: awk, scripts", false, false,
     .write = mp_export_chains, .whole = true},
    {"ids", "the same, each function and chain once and then by its number: scripts", false, false,
     .write = mp_export_ids, .whole = true},
    {"lifetimes", "how long the blocks of each chain lived, after mprof run --lifetimes: scripts", false, false,
     .write = mp_export_lifetimes, .whole = true},
};

const size_t mp_n_export_formats = sizeof mp_export_formats / sizeof *mp_export_formats;

const struct mp_export_format *
mp_export_named(const char *name)
{
    for (size_t i = 0; i < mp_n_export_formats; i++)
        if (strcmp(mp_export_formats[i].name, name) == 0)
            return &mp_export_formats[i];
    return NULL;
}

bool
mp_export_bytes(const struct mp_export_format *format, const struct mp_export *export, char **bytes,
                size_t *size, struct mp_error *error)
{
    struct mp_text_stream memory;
    bool ok = format->write(export, mp_text_open(&memory), error);

    *bytes = mp_text_close(&memory);
    *size = memory.size;
    if (ok)
        return true;
    free(*bytes);
    *bytes = NULL;
    return false;
}
