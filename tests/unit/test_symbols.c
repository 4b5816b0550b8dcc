#include "tap.h"

#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "reporter/symbols.h"

/* The programs' labels (see tests/programs/symbols.h) play the part of calls to malloc. */
#define C_PROGRAM    PROGRAMS "/symbols_c"
#define CXX_PROGRAM  PROGRAMS "/symbols_cxx"
#define TWIN_PROGRAM PROGRAMS "/symbols_twin"

static struct mp_profile *profile;
static char folder[64];                 /* a new one for each test that asks, see in_folder() */

/* ---------------------------------------------------------------- a profile by hand */

static Elf *
open_elf(const char *path, int *fd)
{
    Elf *elf;

    elf_version(EV_CURRENT);
    *fd = open(path, O_RDONLY);
    elf = elf_begin(*fd, ELF_C_READ, NULL);
    ck_assert_msg(elf != NULL && elf_kind(elf) == ELF_K_ELF, "%s is no ELF file", path);
    return elf;
}

/* Address of symbol NAME in the program at PATH. */
static uint64_t
address_of(const char *path, const char *name)
{
    int fd;
    Elf *elf = open_elf(path, &fd);
    GElf_Shdr header;
    GElf_Sym symbol;
    uint64_t address = 0;

    for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn)) != NULL;) {
        Elf_Data *data = elf_getdata(scn, NULL);

        if (gelf_getshdr(scn, &header) == NULL || header.sh_type != SHT_SYMTAB)
            continue;
        for (int i = 0; gelf_getsym(data, i, &symbol) != NULL; i++)
            if (strcmp(elf_strptr(elf, header.sh_link, symbol.st_name), name) == 0)
                address = symbol.st_value;
    }
    elf_end(elf);
    close(fd);
    ck_assert_msg(address != 0, "no symbol %s in %s", name, path);
    return address;
}

static void
record_build_id(struct mp_module *module, const char *path)
{
    int fd;
    Elf *elf = open_elf(path, &fd);
    const void *id;
    ssize_t size = dwelf_elf_gnu_build_id(elf, &id);

    ck_assert_msg(size > 0 && size <= 32, "%s has no build-id", path);
    memcpy(module->build_id, id, (size_t)size);
    module->build_id_size = (uint32_t)size;
    elf_end(elf);
    close(fd);
}

/* Room for a few of each. */
static void
begin(void)
{
    profile = mp_profile_new();
    profile->modules = mp_arena_alloc(profile->arena, 8 * sizeof *profile->modules);
    profile->frames = mp_arena_alloc(profile->arena, 32 * sizeof *profile->frames);
    profile->contexts = mp_arena_alloc(profile->arena, 32 * sizeof *profile->contexts);
    profile->contexts[0].frame = MP_NO_ID;
    profile->cells = mp_arena_alloc(profile->arena, 32 * sizeof *profile->cells);
    profile->meta.program = C_PROGRAM;
}

static uint32_t
add_module(const char *path)
{
    const char *slash = strrchr(path, '/');

    profile->modules[profile->n_modules] = (struct mp_module){
        .path = path, .name = slash == NULL ? path : slash + 1, .problem = "",
    };
    return profile->n_modules++;
}

/* A module with the build-id of its file. */
static uint32_t
add_file(const char *path)
{
    uint32_t module = add_module(path);

    record_build_id(&profile->modules[module], path);
    return module;
}

static uint32_t
add_frame(uint32_t module, uint64_t offset)
{
    profile->frames[profile->n_frames] = (struct mp_frame){ .module = module, .offset = offset };
    return profile->n_frames++;
}

/* A call at label NAME of the program at PATH: it returns behind the label's one byte. */
static uint32_t
add_site(uint32_t module, const char *path, const char *name)
{
    return add_frame(module, address_of(path, name) + 1);
}

static uint32_t
add_context(uint32_t parent, uint32_t frame)
{
    profile->contexts[profile->n_contexts] = (struct mp_context){ parent, frame };
    return profile->n_contexts++;
}

/* One allocation of SIZE bytes in FRAME, called by CALLER (MP_NO_ID: nobody). */
static void
add_allocation(uint32_t frame, uint32_t caller, uint32_t size)
{
    uint32_t parent = caller == MP_NO_ID ? 0 : add_context(0, caller);

    profile->cells[profile->n_cells++] = (struct mp_cell){
        .context = add_context(parent, frame), .kind = mp_sizeclass(size), .allocs = 1,
        .bytes = size, .size_min = size, .size_max = size,
    };
    profile->bins[size].allocs++;
}

static void
symbolise_with(const struct mp_symbol_options *options)
{
    struct mp_error error;

    ck_assert(mp_symbolise(profile, options, &error));
    ck_assert(profile->symbolised);
    for (uint32_t i = 0; i < profile->n_frames; i++) {
        const struct mp_frame *frame = &profile->frames[i];

        ck_assert_uint_ge(frame->n_locations, 1);
        ck_assert_uint_le(frame->first_location + frame->n_locations, profile->n_locations);
        for (uint32_t k = 0; k < frame->n_locations; k++)
            ck_assert_uint_lt(profile->locations[frame->first_location + k].function,
                              profile->n_functions);
    }
    for (uint32_t i = 0; i < profile->n_functions; i++)
        for (uint32_t k = 0; k < i; k++)
            ck_assert_str_ne(profile->functions[i].name, profile->functions[k].name);
}

static void
symbolise(void)
{
    symbolise_with(&(struct mp_symbol_options){ .inlines = true, .types = true });
}

static const struct mp_location *
location(uint32_t frame, uint32_t index)
{
    ck_assert_uint_lt(index, profile->frames[frame].n_locations);
    return &profile->locations[profile->frames[frame].first_location + index];
}

static const char *
name_of(uint32_t frame, uint32_t index)
{
    return profile->functions[location(frame, index)->function].name;
}

static void
end(void)
{
    mp_profile_free(profile);
}

/* -------------------------------------------------------------------- changed files */

/* Path of NAME in a folder of this test's own; begins with an empty one. */
static const char *
in_folder(const char *name)
{
    static char paths[8][128];
    static unsigned next;

    if (*folder == '\0') {
        strcpy(folder, "/tmp/test_symbols.XXXXXX");
        ck_assert_ptr_nonnull(mkdtemp(folder));
    }
    next = (next + 1) % 8;
    snprintf(paths[next], sizeof *paths, "%s/%s", folder, name);
    return paths[next];
}

static void __attribute__((format(printf, 1, 2)))
shell(const char *format, ...)
{
    char command[1024];
    va_list args;

    va_start(args, format);
    vsnprintf(command, sizeof command, format, args);
    va_end(args);
    ck_assert_msg(system(command) == 0, "failed: %s", command);
}

static void
remove_folder(void)
{
    shell("rm -rf %s", folder);
    *folder = '\0';
}

/* --------------------------------------------------------------------------- DWARF */

START_TEST(inlined_calls_are_expanded)
{
    uint32_t frame;

    begin();
    frame = add_site(add_file(C_PROGRAM), C_PROGRAM, "site_widget");
    symbolise();
    ck_assert_uint_eq(profile->frames[frame].n_locations, 3);
    ck_assert_str_eq(name_of(frame, 0), "make_widget");
    ck_assert_str_eq(name_of(frame, 1), "make_red");
    ck_assert_str_eq(name_of(frame, 2), "make_any");
    ck_assert(location(frame, 0)->inlined);
    ck_assert(location(frame, 1)->inlined);
    ck_assert(!location(frame, 2)->inlined);
    end();
}
END_TEST

START_TEST(lines_are_those_of_the_calls)
{
    uint32_t frame;

    begin();
    frame = add_site(add_file(C_PROGRAM), C_PROGRAM, "site_widget");
    symbolise();
    ck_assert_uint_eq(location(frame, 0)->line, 101);
    ck_assert_uint_eq(location(frame, 1)->line, 201);
    ck_assert_uint_eq(location(frame, 2)->line, 301);
    for (uint32_t i = 0; i < 3; i++)
        ck_assert_ptr_nonnull(strstr(location(frame, i)->file, "symbols_c.c"));
    end();
}
END_TEST

START_TEST(inlined_calls_can_be_left_folded)
{
    uint32_t frame;

    begin();
    frame = add_site(add_file(C_PROGRAM), C_PROGRAM, "site_widget");
    symbolise_with(&(struct mp_symbol_options){ .inlines = false });
    ck_assert_uint_eq(profile->frames[frame].n_locations, 1);
    ck_assert_str_eq(name_of(frame, 0), "make_any");
    ck_assert_uint_eq(location(frame, 0)->line, 301);
    ck_assert(!location(frame, 0)->inlined);
    end();
}
END_TEST

START_TEST(a_function_has_its_module_and_start)
{
    uint32_t module, frame;
    const struct mp_function *function;

    begin();
    module = add_file(C_PROGRAM);
    frame = add_site(module, C_PROGRAM, "site_any");
    symbolise();
    function = &profile->functions[location(frame, 0)->function];
    ck_assert_str_eq(function->name, "make_any");
    ck_assert_uint_eq(function->module, module);
    ck_assert_uint_eq(function->start, address_of(C_PROGRAM, "make_any"));
    end();
}
END_TEST

START_TEST(the_instruction_is_before_the_return_address)
{
    uint32_t module, call, exact;
    uint64_t start;

    begin();
    module = add_file(C_PROGRAM);
    start = address_of(C_PROGRAM, "keep");
    exact = add_frame(module, start);
    profile->frames[exact].exact = true;
    call = add_frame(module, start);
    symbolise();
    ck_assert_str_eq(name_of(exact, 0), "keep");
    ck_assert_str_ne(name_of(call, 0), "keep");
    end();
}
END_TEST

START_TEST(statics_of_one_name_have_their_file)
{
    uint32_t module, one, two;

    begin();
    module = add_file(C_PROGRAM);
    one = add_site(module, C_PROGRAM, "site_init_one");
    two = add_site(module, C_PROGRAM, "site_init_two");
    symbolise();
    ck_assert_str_eq(name_of(one, 0), "init@symbols_c.c");
    ck_assert_str_eq(name_of(two, 0), "init@symbols_c_two.c");
    end();
}
END_TEST

START_TEST(functions_of_one_name_have_their_module)
{
    uint32_t one, two, alone;

    begin();
    one = add_file(C_PROGRAM);
    alone = add_site(one, C_PROGRAM, "site_any");
    one = add_site(one, C_PROGRAM, "site_keep");
    two = add_site(add_file(TWIN_PROGRAM), TWIN_PROGRAM, "site_keep_twin");
    symbolise();
    ck_assert_str_eq(name_of(one, 0), "symbols_c!keep");
    ck_assert_str_eq(name_of(two, 0), "symbols_twin!keep");
    ck_assert_str_eq(name_of(alone, 0), "make_any");
    end();
}
END_TEST

START_TEST(a_file_loaded_twice_has_its_functions_once)
{
    uint32_t one, two;

    begin();
    one = add_site(add_file(C_PROGRAM), C_PROGRAM, "site_any");
    two = add_site(add_file(C_PROGRAM), C_PROGRAM, "site_any");
    symbolise();
    ck_assert_uint_eq(location(one, 0)->function, location(two, 0)->function);
    end();
}
END_TEST

START_TEST(the_public_alias_is_shown)
{
    uint32_t frame;

    begin();
    frame = add_site(add_file(C_PROGRAM), C_PROGRAM, "site_box");
    symbolise();
    ck_assert_str_eq(name_of(frame, 0), "make_box");
    end();
}
END_TEST

START_TEST(cold_code_is_its_function)
{
    uint32_t module, cold, hot;

    begin();
    module = add_file(C_PROGRAM);
    cold = add_site(module, C_PROGRAM, "site_cold");
    hot = add_site(module, C_PROGRAM, "site_check");
    symbolise();
    ck_assert_str_eq(name_of(cold, 0), "check");
    ck_assert_uint_eq(location(cold, 0)->function, location(hot, 0)->function);
    end();
}
END_TEST

START_TEST(cxx_names_are_qualified)
{
    uint32_t module, make, hide;

    begin();
    module = add_file(CXX_PROGRAM);
    make = add_site(module, CXX_PROGRAM, "site_make");
    hide = add_site(module, CXX_PROGRAM, "site_hide");
    symbolise();
    ck_assert_str_eq(name_of(make, 0), "shop::make<shop::Basket>");
    ck_assert_str_eq(name_of(hide, 0), "(anonymous namespace)::hide");
    end();
}
END_TEST

START_TEST(overloads_show_their_parameters)
{
    uint32_t module, one, two;

    begin();
    module = add_file(CXX_PROGRAM);
    one = add_site(module, CXX_PROGRAM, "site_add_int");
    two = add_site(module, CXX_PROGRAM, "site_add_double");
    symbolise();
    ck_assert_str_eq(name_of(one, 0), "shop::Basket::add(int)");
    ck_assert_str_eq(name_of(two, 0), "shop::Basket::add(double)");
    end();
    begin();
    one = add_site(add_file(CXX_PROGRAM), CXX_PROGRAM, "site_add_int");
    symbolise();
    ck_assert_str_eq(name_of(one, 0), "shop::Basket::add");
    end();
}
END_TEST

/* ------------------------------------------------------------------ without DWARF */

START_TEST(symbols_name_what_they_cover)
{
    uint32_t module, any, one, two, box, cold, hot;
    const char *path = in_folder("program");

    shell("objcopy --remove-section='.debug_*' %s %s", C_PROGRAM, path);
    begin();
    module = add_file(path);
    any = add_site(module, C_PROGRAM, "site_widget");
    one = add_site(module, C_PROGRAM, "site_init_one");
    two = add_site(module, C_PROGRAM, "site_init_two");
    box = add_site(module, C_PROGRAM, "site_box");
    cold = add_site(module, C_PROGRAM, "site_cold");
    hot = add_site(module, C_PROGRAM, "site_check");
    symbolise();
    ck_assert_str_eq(name_of(any, 0), "make_any");
    ck_assert_str_eq(name_of(one, 0), "init@symbols_c.c");
    ck_assert_str_eq(name_of(two, 0), "init@symbols_c_two.c");
    ck_assert_str_eq(name_of(box, 0), "make_box");
    ck_assert_str_eq(name_of(cold, 0), "check");
    ck_assert_uint_eq(location(cold, 0)->function, location(hot, 0)->function);
    ck_assert_str_eq(profile->modules[module].problem, "");
    end();
    remove_folder();
}
END_TEST

START_TEST(symbols_without_size_need_unwind_information)
{
    uint32_t module, bare, loose;
    uint64_t offset = address_of(C_PROGRAM, "site_loose") + 1;
    char expected[64];

    snprintf(expected, sizeof expected, "symbols_c+0x%llx", (unsigned long long)offset);
    begin();
    module = add_file(C_PROGRAM);
    bare = add_site(module, C_PROGRAM, "site_bare");
    loose = add_frame(module, offset);
    symbolise();
    ck_assert_str_eq(name_of(bare, 0), "bare");
    ck_assert_str_eq(name_of(loose, 0), expected);
    end();
}
END_TEST

START_TEST(a_stripped_function_is_its_start)
{
    uint32_t module, one, two, other;
    const char *path = in_folder("program");
    uint64_t start = address_of(C_PROGRAM, "make_any");
    char expected[64];

    shell("objcopy --strip-all %s %s", C_PROGRAM, path);
    snprintf(expected, sizeof expected, "program+0x%llx", (unsigned long long)start);
    begin();
    module = add_file(path);
    one = add_site(module, C_PROGRAM, "site_widget");
    two = add_site(module, C_PROGRAM, "site_any");
    other = add_site(module, C_PROGRAM, "site_keep");
    symbolise();
    ck_assert_str_eq(name_of(one, 0), expected);
    ck_assert_uint_eq(location(one, 0)->function, location(two, 0)->function);
    ck_assert_uint_ne(location(one, 0)->function, location(other, 0)->function);
    ck_assert_uint_eq(profile->functions[location(one, 0)->function].start, start);
    ck_assert_str_eq(profile->modules[module].problem, "no symbols");
    end();
    remove_folder();
}
END_TEST

START_TEST(a_debug_file_is_found_beside)
{
    uint32_t frame;
    const char *path = in_folder("program"), *debug = in_folder("program.debug");

    shell("objcopy --only-keep-debug %s %s", C_PROGRAM, debug);
    shell("cd %s && objcopy --strip-all --add-gnu-debuglink=program.debug %s %s", folder,
          C_PROGRAM, path);
    begin();
    frame = add_site(add_file(path), C_PROGRAM, "site_widget");
    symbolise();
    ck_assert_str_eq(name_of(frame, 0), "make_widget");
    ck_assert_uint_eq(location(frame, 0)->line, 101);
    end();
    remove_folder();
}
END_TEST

START_TEST(a_strangers_debug_file_is_refused)
{
    uint32_t frame;
    const char *path = in_folder("program"), *debug = in_folder("program.debug");

    shell("objcopy --only-keep-debug %s %s", C_PROGRAM, debug);
    shell("cd %s && objcopy --strip-all --add-gnu-debuglink=program.debug %s %s", folder,
          C_PROGRAM, path);
    shell("objcopy --only-keep-debug %s %s", TWIN_PROGRAM, debug);
    begin();
    frame = add_site(add_file(path), C_PROGRAM, "site_widget");
    symbolise();
    ck_assert_int_eq(strncmp(name_of(frame, 0), "program+0x", 10), 0);
    end();
    remove_folder();
}
END_TEST

/* ---------------------------------------------------------------------- which file */

START_TEST(missing_files_are_said)
{
    uint32_t gone, vdso, unknown, frame, last;

    begin();
    gone = add_module("/nowhere/libgone.so");
    vdso = add_module("linux-vdso.so.1");
    unknown = add_module("");
    frame = add_frame(gone, 0x1234);
    add_frame(vdso, 0x10);
    last = add_frame(unknown, 0x20);
    symbolise();
    ck_assert_str_eq(profile->modules[gone].problem, "missing");
    ck_assert_str_eq(profile->modules[vdso].problem, "missing");
    ck_assert_str_eq(profile->modules[unknown].problem, "missing");
    ck_assert_str_eq(name_of(frame, 0), "libgone.so+0x1234");
    ck_assert_str_eq(name_of(last, 0), "?+0x20");
    end();
}
END_TEST

START_TEST(a_changed_file_gives_no_names)
{
    uint32_t module, frame;
    const char *problem;

    begin();
    module = add_file(C_PROGRAM);
    record_build_id(&profile->modules[module], TWIN_PROGRAM);
    frame = add_site(module, C_PROGRAM, "site_any");
    symbolise();
    problem = profile->modules[module].problem;
    ck_assert_msg(strncmp(problem, "changed (build-id ", 18) == 0, "%s", problem);
    ck_assert_ptr_nonnull(strstr(problem, ".., recorded "));
    ck_assert_int_eq(strncmp(name_of(frame, 0), "symbols_c+0x", 12), 0);
    end();
}
END_TEST

START_TEST(without_build_id_the_code_must_fit)
{
    uint32_t module, frame;

    begin();
    module = add_module(C_PROGRAM);
    frame = add_site(module, C_PROGRAM, "site_any");
    symbolise();
    ck_assert_str_eq(profile->modules[module].problem, "");
    ck_assert_str_eq(name_of(frame, 0), "make_any");
    end();
    begin();
    module = add_module(C_PROGRAM);
    frame = add_site(module, C_PROGRAM, "site_any");
    add_frame(module, 0x7000000);
    symbolise();
    ck_assert_str_eq(profile->modules[module].problem, "changed (no code where it was recorded)");
    ck_assert_str_ne(name_of(frame, 0), "make_any");
    end();
}
END_TEST

START_TEST(another_path_of_the_program_can_be_given)
{
    uint32_t module, frame;

    begin();
    profile->meta.program = "/gone/symbols_c";
    module = add_module("/gone/symbols_c");
    record_build_id(&profile->modules[module], C_PROGRAM);
    frame = add_site(module, C_PROGRAM, "site_any");
    symbolise_with(&(struct mp_symbol_options){ .executable = C_PROGRAM });
    ck_assert_str_eq(profile->modules[module].problem, "");
    ck_assert_str_eq(name_of(frame, 0), "make_any");
    end();
}
END_TEST

START_TEST(what_is_no_file_is_not_opened)
{
    uint32_t device, pipe, folder_module;
    const char *path = in_folder("pipe");

    shell("mkfifo %s", path);
    begin();
    device = add_module("/dev/zero");
    pipe = add_module(path);
    folder_module = add_module("/tmp");
    add_frame(device, 1);
    add_frame(pipe, 1);
    add_frame(folder_module, 1);
    symbolise();
    ck_assert_str_eq(profile->modules[device].problem, "not a file");
    ck_assert_str_eq(profile->modules[pipe].problem, "not a file");
    ck_assert_str_eq(profile->modules[folder_module].problem, "not a file");
    end();
    remove_folder();
}
END_TEST

START_TEST(modules_without_frames_are_left_alone)
{
    uint32_t module;

    begin();
    module = add_module("/nowhere/unused.so");
    symbolise();
    ck_assert_str_eq(profile->modules[module].problem, "");
    ck_assert_uint_eq(profile->n_functions, 0);
    end();
}
END_TEST

/* ------------------------------------------------------------------- outside of modules */

START_TEST(marks_have_their_names)
{
    static const char *const expected[] = { "[cut: depth]", "[cut: no unwind information]",
                                            "[cut: no memory]", "[pool]" };

    begin();
    for (uint32_t mark = MP_FRAME_CUT_DEPTH; mark <= MP_FRAME_POOL; mark++)
        profile->frames[add_frame(MP_NO_ID, 0)].mark = mark;
    symbolise();
    for (uint32_t i = 0; i < 4; i++)
        ck_assert_str_eq(name_of(i, 0), expected[i]);
    ck_assert_uint_eq(profile->functions[0].module, MP_NO_ID);
    end();
}
END_TEST

START_TEST(generated_code_is_its_address)
{
    uint32_t one, two;

    begin();
    one = add_frame(MP_NO_ID, UINT64_C(0x7f1234567890));
    two = add_frame(MP_NO_ID, UINT64_C(0x7f1234567891));
    symbolise();
    ck_assert_str_eq(name_of(one, 0), "0x7f1234567890");
    ck_assert_uint_ne(location(one, 0)->function, location(two, 0)->function);
    end();
}
END_TEST

static uint32_t progress_calls, progress_done;

static void
note_progress(const char *what, uint32_t done, uint32_t total)
{
    ck_assert_ptr_nonnull(what);
    ck_assert_uint_le(done, total);
    ck_assert_uint_ge(done, progress_done);
    progress_done = done;
    progress_calls++;
}

START_TEST(progress_is_told_for_each_module)
{
    uint32_t module;

    begin();
    module = add_file(C_PROGRAM);
    add_site(module, C_PROGRAM, "site_any");
    add_site(module, C_PROGRAM, "site_box");
    add_site(add_file(TWIN_PROGRAM), TWIN_PROGRAM, "site_keep_twin");
    symbolise_with(&(struct mp_symbol_options){ .progress = note_progress });
    ck_assert_uint_eq(progress_calls, 3);
    ck_assert_uint_eq(progress_done, 3);
    end();
}
END_TEST

START_TEST(symbolised_profiles_stay_as_they_are)
{
    begin();
    add_frame(MP_NO_ID, 1);
    symbolise();
    profile->n_functions = 77;
    ck_assert(mp_symbolise(profile, &(struct mp_symbol_options){ 0 }, NULL));
    ck_assert_uint_eq(profile->n_functions, 77);
    end();
}
END_TEST

/* --------------------------------------------------------------------------- types */

static const char *
type_of(uint32_t size, uint32_t index)
{
    return index < profile->bins[size].n_types
               ? profile->types[profile->bins[size].first_type + index] : "(none)";
}

START_TEST(mentioned_types_come_first)
{
    uint32_t module, frame;

    begin();
    module = add_file(C_PROGRAM);
    frame = add_site(module, C_PROGRAM, "site_widget");
    add_allocation(frame, MP_NO_ID, 204);
    symbolise();
    ck_assert_str_eq(type_of(204, 0), "widget");
    ck_assert_str_eq(type_of(204, 1), "aardvark");
    ck_assert_uint_eq(profile->bins[204].n_types, 2);
    end();
}
END_TEST

START_TEST(the_programs_types_come_before_its_libraries)
{
    uint32_t frame;

    begin();
    frame = add_site(add_file(C_PROGRAM), C_PROGRAM, "site_keep");
    add_site(add_file(TWIN_PROGRAM), TWIN_PROGRAM, "site_keep_twin");
    add_allocation(frame, MP_NO_ID, 204);
    symbolise();
    ck_assert_str_eq(type_of(204, 0), "aardvark");
    ck_assert_str_eq(type_of(204, 1), "widget");
    ck_assert_str_eq(type_of(204, 2), "badger");
    end();
}
END_TEST

START_TEST(the_caller_of_an_allocator_counts_too)
{
    uint32_t module, site, caller;

    begin();
    module = add_file(C_PROGRAM);
    site = add_site(module, C_PROGRAM, "site_check");
    caller = add_site(module, C_PROGRAM, "site_widget");
    add_allocation(site, caller, 204);
    symbolise();
    ck_assert_str_eq(type_of(204, 0), "widget");
    end();
}
END_TEST

START_TEST(typedefs_of_structs_and_their_arrays_are_types)
{
    uint32_t module, frame;

    begin();
    module = add_file(C_PROGRAM);
    frame = add_site(module, C_PROGRAM, "site_keep");
    add_allocation(frame, MP_NO_ID, 48);
    add_allocation(frame, MP_NO_ID, 408);
    symbolise();
    ck_assert_str_eq(type_of(48, 0), "gadget");
    ck_assert_uint_eq(profile->bins[48].n_types, 1);
    ck_assert_str_eq(type_of(408, 0), "widget_pair");
    end();
}
END_TEST

START_TEST(cxx_types_are_qualified)
{
    uint32_t module, add, hide;

    begin();
    module = add_file(CXX_PROGRAM);
    add = add_site(module, CXX_PROGRAM, "site_add_int");
    hide = add_site(module, CXX_PROGRAM, "site_hide");
    add_allocation(add, MP_NO_ID, 56);
    add_allocation(hide, MP_NO_ID, 72);
    symbolise();
    ck_assert_str_eq(type_of(56, 0), "shop::Basket::Item");
    ck_assert_str_eq(type_of(72, 0), "(anonymous namespace)::Secret");
    end();
}
END_TEST

START_TEST(sizes_that_nobody_allocated_have_no_types)
{
    begin();
    add_site(add_file(C_PROGRAM), C_PROGRAM, "site_widget");
    symbolise();
    ck_assert_uint_eq(profile->n_types, 0);
    end();
}
END_TEST

/* ------------------------------------------------------------------------- damage */

/* Copy the program with every byte of a stretch changed, or cut short: whatever the names are,
 * nothing may crash or hang. */
static void
symbolise_damaged(const unsigned char *bytes, size_t size, size_t place, size_t length)
{
    const char *path = in_folder("program");
    unsigned char *copy = malloc(size);
    FILE *file = fopen(path, "wb");
    uint32_t module, frame;

    memcpy(copy, bytes, size);
    for (size_t i = place; i < place + length && i < size; i++)
        copy[i] = (unsigned char)(copy[i] * 73 + i * 29 + 7);
    fwrite(copy, 1, length == 0 ? place : size, file);
    fclose(file);
    free(copy);
    begin();
    profile->meta.program = path;
    module = add_module(path);
    frame = add_site(module, C_PROGRAM, "site_widget");
    add_site(module, C_PROGRAM, "site_init_one");
    add_site(module, C_PROGRAM, "site_cold");
    add_allocation(frame, MP_NO_ID, 204);
    symbolise();
    end();
}

START_TEST(damaged_files_do_no_harm)
{
    static unsigned char bytes[1u << 20];
    FILE *file = fopen(C_PROGRAM, "rb");
    size_t size = fread(bytes, 1, sizeof bytes, file);

    fclose(file);
    ck_assert_uint_gt(size, 4096);
    for (size_t place = 0; place < size; place += size / 61)
        symbolise_damaged(bytes, size, place, 0);
    for (size_t place = 0; place < size; place += size / 149)
        symbolise_damaged(bytes, size, place, 3);
    for (size_t place = 0; place < size; place += size / 31)
        symbolise_damaged(bytes, size, place, 600);
    remove_folder();
}
END_TEST

static TCase *
names_tests(void)
{
    TCase *tests = tcase_create("names");

    tcase_add_test(tests, inlined_calls_are_expanded);
    tcase_add_test(tests, lines_are_those_of_the_calls);
    tcase_add_test(tests, inlined_calls_can_be_left_folded);
    tcase_add_test(tests, a_function_has_its_module_and_start);
    tcase_add_test(tests, the_instruction_is_before_the_return_address);
    tcase_add_test(tests, statics_of_one_name_have_their_file);
    tcase_add_test(tests, functions_of_one_name_have_their_module);
    tcase_add_test(tests, a_file_loaded_twice_has_its_functions_once);
    tcase_add_test(tests, the_public_alias_is_shown);
    tcase_add_test(tests, cold_code_is_its_function);
    tcase_add_test(tests, cxx_names_are_qualified);
    tcase_add_test(tests, overloads_show_their_parameters);
    tcase_add_test(tests, symbols_name_what_they_cover);
    tcase_add_test(tests, symbols_without_size_need_unwind_information);
    tcase_add_test(tests, a_stripped_function_is_its_start);
    tcase_add_test(tests, a_debug_file_is_found_beside);
    tcase_add_test(tests, a_strangers_debug_file_is_refused);
    tcase_add_test(tests, marks_have_their_names);
    tcase_add_test(tests, generated_code_is_its_address);
    tcase_add_test(tests, progress_is_told_for_each_module);
    tcase_add_test(tests, symbolised_profiles_stay_as_they_are);
    return tests;
}

static TCase *
files_tests(void)
{
    TCase *tests = tcase_create("files");

    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, missing_files_are_said);
    tcase_add_test(tests, a_changed_file_gives_no_names);
    tcase_add_test(tests, without_build_id_the_code_must_fit);
    tcase_add_test(tests, another_path_of_the_program_can_be_given);
    tcase_add_test(tests, what_is_no_file_is_not_opened);
    tcase_add_test(tests, modules_without_frames_are_left_alone);
    tcase_add_test(tests, damaged_files_do_no_harm);
    return tests;
}

static TCase *
types_tests(void)
{
    TCase *tests = tcase_create("types");

    tcase_add_test(tests, mentioned_types_come_first);
    tcase_add_test(tests, the_programs_types_come_before_its_libraries);
    tcase_add_test(tests, the_caller_of_an_allocator_counts_too);
    tcase_add_test(tests, typedefs_of_structs_and_their_arrays_are_types);
    tcase_add_test(tests, cxx_types_are_qualified);
    tcase_add_test(tests, sizes_that_nobody_allocated_have_no_types);
    return tests;
}

int
main(void)
{
    Suite *suite = suite_create("symbols");

    suite_add_tcase(suite, names_tests());
    suite_add_tcase(suite, files_tests());
    suite_add_tcase(suite, types_tests());
    return tap_run(suite);
}
