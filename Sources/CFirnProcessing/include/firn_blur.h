#ifndef FIRN_BLUR_H
#define FIRN_BLUR_H

#include <stddef.h>
#include <stdint.h>

/// A box that is `2·radius + 1` wide, with a weaker pixel at each end, used three times.
///
/// Source: Gwosdek, Grewenig, Bruhn, Weickert: "Theoretical foundations of Gaussian convolution by extended box
/// filtering", SSVM 2011.
typedef struct {
    size_t radius;
    /// The weight of each inner pixel, and of each end.
    float inner;
    float end;
} firn_box;

/// Floats that the functions below need to work with.
size_t firn_blur_scratch(const firn_box *box);

/// Columns of bytes: `count` of them, `height` rows. Beyond the edges the outermost row counts.
void firn_blur_columns8(
    const firn_box *box, const uint8_t *source, size_t sourceStride, uint8_t *target, size_t targetStride, size_t count,
    size_t height, float *scratch);

/// Up to four rows of `width` pixels of 3 or 4 bytes, in place.
void firn_blur_rows8(
    const firn_box *box, uint8_t *rows, size_t stride, size_t count, size_t width, size_t bytesPerPixel, float *scratch);

/// Columns of floats, in place; `count` is a multiple of 16, `stride` in floats.
void firn_blur_columns_floats(
    const firn_box *box, float *rows, size_t stride, size_t count, size_t height, float *scratch);

/// Up to four rows of `width` pixels of four floats, in place; `stride` in floats.
void firn_blur_rows_floats(const firn_box *box, float *rows, size_t stride, size_t count, size_t width, float *scratch);

#endif
