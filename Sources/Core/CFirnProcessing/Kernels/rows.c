#include "kernels.h"

#if FIRN_HAS_WIDE
#include <immintrin.h>
#endif

#include "firn_rows.h"

#define FIRN_KERNELS "rows.inc"
#include "variants.h"

void firn_row_load(firn_pixel_layout layout, const void *pixels, float *floats, size_t count) {
    FIRN_CHOOSE(firn_row_load, layout, pixels, floats, count);
}

void firn_row_store(firn_pixel_layout layout, const float *floats, void *pixels, size_t count) {
    FIRN_CHOOSE(firn_row_store, layout, floats, pixels, count);
}

void firn_row_through_table(float *floats, const float *table, size_t count) {
    FIRN_CHOOSE(firn_row_through_table, floats, table, count);
}

void firn_row_load8(firn_pixel_layout layout, const void *pixels, const float *table, float *floats, size_t count) {
    const uint8_t *p = pixels;
    size_t bytes = layout == firn_rgb8 ? 3 : 4, red = layout == firn_bgra8_premultiplied ? 2 : 0;
    for (size_t x = 0; x < count; x++, p += bytes, floats += 4) {
        floats[0] = table[p[red]];
        floats[1] = table[p[1]];
        floats[2] = table[p[2 - red]];
        floats[3] = 1;
    }
}

void firn_row_widen(const uint8_t *rgb, uint8_t *pixels, size_t count, int redFirst) {
    FIRN_CHOOSE(firn_row_widen, rgb, pixels, count, redFirst);
}

void firn_row_narrow(const uint8_t *pixels, uint8_t *rgb, size_t count, int redFirst) {
    FIRN_CHOOSE(firn_row_narrow, pixels, rgb, count, redFirst);
}

void firn_row_cover(const float *coverage, float *floats, size_t count) {
    FIRN_CHOOSE(firn_row_cover, coverage, floats, count);
}

void firn_row_cover8(const float *coverage, uint8_t *pixels, size_t count) {
    FIRN_CHOOSE(firn_row_cover8, coverage, pixels, count);
}
