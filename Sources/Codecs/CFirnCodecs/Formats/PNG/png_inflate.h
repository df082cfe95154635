// Inflates the pixels of a PNG with ISA-L, exactly up to any damage.
#ifndef FIRN_PNG_INFLATE_H
#define FIRN_PNG_INFLATE_H

#ifdef FIRN_ISAL

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <isa-l/igzip_lib.h>

typedef struct {
    bool has_begun;
    /// True once the stream has ended and all its bytes were returned.
    bool is_over;
    /// True if more output may follow without further input.
    bool holds_bytes;
    /// True if ISA-L found damage and now receives few bytes at a time, up to the damage.
    bool is_careful;
    /// ISA-L's result at the damage; bytes before it may still be held.
    int damage;
    /// The state before the last call; NULL before the second call, because the first starts with a new state.
    struct inflate_state *before;
    struct inflate_state state;
} firn_png_inflate;

typedef enum { FIRN_INFLATE_OK, FIRN_INFLATE_DAMAGED, FIRN_INFLATE_WRONG_SUM, FIRN_INFLATE_NO_MEMORY } firn_inflated;

/// Starts a zlib stream. The struct must be zeroed.
void firn_png_inflate_start(firn_png_inflate *self);

void firn_png_inflate_release(firn_png_inflate *self);

/// Inflates at most `count` bytes of input to at most `room` (above 0) bytes of output; sets `*taken` and `*made` to
/// the numbers used. With no input, returns held bytes. Fails only after all bytes before the damage were returned.
firn_inflated firn_png_inflate_some(
    firn_png_inflate *self, const uint8_t *input, size_t count, size_t *taken, uint8_t *output, size_t room,
    size_t *made);

#endif

#endif
