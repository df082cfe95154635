// One shape for every encoding library: an image and the format's options in, a whole file out.
//
// Nothing jumps out of a call; nothing is kept after it, but what an animation needs. Rows are converted one at a time.
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
    /// 16 bits a component in the machine's order; PNG, AVIF and JPEG XL take it.
    FIRN_SOURCE_RGBA16_STRAIGHT,
    /// Half floats of linear light, multiplied by alpha; only JPEG XL takes it.
    FIRN_SOURCE_RGBA_HALF
} firn_source_layout;

/// Asked between rows or frames whether to go on. All zero: nobody is asked.
typedef struct {
    bool (*is_cancelled)(const void *context);
    const void *context;
} firn_encode_watch;

/// Whose fault a failure is.
typedef enum {
    /// The format cannot hold this image.
    FIRN_ENCODE_IMAGE,
    /// There is no memory, or a limit of the format is exceeded.
    FIRN_ENCODE_LIMIT,
    FIRN_ENCODE_CANCELLED,
    /// The library failed for reasons of its own.
    FIRN_ENCODE_LIBRARY,
    /// The format is not built in, or the library cannot write it.
    FIRN_ENCODE_UNSUPPORTED
} firn_encode_fault;

/// An image to be encoded. The caller owns all of it.
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
    /// EXIF data to embed in a still, from its TIFF header on, or NULL.
    const uint8_t *exif;
    size_t exif_length;
    firn_encode_watch watch;
} firn_image;

/// A whole file, or why there is none.
typedef struct {
    /// From malloc; the caller's to free. NULL after a failure.
    uint8_t *bytes;
    size_t length;
    /// Looked at after a failure.
    firn_encode_fault fault;
    /// One line, ending with 0.
    char message[200];
} firn_encoded;

typedef struct {
    /// 1 to 100, on the scale of libjpeg.
    int quality;
    bool progressive;
    /// Whether color is stored for every pixel, not for every four.
    bool full_chroma;
    /// Whether codes are made for this image in a second pass; those of several scans always are.
    bool optimized;
} firn_jpeg_options;

typedef struct {
    /// 0 (stored) to 9, on the scale of zlib.
    int level;
    /// Whether images that need less are stored as gray ones or with a palette.
    bool reduces;
} firn_png_options;

typedef struct {
    /// 0 to 100; where lossless, how hard to try.
    float quality;
    bool lossless;
    /// 0 (fast) to 6.
    int effort;
} firn_webp_options;

typedef struct {
    /// 0 (exact) to 63, on the scale of AV1.
    int quantizer;
    bool lossless;
    bool full_chroma;
    /// 0 (slow) to 10.
    int speed;
    /// 8, 10 or 12.
    int depth;
} firn_avif_options;

typedef struct {
    /// Difference seen by a model of the eye; 1 is about where it starts.
    float distance;
    bool lossless;
    /// 1 (fast) to 9.
    int effort;
} firn_jxl_options;

typedef struct {
    /// Colors of a frame, 2 to 256, the transparent one included.
    int colors;
    /// How errors are hidden: 0 not at all, 1 handed on to the neighbors, 2 by a fixed pattern.
    int dithering;
} firn_gif_options;

/// Whether every alpha is full, by looking at all of them.
bool firn_image_is_opaque(const firn_image *image);
/// Whether red, green and blue of every pixel are the same.
bool firn_image_is_gray(const firn_image *image);

/// Encode `image`. Whether they succeed or not, `encoded` is filled in; it need not be set before.
/// JPEG fails for an image that is not opaque.
bool firn_encode_jpeg(const firn_image *image, const firn_jpeg_options *options, firn_encoded *encoded);
bool firn_encode_png(const firn_image *image, const firn_png_options *options, firn_encoded *encoded);
bool firn_encode_webp(const firn_image *image, const firn_webp_options *options, firn_encoded *encoded);

/// What all frames of an animation share.
typedef struct {
    uint32_t width;
    uint32_t height;
    /// How often all is shown; 0 forever.
    uint32_t plays;
    /// Whether there is one frame only, which then has no duration.
    bool still;
    /// Whether no frame has transparent pixels; where that is not known, false.
    bool opaque;
    /// The profile of every frame, or NULL. Kept by the caller until the animation is closed.
    const uint8_t *icc;
    size_t icc_length;
} firn_canvas;

/// An animation that is being written, one frame after the other. One thread at a time.
typedef struct firn_animation firn_animation;

/// NULL, with a message in `encoded`, where the format is not built in or there is no memory.
firn_animation *firn_animation_webp(
    const firn_canvas *canvas, const firn_webp_options *options, firn_encoded *encoded);
firn_animation *firn_animation_avif(
    const firn_canvas *canvas, const firn_avif_options *options, firn_encoded *encoded);
firn_animation *firn_animation_jxl(
    const firn_canvas *canvas, const firn_jxl_options *options, firn_encoded *encoded);
firn_animation *firn_animation_gif(
    const firn_canvas *canvas, const firn_gif_options *options, firn_encoded *encoded);

/// Adds a whole frame, of the canvas's size, shown for `milliseconds`. After a failure only closing is of use.
bool firn_animation_add(
    firn_animation *animation, const firn_image *image, uint32_t milliseconds, firn_encoded *encoded);
/// Ends the file. At least one frame was added.
bool firn_animation_finish(firn_animation *animation, firn_encoded *encoded);
/// Frees all; NULL is allowed.
void firn_animation_close(firn_animation *animation);

#endif
