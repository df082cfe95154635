#ifndef FIRN_COLOR_H
#define FIRN_COLOR_H

#include <stddef.h>
#include <stdint.h>

/// A fixed-point color matrix for byte pixels: each new component is a weighted sum of the old ones and alpha.
///
/// `rows[k]` computes byte k: the weights of bytes 0, 1, 2 and alpha, times 4096.
typedef struct {
    int16_t rows[3][4];
    /// Alpha counts as 255 in the sums, and colors are clamped to 255 instead of alpha.
    int32_t isStraight;
} firn_color_matrix8;

/// Applies the matrix to 4-byte pixels with alpha last; alpha is unchanged. `source` and `target` may be equal.
void firn_color_matrix_row8(
    const firn_color_matrix8 *matrix, const uint8_t *source, uint8_t *target, size_t count);

/// Applies the matrix to 3-byte pixels.
void firn_color_matrix_row24(const firn_color_matrix8 *matrix, const uint8_t *source, uint8_t *target, size_t count);

/// Applies the matrix to pixels of four premultiplied floats: `rows[k]` has the weights of red, green, blue and alpha.
/// With `cuts`, colors are clamped to 0...alpha.
void firn_color_matrix_floats(const float rows[3][4], float *floats, size_t count, int cuts);

/// Draws premultiplied 4-byte pixels over the opaque color `background`, a word in the pixels' layout; alpha becomes
/// 255.
void firn_color_flatten8(uint32_t background, const uint8_t *source, uint8_t *target, size_t count);

#endif
