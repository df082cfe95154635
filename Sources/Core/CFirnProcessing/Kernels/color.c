#include "kernels.h"

#if FIRN_HAS_WIDE
#include <immintrin.h>
#endif

#include "firn_color.h"
#include "firn_rows.h"

// Both are called through FIRN_CHOOSE, in either variant.
#define firn_row_widen_plain firn_row_widen
#define firn_row_narrow_plain firn_row_narrow
#define firn_row_widen_wide firn_row_widen
#define firn_row_narrow_wide firn_row_narrow
#define FIRN_KERNELS "color.inc"
#include "variants.h"

void firn_color_matrix_row8(
    const firn_color_matrix8 *matrix, const uint8_t *source, uint8_t *target, size_t count) {
    FIRN_CHOOSE(firn_color_matrix_row8, matrix, source, target, count);
}

void firn_color_matrix_row24(const firn_color_matrix8 *matrix, const uint8_t *source, uint8_t *target, size_t count) {
    FIRN_CHOOSE(firn_color_matrix_row24, matrix, source, target, count);
}

void firn_color_matrix_floats(const float rows[3][4], float *floats, size_t count, int cuts) {
    FIRN_CHOOSE(firn_color_matrix_floats, rows, floats, count, cuts);
}

void firn_color_flatten8(uint32_t background, const uint8_t *source, uint8_t *target, size_t count) {
    FIRN_CHOOSE(firn_color_flatten8, background, source, target, count);
}
