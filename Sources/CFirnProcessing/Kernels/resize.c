#include "kernels.h"

#include "firn_resize.h"

#define FIRN_NAME(name) name##_plain
#include "resize.inc"
#undef FIRN_NAME

#if FIRN_HAS_WIDE
#define FIRN_NAME(name) name##_wide
#define FIRN_IS_WIDE 1
#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)
#include "resize.inc"
#pragma clang attribute pop
#endif

void firn_mix_rows8(
    const uint8_t *rows, size_t stride, const int16_t *weights, size_t taps, float *sums, size_t count) {
    FIRN_CHOOSE(firn_mix_rows8, rows, stride, weights, taps, sums, count);
}

void firn_mix_pixels(
    const float *sums, size_t channels, const intptr_t *starts, const float *weights, size_t taps, float *pixels,
    size_t count) {
    FIRN_CHOOSE(firn_mix_pixels, sums, channels, starts, weights, taps, pixels, count);
}

void firn_store_sums8(const float *pixels, size_t channels, uint8_t *row, size_t count) {
    FIRN_CHOOSE(firn_store_sums8, pixels, channels, row, count);
}
