#include "kernels.h"

#include "firn_blur.h"

#define FIRN_KERNELS "gaussian.inc"
#include "variants.h"

void firn_mix_row8(
    const float *sums, size_t channels, const float *weights, size_t reach, uint8_t *row, size_t count) {
    FIRN_CHOOSE(firn_mix_row8, sums, channels, weights, reach, row, count);
}
