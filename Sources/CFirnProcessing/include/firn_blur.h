#ifndef FIRN_BLUR_H
#define FIRN_BLUR_H

#include <stddef.h>
#include <stdint.h>

/// A row of `count` pixels of 3 or 4 numbers from 0 to 255, mixed with weights that are the same to both sides, as bytes; of
/// four, none is above the last.
///
/// `sums` is the first pixel; there are `reach` more before it and behind the last. `weights[k]` is that of the
/// pixels `k` away, `k` from 0 to `reach`, and makes the sums as large as bytes.
void firn_mix_row8(
    const float *sums, size_t channels, const float *weights, size_t reach, uint8_t *row, size_t count);

/// A box that is `2·radius + 1` wide, with a weaker pixel at each end.
///
/// Source: Gwosdek, Grewenig, Bruhn, Weickert: "Theoretical foundations of Gaussian convolution by extended box
/// filtering", SSVM 2011.
typedef struct {
    size_t radius;
    /// The weight of each inner pixel, and of each end.
    float inner;
    float end;
} firn_box;

/// Three passes, one after the other: a box, the same box again, and two boxes side by side whose results are added.
///
/// Invariant: `narrow.radius < wide.radius`; the weights of `even` add up to 1, and those of `wide` and `narrow` together.
typedef struct {
    firn_box even;
    firn_box wide;
    firn_box narrow;
} firn_blur;

/// So many rows, or columns, before and after a place decide what is there afterwards.
size_t firn_blur_reach(const firn_blur *blur);

/// Floats that the functions below need to work with.
size_t firn_blur_scratch(const firn_blur *blur);

/// Columns of bytes, as numbers of 16 bits that are 256 times as large: the rows from `first` up to `end`, of `height` that there are.
///
/// `count` columns; `source` is the row 0, `target` the row `first`, `targetStride` in numbers. Beyond the edges the
/// outermost row counts.
void firn_blur_columns8(
    const firn_blur *blur, const uint8_t *source, size_t sourceStride, size_t height, size_t first, size_t end,
    uint16_t *target, size_t targetStride, size_t count, float *scratch);

/// Up to four rows of `width` pixels of 3 or 4 numbers of 16 bits, as bytes; of four, none is above the last. Reads one
/// number beyond the last pixel of three. `sourceStride` in numbers.
void firn_blur_rows8(
    const firn_blur *blur, const uint16_t *source, size_t sourceStride, uint8_t *target, size_t targetStride,
    size_t count, size_t width, size_t bytesPerPixel, float *scratch);

/// Columns of floats, in place; `count` is a multiple of 16, `stride` in floats.
void firn_blur_columns_floats(
    const firn_blur *blur, float *rows, size_t stride, size_t count, size_t height, float *scratch);

/// Up to four rows of `width` pixels of four floats, in place; `stride` in floats.
void firn_blur_rows_floats(
    const firn_blur *blur, float *rows, size_t stride, size_t count, size_t width, float *scratch);

#endif
