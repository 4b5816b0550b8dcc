/*
 * import.h -- what other tools wrote becomes a profile like any other.
 *
 * Each format is a line of the table in import.c: how its files begin, and who reads them.  Every file is
 * hostile.  What a format has not is marked as not known (mp_meta.unknown), and where its figures are estimates
 * mp_meta.source says so; nothing is made up.
 */
#ifndef MP_IMPORT_H
#define MP_IMPORT_H

#include "reporter/profile/profile.h"

/* The SIZE bytes of a file, NAME in messages, packed by gzip or not.  Of what it returns, figures are to be checked
 * by mp_check_cells(), and names may be missing: then it is not `symbolised`.  NULL and *ERROR:
 * MP_ERR_NOT_MPROF, or what is wrong with a file of one of the formats. */
struct mp_profile *mp_import(const uint8_t *bytes, size_t size, const char *name,
                             struct mp_error *error);

#endif
