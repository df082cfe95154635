#include "kernels.h"

#include "firn_blur.h"

#define FIRN_NAME(name) name##_plain
#include "blur.inc"
#undef FIRN_NAME

#if FIRN_HAS_WIDE
#define FIRN_NAME(name) name##_wide
#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)
#include "blur.inc"
#pragma clang attribute pop
#endif

size_t firn_blur_scratch(const firn_box *box) { return 3 * (2 * box->radius + 2) * 64; }

void firn_blur_columns8(
    const firn_box *box, const uint8_t *source, size_t sourceStride, uint8_t *target, size_t targetStride, size_t count,
    size_t height, float *scratch) {
    FIRN_CHOOSE(firn_blur_columns8, box, source, sourceStride, target, targetStride, count, height, scratch);
}

void firn_blur_rows8(
    const firn_box *box, uint8_t *rows, size_t stride, size_t count, size_t width, size_t bytesPerPixel,
    float *scratch) {
    FIRN_CHOOSE(firn_blur_rows8, box, rows, stride, count, width, bytesPerPixel, scratch);
}

void firn_blur_columns_floats(
    const firn_box *box, float *rows, size_t stride, size_t count, size_t height, float *scratch) {
    FIRN_CHOOSE(firn_blur_columns_floats, box, rows, stride, count, height, scratch);
}

void firn_blur_rows_floats(
    const firn_box *box, float *rows, size_t stride, size_t count, size_t width, float *scratch) {
    FIRN_CHOOSE(firn_blur_rows_floats, box, rows, stride, count, width, scratch);
}
