// The codec libraries alone, as peers for benchmarks. The code checks nothing that the libraries do not check.
#ifndef C_BARE_CODECS_H
#define C_BARE_CODECS_H

#include <stddef.h>
#include <stdint.h>

/// Decodes a whole file of `format` ("jpeg", "png", …) to four bytes a pixel and discards the pixels.
///
/// Returns the number of pixels, or -1 if the library failed or is not built in.
long bare_decode(const char *format, const uint8_t *bytes, size_t length);

/// Does what the library itself offers for an image of `side` pixels: a scaled decode if it has one, otherwise all rows
/// in order. Returns the number of decoded pixels, or -1.
long bare_thumbnail(const char *format, const char *path, unsigned side);

/// An opaque image of three bytes a pixel.
typedef struct {
    const uint8_t *rgb;
    size_t stride;
    unsigned width, height;
} bare_pixels;

/// Encodes an image and discards the file. `setting` is the quality for JPEG and WebP, the level for PNG, the speed for
/// AVIF (at quantizer 25), the effort for JPEG XL (at distance 1). Returns the size of the file in bytes, or -1.
long bare_encode(const char *format, const bare_pixels *pixels, int setting);

#endif
