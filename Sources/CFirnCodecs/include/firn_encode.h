// One shape for every encoding library: a picture and the format's options in, a whole file out.
//
// Nothing jumps out of a call, nothing is kept after it. Rows are converted one at a time.
#ifndef FIRN_ENCODE_H
#define FIRN_ENCODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Layout of the pixels given.
typedef enum {
    FIRN_SOURCE_BGRA_PREMULTIPLIED,
    FIRN_SOURCE_RGBA_STRAIGHT,
    FIRN_SOURCE_RGB,
    /// 16 bits a component in the machine's order; only PNG takes it.
    FIRN_SOURCE_RGBA16_STRAIGHT
} firn_source_layout;

/// A picture to be encoded. The caller owns all of it.
typedef struct {
    const uint8_t *pixels;
    /// Bytes from the start of one row to that of the next.
    size_t stride;
    uint32_t width;
    uint32_t height;
    firn_source_layout layout;
    /// Whether every alpha is 255.
    bool opaque;
    /// An RGB profile to embed, or NULL.
    const uint8_t *icc;
    size_t icc_length;
} firn_picture;

/// A whole file, or why there is none.
typedef struct {
    /// From malloc; the caller's to free. NULL after a failure.
    uint8_t *bytes;
    size_t length;
    /// One line, ending with 0.
    char message[200];
} firn_encoded;

typedef struct {
    /// 1 to 100, on the scale of libjpeg.
    int quality;
    bool progressive;
    /// Whether colour is stored for every pixel, not for every four.
    bool full_chroma;
} firn_jpeg_options;

typedef struct {
    /// 0 (stored) to 9, on the scale of zlib.
    int level;
} firn_png_options;

typedef struct {
    /// 0 to 100; where lossless, how hard to try.
    float quality;
    bool lossless;
} firn_webp_options;

/// Whether every alpha is 255, by looking at all of them.
bool firn_picture_is_opaque(const firn_picture *picture);

/// Encode `picture`. Whether they succeed or not, `encoded` is filled in; it need not be set before.
/// JPEG fails for a picture that is not opaque.
bool firn_encode_jpeg(const firn_picture *picture, const firn_jpeg_options *options, firn_encoded *encoded);
bool firn_encode_png(const firn_picture *picture, const firn_png_options *options, firn_encoded *encoded);
bool firn_encode_webp(const firn_picture *picture, const firn_webp_options *options, firn_encoded *encoded);

#endif
