/* Fuzzes the reader of the symbol table of a compiled Lisp file that the program loaded. An input is the file. */
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lisp-bridge/ecl.h"
#include "lisp-bridge/names.h"
#include "runtime/language/name.h"

struct mp_ecl mp_ecl;           /* ECL is not linked into the program */
static volatile size_t seen;

/* Replaces the monitor's function. Checks that names are strings. */
void
mp_name_tell(uintptr_t start, const struct mp_function_name *name)
{
    seen += start + strlen(name->name);
}

void
mp_name_passes_on(uintptr_t entry, uintptr_t body)
{
    seen += entry + body;
}

void
mp_name_twin(uintptr_t start, uintptr_t twin, enum mp_twin how)
{
    seen += start + twin + how;
}

void
mp_name_copies(uintptr_t start, uintptr_t end)
{
    seen += start + end;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64];
    int fd = memfd_create("fuzz", MFD_CLOEXEC);

    if (fd < 0 || write(fd, data, size) != (ssize_t)size)
        abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    /* Nothing is mapped at this address: the loaded code can differ from the file's. */
    mp_lisp_name_file(path, 0x10000);
    close(fd);
    return 0;
}
/* SPDX-License-Identifier: MIT */
