#ifndef FIRN_COLOR_H
#define FIRN_COLOR_H

#include <stddef.h>
#include <stdint.h>

/// A change of colors for pixels of bytes: each new color is a sum of the old ones and alpha, in fixed point.
///
/// `rows[k]` makes byte k: the weights of bytes 0, 1, 2 and of alpha, times 4096.
typedef struct {
    int16_t rows[3][4];
    /// Alpha counts as 255 in the sums, and colors are cut to 255 instead of their alpha.
    int32_t isStraight;
} firn_color_matrix8;

/// Pixels of four bytes with alpha last; alpha stays. `source` and `target` may be the same.
void firn_color_matrix_row8(
    const firn_color_matrix8 *matrix, const uint8_t *source, uint8_t *target, size_t count);

/// Pixels of three bytes.
void firn_color_matrix_row24(const firn_color_matrix8 *matrix, const uint8_t *source, uint8_t *target, size_t count);

/// Pixels of four floats, colors multiplied by alpha: `rows[k]` has the weights of red, green, blue and alpha.
/// With `cuts`, colors are cut to 0...alpha.
void firn_color_matrix_floats(const float rows[3][4], float *floats, size_t count, int cuts);

/// Puts premultiplied pixels of four bytes onto the opaque color `background`, a word as the pixels are; alpha becomes 255.
void firn_color_flatten8(uint32_t background, const uint8_t *source, uint8_t *target, size_t count);

#endif
