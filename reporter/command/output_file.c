#include "output_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "reporter/base/arena.h"
#include "reporter/base/write_output.h"

FILE *
mp_output_begin(struct mp_output_file *output, const char *path)
{
    *output = (struct mp_output_file){.path = path && strcmp(path, "-") != 0 ? path : NULL};
    if (!output->path)
        return stdout;
    output->memory = mp_need(open_memstream(&output->bytes, &output->size));
    return output->memory;
}

bool
mp_output_end(struct mp_output_file *output, bool ok, struct mp_error *error)
{
    if (!output->path)
        return ok;
    if (fclose(output->memory) != 0)
        mp_no_memory();
    if (ok && !mp_write_output(output->path, output->bytes, output->size))
        ok = mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET, "%s: %s", output->path, strerror(errno));
    free(output->bytes);
    return ok;
}
