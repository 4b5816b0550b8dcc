/* SPDX-License-Identifier: MIT */
/*
 * view.h -- a profile prepared for a report, with the wanted frames and names.
 *
 * A program with a language's runtime has three sorts of frames: functions that the runtime has a name for, the
 * runtime's own code in C, and other C code. A view is a profile of its own with the wanted frames and names.
 * Contexts that became equal are merged.
 *
 * reporter/view/ owns the functions that derive another profile from one: views, windows, filters. It reads no file
 * but sources of the program (source_lines.h), and prints nothing. All directories after it call it.
 *
 * The steps from a profile to what a report shows have this order. mp_view() selects processes (process_part.h) and
 * the window of time (window.h). Then it replaces frames, shortens names, and applies focus and skip (skip.h).
 * mp_filtered_view() applies the filters of filter.h to the result, except those of processes, which it passes to
 * mp_view(). mp_sort_view() (sort.h) comes last.
 */
#ifndef MP_VIEW_H
#define MP_VIEW_H

#include "process_part.h"
#include "reporter/profile/profile.h"
#include "skip.h"
#include "window.h"

enum mp_frames {
    MP_FRAMES_DEFAULT = 0,      /* see mp_view_decide() */
    MP_FRAMES_LISP,             /* functions with a name of the runtime's, and C outside of the runtime; other
                                   frames, and nameless functions of compiled Lisp files, are counted as their
                                   callers */
    MP_FRAMES_C,                /* every frame by its C name; interpreted functions are shown as the interpreter */
    MP_FRAMES_ALL               /* every frame, by the runtime's name or else its C name */
};

/* The names of MP_FRAMES_LISP, MP_FRAMES_C and MP_FRAMES_ALL. */
extern const char *const mp_frames_words[3];

struct mp_view_options {
    enum mp_frames frames;
    bool lisp_only;             /* only cells of kinds from MP_KIND_LISP on */
    bool all_frames;            /* with MP_FRAMES_LISP, also show what starts main and threads, and the runtime's
                                   functions with which every chain begins */
    bool places;                /* add file and line of the definition to the runtime's names */
    bool short_names;           /* shorten names of functions, see short_names.h, except the language's */
    struct mp_skip skip;        /* functions to remove from chains */
    const char *focus;          /* name of a function; show only what was allocated while it ran; or NULL */
    struct mp_window_ends window;       /* the period of time, see window.h */
    struct mp_process_choice processes; /* merged profile: the processes, see process_part.h */
};

/* short names, and no allocation wrappers */
#define MP_VIEW_DEFAULT {.short_names = true, .skip.wrappers = true}

/* Returns whether most of what PROFILE, which is symbolised, recorded are objects of Lisp, not counting those that the
 * runtime made when it started. Its reports then begin with Lisp. */
bool mp_view_is_lisp(const struct mp_profile *profile);

/* Chooses the frames of a view of PROFILE if OPTIONS has MP_FRAMES_DEFAULT: MP_FRAMES_LISP for reports of Lisp objects
 * only, and if mp_view_is_lisp(), else MP_FRAMES_ALL. In the second case, what functions of the runtime allocate counts
 * for the function of the program that called them, unless wrappers are shown, too. */
void mp_view_decide(struct mp_view_options *options, const struct mp_profile *profile);

/* Returns the frames that a view of PROFILE with OPTIONS shows; never MP_FRAMES_DEFAULT. */
enum mp_frames mp_frames_shown(const struct mp_view_options *options, const struct mp_profile *profile);

/* Returns the view of PROFILE, which is symbolised, that OPTIONS describe. The caller frees it with
 * mp_profile_free(). PROFILE must outlive it, because unchanged parts are shared. Returns NULL and fills *ERROR
 * if no chain has the focused function, there is no such moment or process, or a skip pattern is invalid. */
struct mp_profile *mp_view(const struct mp_profile *profile, const struct mp_view_options *options,
                           struct mp_error *error);

/* ---------------------------------------------------------------- frames */

/* The first half of mp_view() finds the frame that the view shows for each of the profile's frames. The view keeps all
 * frames, locations and functions of the profile. After them it has those for the runtime's names, and then copies of
 * the frames of such names whose lines are known, or into which functions with such names were inlined. */
struct mp_view_frames {
    const struct mp_profile *from;
    struct mp_profile *to;      /* the view */
    enum mp_frames shown;
    uint32_t *frame_of_name;    /* by name: the frame that the view adds for it */
    uint32_t *name_of_function; /* by function: the name of an inlined copy of it, or MP_NO_ID */
    uint32_t first_inlined;     /* first of the frames of names with lines, or with functions inlined into them */
    struct mp_map inlined;      /* the functions and lines of these frames, in the same order */
    struct mp_map sources;      /* source files of compiled functions with names, by path */
    struct mp_view_source { const char *path; bool lined; } *source_list;   /* whether lines of them are known */
    uint32_t source_room;
    uint32_t *frame_to;         /* by frame: the frame shown instead, or MP_NO_ID if it is hidden */
    struct mp_arena *arena;     /* scratch */
};

/* Fills FRAMES, in which the caller has set from, to, shown and arena, and adds the frames to the view. If
 * PLACES, names contain file and line. */
void mp_view_frames_make(struct mp_view_frames *frames, bool places);

#endif
