// One interface to every encoding library: an image and the format's options in, a whole file out.
//
// No function jumps out of a call. Only an animation keeps state after a call. Rows are converted one at a time.
#ifndef FIRN_ENCODE_H
#define FIRN_ENCODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// The layout of source pixels.
typedef enum {
    FIRN_SOURCE_BGRA_PREMULTIPLIED,
    FIRN_SOURCE_RGBA_STRAIGHT,
    FIRN_SOURCE_RGB,
    /// 16 bits per component in the machine's byte order; only PNG, TIFF, AVIF and JPEG XL accept it.
    FIRN_SOURCE_RGBA16_STRAIGHT,
    /// Half floats of linear light, multiplied by alpha; only JPEG XL accepts it.
    FIRN_SOURCE_RGBA_HALF
} firn_source_layout;

/// A cancellation callback, called between rows or frames. All zero: no callback.
typedef struct {
    bool (*is_cancelled)(const void *context);
    const void *context;
} firn_encode_watch;

/// The kind of failure.
typedef enum {
    /// The format cannot hold this image.
    FIRN_ENCODE_IMAGE,
    /// Memory is exhausted, or a limit of the format is exceeded.
    FIRN_ENCODE_LIMIT,
    FIRN_ENCODE_CANCELLED,
    /// The library failed for another reason.
    FIRN_ENCODE_LIBRARY,
    /// The format is not built in, or the library cannot write it.
    FIRN_ENCODE_UNSUPPORTED
} firn_encode_fault;

/// The light of an image in high dynamic range; each number is 0 if it is unknown.
typedef struct {
    /// The chromaticities x and y of the mastering display's red, green, blue and white, in steps of 0.00002.
    uint16_t display[8];
    /// The display's greatest and least luminance, MaxCLL and MaxFALL, in steps of 0.0001 cd/m2.
    uint32_t peak, black, content, average;
} firn_mastering;

/// An image to encode, owned by the caller.
typedef struct {
    const uint8_t *pixels;
    /// The number of bytes between the starts of consecutive rows.
    size_t stride;
    uint32_t width;
    uint32_t height;
    firn_source_layout layout;
    /// True if every alpha is 255.
    bool opaque;
    /// An RGB profile to embed, or NULL.
    const uint8_t *icc;
    size_t icc_length;
    /// The code points of ITU-T H.273 for primaries and transfer function; 0 if unknown. PNG, AVIF and JPEG XL store
    /// them.
    uint16_t primaries, transfer;
    /// PNG, and AVIF stills, store it.
    firn_mastering mastering;
    /// EXIF data to embed in a still, starting with the TIFF header, or NULL.
    const uint8_t *exif;
    size_t exif_length;
    /// Horizontal and vertical pixels per inch; 0 if unknown. JPEG, PNG, TIFF and BMP store them.
    double resolution_x, resolution_y;
    firn_encode_watch watch;
} firn_image;

/// A whole file, or the reason for a failure.
typedef struct {
    /// The file, allocated with malloc; the caller frees it. NULL after a failure.
    uint8_t *bytes;
    size_t length;
    /// Valid only after a failure.
    firn_encode_fault fault;
    /// One line, terminated by 0.
    char message[200];
} firn_encoded;

typedef struct {
    /// 1 to 100, libjpeg's scale.
    int quality;
    bool progressive;
    /// True if color is stored for every pixel instead of every four.
    bool full_chroma;
    /// True if Huffman codes are optimized in a second pass, as they always are in progressive files.
    bool optimized;
} firn_jpeg_options;

typedef struct {
    /// 0 (stored) to 9, zlib's scale.
    int level;
    /// True if images with fewer colors are stored as gray or with a palette.
    bool reduces;
    /// True if alpha is stored even for opaque images.
    bool keeps_alpha;
} firn_png_options;

typedef struct {
    /// 0 to 100; for lossless files, the effort.
    float quality;
    bool lossless;
    /// 0 (fast) to 6.
    int effort;
} firn_webp_options;

typedef struct {
    /// 0 (exact) to 63, AV1's scale.
    int quantizer;
    bool lossless;
    bool full_chroma;
    /// 0 (slow) to 10.
    int speed;
    /// 8, 10 or 12.
    int depth;
} firn_avif_options;

typedef struct {
    /// The difference according to a model of human vision; at about 1 it becomes visible.
    float distance;
    bool lossless;
    /// 1 (fast) to 9.
    int effort;
} firn_jxl_options;

typedef struct {
    /// The number of colors of a frame, 2 to 256, including the transparent one.
    int colors;
    /// The dithering: 0 none, 1 error diffusion, 2 a fixed pattern.
    int dithering;
} firn_gif_options;

/// Returns whether every alpha is full, by checking all pixels.
bool firn_image_is_opaque(const firn_image *image);
/// Returns whether red, green and blue of every pixel are equal.
bool firn_image_is_gray(const firn_image *image);

/// Encode `image`. Fill in `encoded` on success and failure; it need not be initialized. JPEG fails for an image that
/// is not opaque.
bool firn_encode_jpeg(const firn_image *image, const firn_jpeg_options *options, firn_encoded *encoded);
bool firn_encode_png(const firn_image *image, const firn_png_options *options, firn_encoded *encoded);
bool firn_encode_webp(const firn_image *image, const firn_webp_options *options, firn_encoded *encoded);
bool firn_encode_bmp(const firn_image *image, firn_encoded *encoded);
/// `level` is 0 (stored) to 9, zlib's scale.
bool firn_encode_tiff(const firn_image *image, int level, firn_encoded *encoded);

/// The properties shared by all frames of an animation.
typedef struct {
    uint32_t width;
    uint32_t height;
    /// The number of plays; 0 forever.
    uint32_t plays;
    /// True if there is only one frame, which then has no duration.
    bool still;
    /// True if no frame has transparent pixels; false if unknown.
    bool opaque;
    /// The profile of every frame, or NULL. The caller keeps it until the animation is closed.
    const uint8_t *icc;
    size_t icc_length;
} firn_canvas;

/// An animation being written, frame by frame. Not for concurrent use.
typedef struct firn_animation firn_animation;

/// Start an animation. Return NULL, with a message in `encoded`, if the format is not built in or memory is exhausted.
firn_animation *firn_animation_webp(
    const firn_canvas *canvas, const firn_webp_options *options, firn_encoded *encoded);
firn_animation *firn_animation_avif(
    const firn_canvas *canvas, const firn_avif_options *options, firn_encoded *encoded);
firn_animation *firn_animation_jxl(
    const firn_canvas *canvas, const firn_jxl_options *options, firn_encoded *encoded);
firn_animation *firn_animation_gif(
    const firn_canvas *canvas, const firn_gif_options *options, firn_encoded *encoded);

/// Adds a whole frame of the canvas's size, shown for `milliseconds`. After a failure, only closing is allowed.
bool firn_animation_add(
    firn_animation *animation, const firn_image *image, uint32_t milliseconds, firn_encoded *encoded);
/// Ends the file. At least one frame must have been added.
bool firn_animation_finish(firn_animation *animation, firn_encoded *encoded);
/// Frees the animation; NULL is allowed.
void firn_animation_close(firn_animation *animation);

#endif
