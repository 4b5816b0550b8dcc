#include "chain.h"

#include "chain_deep.h"
#include "runtime/system/options.h"

mp_chain_capture_fn *mp_chain_capture_in_use = mp_chain_unmemoised;

void
mp_chain_select(void)
{
    mp_chain_capture_in_use = mp_chain_unmemoised;
#ifdef MP_HAVE_RULES
    if (mp_options.unwinder == MP_UNWIND_RULES && mp_options.depth == 0)
        mp_chain_capture_in_use = mp_chain_memoised;
#endif
}

void
mp_chain_note(struct mp_recorder *recorder, const void *hook_frame)
{
#ifdef MP_HAVE_RULES
    if (recorder->memo->room && !recorder->memo->whole && !mp_known_find(recorder, hook_frame))
        mp_deep_note(recorder->memo);
#else
    (void)recorder, (void)hook_frame;
#endif
}
