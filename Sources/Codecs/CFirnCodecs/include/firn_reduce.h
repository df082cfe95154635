// Reduces images as their rows arrive: each new pixel is the exact average of its area.
#ifndef FIRN_REDUCE_H
#define FIRN_REDUCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// The storage of pixels, which determines how they are averaged.
typedef enum {
    /// Three bytes, opaque.
    FIRN_REDUCE_RGB8,
    /// Four bytes without alpha weighting: opaque colors, premultiplied colors, inks.
    FIRN_REDUCE_PLAIN8,
    /// Four straight bytes: colors are weighted by alpha, the fourth byte.
    FIRN_REDUCE_STRAIGHT8,
    /// Four words of 16 bits in the machine's byte order, straight.
    FIRN_REDUCE_STRAIGHT16,
    /// Four half floats in the machine's byte order, straight.
    FIRN_REDUCE_STRAIGHT_HALF
} firn_reduce_kind;

/// An image being reduced.
typedef struct firn_reducer firn_reducer;

/// Returns the memory of a reducer in bytes; sides must be at least 1.
size_t firn_reducer_bytes(firn_reduce_kind kind, uint32_t width, uint32_t new_width);

/// Creates a reducer; returns NULL if memory is exhausted, a side is 0, or a new side is longer than the old one.
firn_reducer *firn_reducer_make(
    firn_reduce_kind kind, uint32_t width, uint32_t height, uint32_t new_width, uint32_t new_height);

/// Adds the next `count` rows and writes the new rows that they complete to `target`, one below the other.
///
/// Returns the number of new rows, at most `count`. Ignores rows beyond `height`.
uint32_t firn_reducer_add(
    firn_reducer *reducer, const void *rows, size_t stride, uint32_t count, void *target, size_t target_stride);

void firn_reducer_free(firn_reducer *reducer);

#endif
