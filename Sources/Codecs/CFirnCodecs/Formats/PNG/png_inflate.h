// Inflates the pixels of a PNG with ISA-L, exactly as far as they are valid.
#ifndef FIRN_PNG_INFLATE_H
#define FIRN_PNG_INFLATE_H

#ifdef FIRN_ISAL

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <isa-l/igzip_lib.h>

typedef struct {
    bool has_begun;
    /// Whether the stream has ended; its bytes were all returned.
    bool is_over;
    /// Whether output may follow without further input.
    bool holds_bytes;
    /// Whether ISA-L found damage and is given few bytes at a time, up to the damage.
    bool is_careful;
    /// The result of ISA-L at the damage; bytes before it may still be held.
    int damage;
    /// The state before the last call; NULL before the second call, because the first begins with a new state.
    struct inflate_state *before;
    struct inflate_state state;
} firn_png_inflate;

typedef enum { FIRN_INFLATE_OK, FIRN_INFLATE_DAMAGED, FIRN_INFLATE_WRONG_SUM, FIRN_INFLATE_NO_MEMORY } firn_inflated;

/// Begins a zlib stream. The struct is zeroed.
void firn_png_inflate_start(firn_png_inflate *self);

void firn_png_inflate_release(firn_png_inflate *self);

/// Inflates at most `count` bytes of input to `room` bytes of output, which is more than 0; `*taken` and `*made` become
/// the numbers used. With no input, returns what is held. A failure comes after all bytes before the damage.
firn_inflated firn_png_inflate_some(
    firn_png_inflate *self, const uint8_t *input, size_t count, size_t *taken, uint8_t *output, size_t room,
    size_t *made);

#endif

#endif
