/* SPDX-License-Identifier: MIT */
#include "session_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "config.h"
#include "runtime/decimal.h"
#include "runtime/record/sentinel.h"
#include "runtime/store/claim.h"
#include "runtime/store/store.h"
#include "runtime/store/store_past.h"
#include "runtime/system/diag.h"
#include "runtime/system/gate.h"
#include "runtime/system/options.h"
#include "runtime/system/place.h"
#include "runtime/system/program.h"
#include "runtime/system/runner.h"
#include "runtime/system/sandbox.h"
#include "runtime/system/sys.h"
#include "runtime/system/sys_process.h"
#include "runtime/unwind/module.h"

#ifdef __x86_64__
#define MACHINE 62              /* EM_X86_64 */
#elif defined __aarch64__
#define MACHINE 183             /* EM_AARCH64 */
#else
#define MACHINE 0
#endif

#define MAX_NAMES      100      /* maximum number of names that are tried: mprof.data.PID, mprof.data.PID.2, ... */
#define ARGUMENTS_SIZE 16384    /* bytes of argv that are stored */

static struct mp_live_header *family;
static MP_LARGE char buffer[ARGUMENTS_SIZE]; /* for names, then for arguments; static because the stack may be small;
                                                guarded by the lock */

struct mp_live_header *
mp_session_family(void)
{
    return family;
}

bool
mp_session_is_ours(void)
{
    return mp_gate_is_ours() && mp_store.header &&
           mp_store.header->pid == (uint32_t)mp_sys_getpid();
}

/* ------------------------------------------------------------------ the name */

static size_t
put_number(char *at, uint32_t value)
{
    char digits[MP_DECIMAL_SIZE];
    const char *text = mp_decimal(value, digits);
    size_t n = strlen(text);

    memcpy(at, text, n + 1);
    return n;
}

/* Appends ".PID" to the first LENGTH bytes of PATH and, from the second attempt on, ".ATTEMPT". Returns false if
 * the result is too long. */
static bool
add_suffix(char *path, size_t length, uint32_t pid, unsigned attempt)
{
    if (length + 32 > MP_PATH_SIZE)
        return false;
    path[length++] = '.';
    length += put_number(path + length, pid);
    if (attempt > 1) {
        path[length++] = '.';
        put_number(path + length, attempt);
    }
    return true;
}

int
mp_session_numbered(char *path, const char *file, const char *word, uint32_t number)
{
    size_t length = strlen(file), more = strlen(word);

    if (length + more + 12 > MP_PATH_SIZE)
        return -ENAMETOOLONG;
    memcpy(path, file, length);
    memcpy(path + length, word, more);
    put_number(path + length + more, number);
    return 0;
}

/* If PATH is the file of an earlier program of this process, which has executed the present program, appends the
 * process id to the name of that file. Returns false if PATH is no such file, or if the file cannot be renamed. */
static bool
put_aside(const char *path, uint32_t pid)
{
    const size_t length = strlen(path);
    char *aside = buffer + MP_PATH_SIZE;
    long result = -EEXIST;

    if (!mp_claim_is_own(path))
        return false;
    memcpy(aside, path, length);
    for (unsigned attempt = 1; attempt < MAX_NAMES && result == -EEXIST && add_suffix(aside, length, pid, attempt);
         attempt++)
        result = mp_sys_rename_new(path, aside);
    return result == 0;
}

static int
create(const char *template, enum mp_file_name name, char *path)
{
    uint32_t pid = (uint32_t)mp_sys_getpid();
    int result = mp_options_expand(template, pid, mp_program_name(), path);
    size_t length;

    if (result < 0)
        return result;
    if (mp_options.started && !family && put_aside(path, pid))
        name = MP_FILE_AS_SAID;
    if (name == MP_FILE_AS_SAID) {
        result = mp_store_create(path, 1);
        if (result == 0 || template != mp_options.file || (result != -EBUSY && !mp_options.started))
            return result;
        if (mp_options.run_start_ticks == 0)
            mp_diag(path, 0, "another process records there; this one has a file of its own beside it");
    } else if (strstr(template, "%p")) {
        result = mp_store_create(path, 0);
        if (result != -EEXIST)
            return result;
    }
    length = strlen(path);
    for (unsigned attempt = 1; attempt < MAX_NAMES; attempt++) {
        if (!add_suffix(path, length, pid, attempt))
            return -ENAMETOOLONG;
        result = mp_store_create(path, 0);
        if (result != -EEXIST)
            break;
    }
    return result;
}

bool
mp_session_can_make_file(const char *template)
{
    char path[MP_PATH_SIZE], *slash;
    struct rlimit limit;

    if (mp_sys_limit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur < MP_HEADER_SIZE)
        return false;
    if (mp_options_expand(template, (uint32_t)mp_sys_getpid(), mp_program_name(), path) < 0)
        return false;
    slash = strrchr(path, '/');
    if (slash)
        slash[slash == path] = '\0';
    return mp_runner_listens() || faccessat(AT_FDCWD, slash ? path : ".", W_OK | X_OK, AT_EACCESS) == 0;
}

/* ------------------------------------------------------------------ the header */

static void
put_arguments(struct mp_live_header *header)
{
    long fd = mp_options.no_arguments ? -1 : mp_sys_open("/proc/self/cmdline", O_RDONLY, 0), n;
    size_t used = 0;
    char more;

    if (fd < 0)
        return;
    while (used < sizeof buffer && (n = mp_sys_read((int)fd, buffer + used, sizeof buffer - used)) > 0)
        used += (size_t)n;
    header->arguments_cut = used == sizeof buffer && mp_sys_read((int)fd, &more, 1) > 0;
    mp_sys_close((int)fd);
    /* If the program has changed its title (setproctitle), the rest of the buffer is filled with NULs. */
    while (family && used > 1 && buffer[used - 1] == '\0' && buffer[used - 2] == '\0')
        used--;
    if (used == 0)
        return;
    if (buffer[used - 1] == '\0')
        used--;                         /* because mp_store_string() adds one */
    header->arguments = mp_store_string(buffer, used);
    header->n_arguments = header->arguments ? 1 : 0;
    for (size_t i = 0; i < used && header->arguments; i++)
        header->n_arguments += buffer[i] == '\0';
}

static void
put_string(uint32_t *id, const char *text)
{
    *id = mp_store_string(text, strlen(text));
}

static void
put_host(struct mp_live_header *header)
{
    static struct utsname system;       /* static because the stack may be small */

    if (mp_sys_uname(&system) == 0)
        put_string(&header->host, system.nodename);
}

static void
fill_header(struct mp_live_header *header)
{
    header->machine = MACHINE;
    header->pid = (uint32_t)mp_sys_getpid();
    header->ppid = (uint32_t)mp_sys_getppid();
    header->start_ticks = mp_claim_start_ticks();
    header->pid_namespace = mp_claim_namespace();
    memcpy(header->run_id, mp_options.run_id, sizeof header->run_id);
    header->run_start_ticks = mp_options.run_start_ticks;
    header->run_pid = mp_options.run_pid;
    header->start_realtime = mp_sys_clock(CLOCK_REALTIME);
    header->start_monotonic = mp_sys_clock(CLOCK_MONOTONIC);
    header->private_before = mp_sys_memory(MP_MEMORY_PRIVATE);
    mp_place_range(&header->mappings.own_start, &header->mappings.own_end);
    header->unwinder = mp_options.unwinder;
    header->depth = mp_options.depth;
    header->sample_period = mp_options.sample;
    header->sample_wanted = MP_SAMPLE_AS_SAID;
    header->follows = mp_options.follow == MP_FOLLOW_ALL;
    header->leaks = mp_options.leaks ? MP_LEAKS_WANTED : MP_LEAKS_UNWANTED;
    header->lifetimes = mp_options.lifetimes && mp_options.sample == 0;
    if (mp_options.sentinel)
        header->sentinel = mp_sentinel_on && mp_options.sample == 0 ? MP_SENTINEL_ON : MP_SENTINEL_NONE;
    header->missing[MP_MISS_FOLDED] = mp_options.fold;
    put_string(&header->program, mp_program_path());
    put_string(&header->monitor, PACKAGE_VERSION);
    put_host(header);
    if (mp_options.labels[0])
        put_string(&header->labels, mp_options.labels);
    put_arguments(header);
    if (header->state != MP_STATE_FULL)
        header->state = MP_STATE_RUNNING;
}

/* Hands the new file, which is to have PATH, over to mprof run. If mprof run does not take the file and the file has no
 * name, removes the file and returns -errno of the failure to give it a name. Otherwise returns 0. */
static int
hand_over(const char *path)
{
    const int unnamed = mp_store_unnamed();

    if (mp_runner_tell(MP_RUNNER_BEGUN, unnamed != 0, 0, path, mp_store_descriptor()) || !unnamed)
        return 0;
    mp_store_remove();
    return unnamed;
}

/* Counts in the family's file that this forked child has no file because of ERROR. */
static void
count_unreached(int error)
{
    if (!family || family->pid == (uint32_t)mp_sys_getpid() || mp_sandbox_is_shut())
        return;
    __atomic_store_n(&family->unreached_error, (uint32_t)error, __ATOMIC_RELAXED);
    __atomic_add_fetch(&family->unreached, 1, __ATOMIC_RELAXED);
}

int
mp_session_make_file(const char *template, enum mp_file_name name)
{
    MP_LOCK_HELD();
    const char *path = buffer;
    int result = create(template, name, buffer);
    bool told = false;

    if (result == 0) {
        path = mp_store_path();
        fill_header(mp_store.header);
        mp_store_settled();
        result = hand_over(path);
    }
    if (result < 0)
        told = mp_runner_tell(MP_RUNNER_NONE, (uint32_t)-result, 0, mp_program_path(), -1);
    if (result < 0 && !told)
        count_unreached(-result);
    if (told && name == MP_FILE_OF_CHILD)
        return result;          /* mprof run reports it */
    if (result == -EBUSY)
        mp_diag(path, 0, "another process records there: nothing is recorded");
    else if (result == -EEXIST)
        mp_diag(path, 0, "exists and is not an mprof data file: nothing is recorded");
    else if (result < 0)
        mp_diag(path[0] ? path : template, -result, "nothing is recorded");
    if (result < 0)
        return result;
    if (name != MP_FILE_OF_CHILD || !family)
        mp_past_keep_header(family = mp_store.header);
    return 0;
}
