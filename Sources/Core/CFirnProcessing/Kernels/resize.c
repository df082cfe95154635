#include "kernels.h"

#if FIRN_HAS_WIDE
#include <immintrin.h>
#endif

#include "firn_resize.h"

#define FIRN_KERNELS "resize.inc"
#include "variants.h"

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
