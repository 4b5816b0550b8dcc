#include "chain.h"

#include "runtime/system/gate.h"
#include "runtime/system/options.h"

mp_chain_capture_fn *mp_chain_capture_in_use = mp_chain_unmemoised;

void
mp_chain_select(void)
{
    MP_LOCK_HELD();
    mp_chain_capture_in_use = mp_chain_unmemoised;
#ifdef MP_HAVE_RULES
    if (mp_options.unwinder == MP_UNWIND_RULES && mp_options.depth == 0)
        mp_chain_capture_in_use = mp_chain_memoised;
#endif
}
