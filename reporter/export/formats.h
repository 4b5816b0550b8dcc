/* formats.h -- the functions that write the formats in the table of export.c, see struct mp_export_format. */
#ifndef MP_EXPORT_FORMATS_H
#define MP_EXPORT_FORMATS_H

#include "export.h"

bool mp_export_collapsed(const struct mp_export *export, FILE *out, struct mp_error *error);
bool mp_export_pprof(const struct mp_export *export, FILE *out, struct mp_error *error);
bool mp_export_pprof_legacy(const struct mp_export *export, FILE *out, struct mp_error *error);
bool mp_export_speedscope(const struct mp_export *export, FILE *out, struct mp_error *error);
bool mp_export_callgrind(const struct mp_export *export, FILE *out, struct mp_error *error);
bool mp_export_heaptrack(const struct mp_export *export, FILE *out, struct mp_error *error);
bool mp_export_massif(const struct mp_export *export, FILE *out, struct mp_error *error);
bool mp_export_dhat(const struct mp_export *export, FILE *out, struct mp_error *error);
bool mp_export_csv(const struct mp_export *export, FILE *out, struct mp_error *error);
bool mp_export_chains(const struct mp_export *export, FILE *out, struct mp_error *error);
bool mp_export_ids(const struct mp_export *export, FILE *out, struct mp_error *error);
bool mp_export_lifetimes(const struct mp_export *export, FILE *out, struct mp_error *error);
bool mp_export_ndjson(const struct mp_export *export, FILE *out, struct mp_error *error);

#endif
