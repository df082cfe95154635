#include "kernels.h"

#include "firn_blur.h"

#define FIRN_NAME(name) name##_plain
#include "gaussian.inc"
#undef FIRN_NAME

#if FIRN_HAS_WIDE
#define FIRN_NAME(name) name##_wide
#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)
#include "gaussian.inc"
#pragma clang attribute pop
#endif

void firn_mix_row8(
    const float *sums, size_t channels, const float *weights, size_t reach, uint8_t *row, size_t count) {
    FIRN_CHOOSE(firn_mix_row8, sums, channels, weights, reach, row, count);
}
