#ifndef FIRN_RESIZE_H
#define FIRN_RESIZE_H

#include <stddef.h>
#include <stdint.h>

/// Mixes `taps` rows of at least 16 bytes into `count` sums. `weights` are an even number of 16-bit numbers.
void firn_mix_rows8(
    const uint8_t *rows, size_t stride, const int16_t *weights, size_t taps, float *sums, size_t count);

/// Mixes the sums of a row into new pixels of `channels` (3 or 4) floats; writes four per pixel.
///
/// `starts` has the first old pixel of each new one, and `weights` its `taps` weights. Reads one number beyond the last
/// sum.
void firn_mix_pixels(
    const float *sums, size_t channels, const intptr_t *starts, const float *weights, size_t taps, float *pixels,
    size_t count);

/// Writes `count` pixels of four sums each as rounded bytes: 4 per pixel, clamped to alpha (`channels` 4), or 3.
void firn_store_sums8(const float *pixels, size_t channels, uint8_t *row, size_t count);

#endif
