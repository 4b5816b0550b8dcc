/*
 * view.h -- which frames of a chain are shown, and by which name: between symbols and reducer.
 *
 * A program with a language's runtime in it has frames of three sorts: functions that the runtime
 * has a name for; the runtime's own code in C; other C code.  A view is a profile of its own, with
 * the names and frames wanted, in which contexts that became equal are one.
 */
#ifndef MP_VIEW_H
#define MP_VIEW_H

#include "process_part.h"
#include "profile.h"
#include "skip.h"
#include "window.h"

enum mp_frames {
    MP_FRAMES_DEFAULT = 0,      /* lisp for reports of Lisp objects alone, else all */
    MP_FRAMES_LISP,             /* functions by the runtime's names, and C outside of the runtime;
                                   other frames count as their callers, and so do functions of
                                   compiled Lisp files that have no name at all */
    MP_FRAMES_C,                /* every frame by its C name; interpreted ones are the interpreter */
    MP_FRAMES_ALL               /* every frame, by the runtime's name if it has one, else in C */
};

/* "lisp", "c" or "all"; else MP_FRAMES_DEFAULT. */
enum mp_frames mp_frames_called(const char *name);

struct mp_view_options {
    enum mp_frames frames;
    bool lisp_only;             /* cells of kinds from MP_KIND_LISP on, and no others */
    bool all_frames;            /* MP_FRAMES_LISP: also what starts main and threads, and the
                                   runtime's functions that every chain begins with */
    bool places;                /* names of the runtime's with file and line */
    bool short_names;           /* of functions, see short_names.h; the language's are as they are */
    struct mp_skip skip;        /* functions that are no part of chains */
    const char *focus;          /* only chains through this function, see focus.h; or NULL */
    struct mp_window_ends window;       /* only this part of the time, see window.h */
    struct mp_process_choice processes; /* of a merged profile, see process_part.h */
};

/* What OPTIONS show of frames, never MP_FRAMES_DEFAULT. */
enum mp_frames mp_frames_shown(const struct mp_view_options *options);

/* PROFILE, which is symbolised, as OPTIONS want it.  NULL and *ERROR: no chain has the function that
 * they want to see, there is no such moment or process, or what they skip makes no sense.  The
 * caller frees the view with mp_profile_free(); PROFILE must outlive it: where nothing is to be changed, the
 * view has what PROFILE has. */
struct mp_profile *mp_view(const struct mp_profile *profile, const struct mp_view_options *options,
                           struct mp_error *error);

#endif
