/* no_file.h -- why a run left no data file that can be read. */
#ifndef MP_NO_FILE_H
#define MP_NO_FILE_H

#include "harvest.h"
#include "reporter/base/error.h"

/* Writes to *ERROR why there is no recording of the program that HARVEST is of. */
void mp_no_file(const struct mp_harvest *harvest, struct mp_error *error);

#endif
