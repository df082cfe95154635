// Decodes the indices of a GIF image as its bytes arrive.
//
// No function blocks, and any split of the bytes gives the same indices.
#ifndef FIRN_LZW_H
#define FIRN_LZW_H

#include <stddef.h>
#include <stdint.h>

typedef enum {
    /// All bytes given are used up.
    FIRN_LZW_NEEDS_BYTES,
    /// There is no room for further indices.
    FIRN_LZW_FULL,
    /// The image's end code, or the end of its blocks, was read.
    FIRN_LZW_END,
    /// An invalid code was read; every later call returns the same.
    FIRN_LZW_DAMAGED
} firn_lzw_result;

typedef struct firn_lzw firn_lzw;

/// Creates a decoder of codes that begin with `code_size` + 1 bits; `code_size` is 1 to 11.
///
/// GIF allows 8 at most, but files with larger ones exist, and ffmpeg, libnsgif and Pillow read them.
///
/// Returns NULL for any other size, or if the system has no memory.
firn_lzw *firn_lzw_open(uint32_t code_size);

/// Decodes the next `length` bytes, which are data sub-blocks: a count, as many bytes, and so on, up to a count of 0.
///
/// Sets `*used` to the number of bytes read, and `*done` to the number of indices written to `indices`, which has room
/// for `capacity`.
firn_lzw_result firn_lzw_read(
    firn_lzw *decoder, const uint8_t *bytes, size_t length, size_t *used, uint8_t *indices, size_t capacity,
    size_t *done);

/// Frees the decoder. NULL is allowed.
void firn_lzw_close(firn_lzw *decoder);

/// Writes the colors of `count` indices: `palette` has 256 entries of four bytes, of which the first `bytes` are
/// written.
void firn_pixels_from_indices(
    const uint8_t *indices, size_t count, const uint8_t *palette, uint32_t bytes, uint8_t *pixels);

#endif
