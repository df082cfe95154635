#include "kernels.h"

#include <stdatomic.h>
#include <stdlib.h>

bool firn_is_wide(void) {
#if FIRN_HAS_WIDE
    static atomic_int known = 0;
    int state = atomic_load_explicit(&known, memory_order_relaxed);
    if (state == 0) {
        const char *wish = getenv("FIRN_KERNELS");
        bool plain = wish && strcmp(wish, "plain") == 0;
        bool wide = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
        state = wide && !plain ? 2 : 1;
        atomic_store_explicit(&known, state, memory_order_relaxed);
    }
    return state == 2;
#else
    return false;
#endif
}
