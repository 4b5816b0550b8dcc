/* no_file.h -- explains why a run left no data file that can be read. */
#ifndef MP_NO_FILE_H
#define MP_NO_FILE_H

#include "harvest.h"
#include "reporter/base/error.h"

/* Fills *ERROR with the reason why the program of HARVEST has no recording. */
void mp_no_file(const struct mp_harvest *harvest, struct mp_error *error);

#endif
