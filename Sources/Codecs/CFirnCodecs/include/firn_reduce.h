// Reduces images while their rows arrive: each new pixel is the exact average of the area that it covers.
#ifndef FIRN_REDUCE_H
#define FIRN_REDUCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// How pixels are stored, and therefore averaged.
typedef enum {
    /// Three bytes, opaque.
    FIRN_REDUCE_RGB8,
    /// Four bytes, none of them an alpha to weight by: opaque colors, colors multiplied by alpha, inks.
    FIRN_REDUCE_PLAIN8,
    /// Four bytes, straight: colors are weighted by their alpha, which is the fourth byte.
    FIRN_REDUCE_STRAIGHT8,
    /// Four words of 16 bits in the machine's byte order, straight.
    FIRN_REDUCE_STRAIGHT16,
    /// Four half floats in the machine's byte order, straight.
    FIRN_REDUCE_STRAIGHT_HALF
} firn_reduce_kind;

/// One image that is being reduced.
typedef struct firn_reducer firn_reducer;

/// Returns the bytes that a reducer holds; sides must be at least 1.
size_t firn_reducer_bytes(firn_reduce_kind kind, uint32_t width, uint32_t new_width);

/// Creates a reducer; returns NULL if there is no memory, a side is 0 or a new side is longer than the old one.
firn_reducer *firn_reducer_make(
    firn_reduce_kind kind, uint32_t width, uint32_t height, uint32_t new_width, uint32_t new_height);

/// Adds the next `count` rows and writes the new rows that they complete to `target`, one below the other.
///
/// Returns the number of new rows, which is never more than `count`. Ignores rows beyond `height`.
uint32_t firn_reducer_add(
    firn_reducer *reducer, const void *rows, size_t stride, uint32_t count, void *target, size_t target_stride);

void firn_reducer_free(firn_reducer *reducer);

#endif
