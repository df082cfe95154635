#include "kernels.h"

#include "firn_color.h"
#include "firn_rows.h"

#define FIRN_NAME(name) name##_plain
#define firn_row_widen_plain firn_row_widen
#define firn_row_narrow_plain firn_row_narrow
#include "color.inc"
#undef FIRN_NAME

#if FIRN_HAS_WIDE
#define FIRN_NAME(name) name##_wide
#define FIRN_IS_WIDE 1
#define firn_row_widen_wide firn_row_widen
#define firn_row_narrow_wide firn_row_narrow
#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)
#include "color.inc"
#pragma clang attribute pop
#endif

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
