#include "kernels.h"

#include "firn_blur.h"

/// The positions of the next values in the rings: two of `even_length` values, then one of `wide_length`.
typedef struct {
    size_t even_length, wide_length;
    size_t even, wide;
    /// The values entering and leaving the narrow box are in the wide box's ring.
    size_t narrow_front, narrow_back;
} firn_rings;

FIRN_INLINE firn_rings firn_rings_of(const firn_blur *blur) {
    size_t wide = 2 * blur->wide.radius + 2, between = blur->wide.radius - blur->narrow.radius;
    return (firn_rings){2 * blur->even.radius + 2, wide, 0, 0, wide - between, between};
}

FIRN_INLINE void firn_rings_step(firn_rings *rings) {
    rings->even = rings->even + 1 == rings->even_length ? 0 : rings->even + 1;
    rings->wide = rings->wide + 1 == rings->wide_length ? 0 : rings->wide + 1;
    rings->narrow_front = rings->narrow_front + 1 == rings->wide_length ? 0 : rings->narrow_front + 1;
    rings->narrow_back = rings->narrow_back + 1 == rings->wide_length ? 0 : rings->narrow_back + 1;
}

#define FIRN_KERNELS "blur.inc"
#include "variants.h"

size_t firn_blur_reach(const firn_blur *blur) { return 2 * (blur->even.radius + 1) + blur->wide.radius + 1; }

size_t firn_blur_scratch(const firn_blur *blur) {
    return (2 * (2 * blur->even.radius + 2) + 2 * blur->wide.radius + 2) * 64;
}

void firn_blur_columns8(
    const firn_blur *blur, const uint8_t *source, size_t sourceStride, size_t height, size_t first, size_t end,
    uint16_t *target, size_t targetStride, size_t count, float *scratch) {
    FIRN_CHOOSE(
        firn_blur_columns8, blur, source, sourceStride, height, first, end, target, targetStride, count, scratch);
}

void firn_blur_rows8(
    const firn_blur *blur, const uint16_t *source, size_t sourceStride, uint8_t *target, size_t targetStride,
    size_t count, size_t width, size_t bytesPerPixel, float *scratch) {
    FIRN_CHOOSE(
        firn_blur_rows8, blur, source, sourceStride, target, targetStride, count, width, bytesPerPixel, scratch);
}

void firn_blur_columns_floats(
    const firn_blur *blur, float *rows, size_t stride, size_t count, size_t height, float *scratch) {
    FIRN_CHOOSE(firn_blur_columns_floats, blur, rows, stride, count, height, scratch);
}

void firn_blur_rows_floats(
    const firn_blur *blur, float *rows, size_t stride, size_t count, size_t width, float *scratch) {
    FIRN_CHOOSE(firn_blur_rows_floats, blur, rows, stride, count, width, scratch);
}
