#include "export.h"

#include <stdlib.h>
#include <string.h>

#include "formats.h"
#include "sqlite.h"

const struct mp_export_format mp_export_formats[] = {
    {"pprof", "profile.proto, gzip: go tool pprof, Parca, Pyroscope", true, false, mp_export_pprof, NULL},
    {"pprof-legacy", "gperftools' text of addresses: google-pprof", false, false, mp_export_pprof_legacy, NULL},
    {"speedscope", "JSON, with all figures: speedscope.app", false, false, mp_export_speedscope, NULL},
    {"collapsed", "a line for each chain: flamegraph.pl, speedscope, inferno", false, true,
     mp_export_collapsed, NULL},
    {"callgrind", "functions, lines and calls: KCachegrind, callgrind_annotate", false, false,
     mp_export_callgrind, NULL},
    {"massif", "what lived when, and at the peak: ms_print, massif-visualizer", false, false,
     mp_export_massif, NULL},
    {"dhat", "chains with total, peak and end, as JSON: dh_view.html of valgrind", false, false,
     mp_export_dhat, NULL},
    {"heaptrack", "chains and sizes, to a name in .zst, .gz or plain: heaptrack_gui, heaptrack_print", false, false,
     mp_export_heaptrack, NULL},
    {"csv", "a line for each chain and type, with all figures: DuckDB, sqlite3, spreadsheets", false, false,
     mp_export_csv, NULL},
    {"ndjson", "the same as JSON, with whole chains: DuckDB, jq", false, false, mp_export_ndjson, NULL},
    {"sqlite", "appended to the database that -o names, for queries over many runs: sqlite3", true, false, NULL,
     mp_export_sqlite},
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
    FILE *memory = mp_need(open_memstream(bytes, size));
    bool ok = format->write(export, memory, error);

    if (fclose(memory) != 0)
        mp_no_memory();
    if (ok)
        return true;
    free(*bytes);
    *bytes = NULL;
    return false;
}
