// The codec libraries by themselves: what a benchmark compares with. Nothing is checked that the libraries do not check.
#ifndef C_BARE_CODECS_H
#define C_BARE_CODECS_H

#include <stddef.h>
#include <stdint.h>

/// Decodes a whole file of `format` ("jpeg", "png", …) to four bytes a pixel and throws the pixels away.
///
/// Returns their number, or -1 if the library failed or is not built in.
long bare_decode(const char *format, const uint8_t *bytes, size_t length);

/// Does what the library itself can do toward an image of `side` pixels: a scaled decode where it has one, all rows
/// one after the other where it has none. Returns the number of pixels made, or -1.
long bare_thumbnail(const char *format, const char *path, unsigned side);

/// An opaque image of three bytes a pixel.
typedef struct {
    const uint8_t *rgb;
    size_t stride;
    unsigned width, height;
} bare_pixels;

/// Encodes an image and throws the file away. `setting` is JPEG's and WebP's quality, PNG's level, AVIF's speed (at
/// quantizer 25), JPEG XL's effort (at distance 1). Returns the file's bytes, or -1.
long bare_encode(const char *format, const bare_pixels *pixels, int setting);

#endif
