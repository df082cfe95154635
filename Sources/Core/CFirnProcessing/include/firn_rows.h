#ifndef FIRN_ROWS_H
#define FIRN_ROWS_H

#include <stddef.h>
#include <stdint.h>

/// The pixel layouts, in the order of PixelFormat.
typedef enum {
    firn_bgra8_premultiplied = 0,
    firn_rgba8_straight = 1,
    firn_rgb8 = 2,
    firn_rgba16_straight = 3,
    firn_rgba_half_premultiplied = 4
} firn_pixel_layout;

/// Reads `count` pixels as premultiplied floats: red, green, blue, alpha; a full component is 1.
void firn_row_load(firn_pixel_layout layout, const void *pixels, float *floats, size_t count);

/// Writes `count` pixels from floats in firn_row_load's form, rounded to nearest. Integer components are clamped to
/// their range, premultiplied colors to alpha; for halves, only alpha is clamped.
void firn_row_store(firn_pixel_layout layout, const float *floats, void *pixels, size_t count);

/// Converts encoded floats of firn_row_load to linear light, or back; colors stay premultiplied.
///
/// `table` has 65,536 entries: the light or the code of `index / 65535`.
void firn_row_through_table(float *floats, const float *table, size_t count);

/// Reads `count` opaque pixels of a layout with 8 bits as floats of linear light: `table` has the light of all bytes.
void firn_row_load8(firn_pixel_layout layout, const void *pixels, const float *table, float *floats, size_t count);

/// Convert three bytes per pixel to four, with alpha 255, and back. With `redFirst`, the four are R, G, B, A; otherwise
/// B, G, R, A.
void firn_row_widen(const uint8_t *rgb, uint8_t *pixels, size_t count, int redFirst);
void firn_row_narrow(const uint8_t *pixels, uint8_t *rgb, size_t count, int redFirst);

/// Multiply `count` pixels of four floats or four bytes by `coverage`: one factor per pixel, 0 to 1.
void firn_row_cover(const float *coverage, float *floats, size_t count);
void firn_row_cover8(const float *coverage, uint8_t *pixels, size_t count);

#endif
