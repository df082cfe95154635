#include "kernels.h"

#include "firn_blend.h"

#define FIRN_KERNELS "blend.inc"
#include "variants.h"

void firn_blend_row8(const firn_blend *blend, const uint8_t *source, uint8_t *backdrop, size_t count) {
    FIRN_CHOOSE(firn_blend_row8, blend, source, backdrop, count);
}

void firn_blend_floats(const firn_blend *blend, const float *source, float *backdrop, size_t count) {
    FIRN_CHOOSE(firn_blend_floats, blend, source, backdrop, count);
}

void firn_sharpen_row8(const uint8_t *row, uint8_t *blurred, size_t count, float amount, int isPremultiplied) {
    FIRN_CHOOSE(firn_sharpen_row8, row, blurred, count, amount, isPremultiplied);
}

void firn_sharpen_bytes(const uint8_t *row, uint8_t *blurred, size_t count, float amount) {
    FIRN_CHOOSE(firn_sharpen_bytes, row, blurred, count, amount);
}

void firn_sharpen_floats(const float *row, float *blurred, size_t count, float amount, int cuts) {
    FIRN_CHOOSE(firn_sharpen_floats, row, blurred, count, amount, cuts);
}
