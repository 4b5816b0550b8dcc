#include <ecl/ecl.h>

#include "ecl_layout.h"

#define NUMBER(what, value) { what, (int64_t)(value) },
const struct layout_number layout_theirs[] = {
#include "ecl_layout.def"
};
const size_t layout_n_theirs = sizeof layout_theirs / sizeof *layout_theirs;

#define ENV(member) offsetof(struct cl_env_struct, member)
#ifdef ECL_FBOUNDP              /* symbols contain the expansion functions of macros */
#define MACFUN offsetof(struct ecl_symbol, macfun)
#else
#define MACFUN 0
#endif
#ifdef ECL_STACK_FRAME_TOP      /* symbols contain all their functions, and stacks are structs */
#define NEW(type, member) offsetof(struct type, member)
#define STACK(now, before) ENV(now)
#else
#define NEW(type, member) 0
#define STACK(now, before) ENV(before)
#endif

const struct layout_number layout_members[] = {
    NUMBER("symbol_setf", NEW(ecl_symbol, sfdef))
    NUMBER("symbol_macfun", MACFUN)
    NUMBER("symbol_plist", offsetof(struct ecl_symbol, plist))
    NUMBER("symbol_name", offsetof(struct ecl_symbol, name))
    NUMBER("symbol_cname", offsetof(struct ecl_symbol, cname))
    NUMBER("symbol_hpack", offsetof(struct ecl_symbol, hpack))
    NUMBER("symbol_binding", offsetof(struct ecl_symbol, binding))
    NUMBER("bytecodes_flex", NEW(ecl_bytecodes, flex))
    NUMBER("bytecodes_file", offsetof(struct ecl_bytecodes, file))
    NUMBER("bytecodes_file_position", offsetof(struct ecl_bytecodes, file_position))
    NUMBER("env_stack", STACK(run_stack.org, stack))
    NUMBER("env_stack_top", STACK(run_stack.top, stack_top))
    NUMBER("env_stack_limit", STACK(run_stack.limit, stack_limit))
    NUMBER("env_bindings", STACK(bds_stack.tl_bindings, thread_local_bindings))
    NUMBER("env_bindings_size", STACK(bds_stack.tl_bindings_size, thread_local_bindings_size))
    NUMBER("env_bds_org", STACK(bds_stack.org, bds_org))
    NUMBER("env_bds_top", STACK(bds_stack.top, bds_top))
    NUMBER("env_bds_limit", STACK(bds_stack.limit, bds_limit))
    NUMBER("env_frs_org", STACK(frs_stack.org, frs_org))
    NUMBER("env_frs_top", STACK(frs_stack.top, frs_top))
    NUMBER("env_frs_limit", STACK(frs_stack.limit, frs_limit))
    NUMBER("env_ihs_top", STACK(ihs_stack.top, ihs_top))
    NUMBER("env_cs_org", STACK(c_stack.org, cs_org))
    NUMBER("env_own_process", ENV(own_process))
    NUMBER("env_size", sizeof(struct cl_env_struct))
};
const size_t layout_n_members = sizeof layout_members / sizeof *layout_members;

const size_t layout_symbol_size = sizeof cl_symbols[0], layout_bytecodes_size = sizeof(struct ecl_bytecodes);
const size_t layout_process_env = offsetof(struct ecl_process, env);
const size_t layout_frame = sizeof(struct ecl_frame);
const size_t layout_ihs_index = offsetof(struct ecl_ihs_frame, index);

void
layout_class_slots(ptrdiff_t numbers[4])
{
    cl_object slots[16] = { NULL };
    union cl_lispunion class = { .instance = { .slots = slots } };

    numbers[0] = &ECL_CLASS_NAME(&class) - slots;
    numbers[1] = &ECL_CLASS_SUPERIORS(&class) - slots;
    numbers[2] = &ECL_CLASS_INFERIORS(&class) - slots;
    numbers[3] = &ECL_CLASS_SLOTS(&class) - slots;
}
/* SPDX-License-Identifier: MIT */
