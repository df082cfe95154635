#ifndef FIRN_BLUR_H
#define FIRN_BLUR_H

#include <stddef.h>
#include <stdint.h>

/// Convolves a row of `count` pixels of 3 or 4 numbers from 0 to 255 with symmetric weights, and writes bytes. In
/// 4-component pixels, no byte exceeds the last.
///
/// `sums` is the first pixel; `reach` more pixels precede it and follow the last. `weights[k]` is the weight of pixels
/// at distance `k`, from 0 to `reach`; the weights scale the sums to the range of bytes.
void firn_mix_row8(
    const float *sums, size_t channels, const float *weights, size_t reach, uint8_t *row, size_t count);

/// A box filter of width `2·radius + 1`, with an extra weaker pixel at each end.
///
/// Source: Gwosdek, Grewenig, Bruhn, Weickert: "Theoretical foundations of Gaussian convolution by extended box
/// filtering", SSVM 2011.
typedef struct {
    size_t radius;
    /// The weight of each inner pixel, and of each end.
    float inner;
    float end;
} firn_box;

/// Three passes in sequence: a box, the same box again, and the sum of two boxes.
///
/// Invariant: `narrow.radius < wide.radius`; the weights of `even` add up to 1, and so do those of `wide` and `narrow`
/// together.
typedef struct {
    firn_box even;
    firn_box wide;
    firn_box narrow;
} firn_blur;

/// Returns the number of rows, or columns, on each side that contribute to a result.
size_t firn_blur_reach(const firn_blur *blur);

/// Returns the number of floats that the functions below need as scratch memory.
size_t firn_blur_scratch(const firn_blur *blur);

/// Blurs columns of bytes and writes 16-bit numbers that are 256 times as large: rows `first` to `end` (exclusive) of
/// `height`.
///
/// There are `count` columns. `source` is row 0, `target` is row `first`, and `targetStride` counts numbers. The
/// outermost rows repeat beyond the edges.
void firn_blur_columns8(
    const firn_blur *blur, const uint8_t *source, size_t sourceStride, size_t height, size_t first, size_t end,
    uint16_t *target, size_t targetStride, size_t count, float *scratch);

/// Blurs up to four rows of `width` pixels of 3 or 4 16-bit numbers, and writes bytes; in 4-component pixels, no byte
/// exceeds the last. Reads one number beyond the last 3-component pixel. `sourceStride` counts numbers.
void firn_blur_rows8(
    const firn_blur *blur, const uint16_t *source, size_t sourceStride, uint8_t *target, size_t targetStride,
    size_t count, size_t width, size_t bytesPerPixel, float *scratch);

/// Blurs columns of floats in place; `count` is a multiple of 16, and `stride` counts floats.
void firn_blur_columns_floats(
    const firn_blur *blur, float *rows, size_t stride, size_t count, size_t height, float *scratch);

/// Blurs up to four rows of `width` pixels of four floats in place; `stride` counts floats.
void firn_blur_rows_floats(
    const firn_blur *blur, float *rows, size_t stride, size_t count, size_t width, float *scratch);

#endif
