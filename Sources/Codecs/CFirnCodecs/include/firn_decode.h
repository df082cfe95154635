// One interface to every decoding library.
//
// Order of calls:
//
//     open (feed | header)* (page* start (feed | read | preview)*)* close
//
// A second `start` is allowed only if all bytes were fed in one piece (`header` of a codec with several frames requires
// that); it ends the previous decode.
//
// No function blocks or jumps out of a call: callbacks, macros and longjmp stay in the library's file. "More bytes are
// needed" is a return value. Failures are sticky: every later call returns the same status and message. A decoder is
// not for concurrent use.
#ifndef FIRN_DECODE_H
#define FIRN_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum {
    FIRN_OK = 0,
    /// All fed bytes are used; feed more. Never returned after the last bytes were fed.
    FIRN_NEED_DATA,
    /// A pause: the caller may check for cancellation, then calls again. Only `firn_decoder_header` returns it.
    FIRN_PAUSE,
    /// The image is complete.
    FIRN_END,
    /// The content is damaged or truncated.
    FIRN_DATA,
    /// The content is valid but needs an unsupported feature.
    FIRN_UNSUPPORTED,
    /// One of firn_limits would be exceeded.
    FIRN_LIMIT,
    /// The system is out of memory.
    FIRN_MEMORY
} firn_status;

/// The formats that libraries decode. Optional ones are separate targets, so a program links only the libraries of the
/// formats it decodes.
#define FIRN_CODECS(BASIC, OPTIONAL)                                                                                   \
    BASIC(JPEG, jpeg) BASIC(PNG, png) BASIC(WEBP, webp) OPTIONAL(AVIF, avif) OPTIONAL(HEIC, heic) OPTIONAL(JXL, jxl)   \
    OPTIONAL(TIFF, tiff) OPTIONAL(SVG, svg)
#define FIRN_CODEC_CASE(NAME, name) FIRN_CODEC_##NAME,
typedef enum { FIRN_CODECS(FIRN_CODEC_CASE, FIRN_CODEC_CASE) } firn_codec;

/// Returns whether this build has the library of a format.
bool firn_codec_is_built_in(firn_codec codec);

/// Writes the names and versions of a format's libraries, such as "libavif 1.0.4", then after a semicolon the features
/// that these versions lack; "" if the format is not in this build. For AVIF and HEIC, whose libraries delegate
/// decoding, decodes a small image to find out. `capacity` must be above 0.
void firn_codec_library(firn_codec codec, char *text, size_t capacity);

/// Limits, each checked before memory is allocated.
typedef struct {
    /// The maximum number of stored pixels.
    uint64_t pixels;
    /// The maximum size of the coefficients of a multi-scan JPEG, in bytes.
    uint64_t bytes;
    /// The maximum number of pixels that all scans of a JPEG process together.
    uint64_t scanned_pixels;
    /// The maximum number of frames to count.
    uint32_t frames;
    /// The maximum length of an ICC profile in bytes; a longer one is ignored.
    uint32_t profile_bytes;
    /// The maximum length of a file after decompression (.svgz), and the maximum ratio of decompression beyond 16 MiB.
    uint64_t file_bytes;
    uint32_t expansion;
} firn_limits;

/// The color model of stored samples.
typedef enum {
    FIRN_SPACE_GRAY,
    FIRN_SPACE_RGB,
    FIRN_SPACE_YCBCR,
    FIRN_SPACE_CMYK,
    FIRN_SPACE_YCCK,
    FIRN_SPACE_INDEXED,
    /// L*a*b*; decoded pixels are sRGB.
    FIRN_SPACE_LAB
} firn_space;

/// The color description, by code points of ITU-T H.273 or by PNG's gAMA and cHRM.
typedef struct {
    /// 0 if the file states none (2, "unspecified", is reported as 0).
    uint16_t primaries;
    uint16_t transfer;
    /// The exponent of a gAMA chunk times 100,000; 0 if there is none.
    uint32_t gamma;
    bool has_chromaticities;
    /// White, red, green, blue, each x and y times 100,000, from a cHRM chunk.
    uint32_t chromaticities[8];
} firn_color;

/// The properties of a file. The decoder owns the pointers, which are valid until it is closed.
typedef struct {
    uint32_t width;
    uint32_t height;
    /// The EXIF orientation, 1 to 8; 1 if the file states none.
    uint32_t orientation;
    uint32_t bit_depth;
    firn_space space;
    /// True if pixels may be transparent.
    bool alpha;
    /// True if the image is stored in passes.
    bool progressive;
    /// True if the file is an animation, even of one frame.
    bool animated;
    /// The number of frames, 1 for a still.
    uint32_t frames;
    /// The stored duration of each frame in milliseconds; NULL for a still.
    const uint32_t *durations;
    /// The stored repetitions: 0 forever, -1 if the file states none.
    int64_t loops;
    const uint8_t *icc;
    size_t icc_length;
    /// The memory for decoding, in bytes, apart from the returned image, at any scale.
    uint64_t working_bytes;
    /// EXIF data (a TIFF file, not preceded by "Exif\0\0") and an XMP packet; NULL if there is none.
    const uint8_t *exif;
    size_t exif_length;
    const uint8_t *xmp;
    size_t xmp_length;
    /// The color description if there is no profile.
    firn_color color;
    /// Pixels per meter; 0 if the file states none.
    uint32_t pixels_per_metre_x;
    uint32_t pixels_per_metre_y;
    /// The exact size of a drawing that can be rendered at any size; 0 for a raster image. `width` and `height` are
    /// these sides, rounded. `working_bytes` does not include the rendered pixels.
    double vector_width;
    double vector_height;
    /// The number of 4-byte-per-pixel surfaces that rendering a drawing holds at once.
    uint32_t surfaces;
} firn_header;

/// Tells whether a completely received file contains all bytes of a frame.
typedef enum {
    /// Bytes are still arriving, or the format does not state it.
    FIRN_EXTENT_UNKNOWN,
    FIRN_EXTENT_WHOLE,
    FIRN_EXTENT_CUT
} firn_extent;

/// One of several frames, pages or images of a file, each a whole image.
typedef struct {
    uint32_t width;
    uint32_t height;
    /// The stored duration in milliseconds; 0 for a page.
    uint32_t duration;
    bool alpha;
    firn_extent extent;
    /// The EXIF orientation of a page, 1 to 8; 0 for the header's.
    uint32_t orientation;
} firn_frame;

/// A rectangle of pixels; empty if the width is 0.
typedef struct {
    uint32_t x, y, width, height;
} firn_area;

/// The layout of decoded pixels. Colors are straight: not multiplied by alpha.
typedef enum {
    FIRN_LAYOUT_BGRA,
    FIRN_LAYOUT_RGBA,
    FIRN_LAYOUT_RGB,
    /// Inks, 255 is full; only if the file stores CMYK or YCCK.
    FIRN_LAYOUT_CMYK,
    /// Red, green, blue, alpha, 16 bits each in the machine's byte order; only if the file stores more than 8 bits.
    FIRN_LAYOUT_RGBA16,
    /// Red, green, blue, alpha, IEEE half floats in the machine's byte order; only if the file stores floats.
    FIRN_LAYOUT_RGBA_HALF
} firn_layout;

typedef struct {
    firn_layout layout;
    /// The requested part of the frame, in stored pixels; empty for the whole frame.
    firn_area area;
    /// The minimum width and height of the result, or of the part if there is one; 0 for full size. The decoder may
    /// return more.
    uint32_t width;
    uint32_t height;
    /// The index of the frame, from 0 to `header.frames` - 1.
    uint32_t frame;
    /// True to return a truncated or damaged image as far as it goes instead of an error.
    bool partial;
    /// True if an embedded preview may replace the image.
    bool embedded;
    /// True if the container declares alpha as ignored, so that every pixel is opaque (WebP).
    bool opaque;
} firn_options;

/// The output chosen by `start`.
typedef struct {
    uint32_t width;
    uint32_t height;
    /// True if `read` needs the memory of the whole image in every call. Otherwise it writes rows in order, to any
    /// memory.
    bool whole;
    /// True if `whole` is set only because the library needs the whole memory: rows are written in order, each once,
    /// and all before the end. The memory then need not be zeroed.
    bool in_order;
    /// True if `preview` shows more than the rows read so far.
    bool previews;
    /// True if `start` may be called again for another image.
    bool restarts;
    /// The number of input bytes, from the first, that the image needs, if the codec knows; otherwise 0.
    uint64_t bytes_needed;
    /// The requested part within the rows that `read` writes, which may contain more; empty if they match the request.
    firn_area area;
} firn_output;

typedef struct firn_decoder firn_decoder;

/// Creates a decoder; returns NULL if memory is exhausted or the build lacks the format's library.
firn_decoder *firn_decoder_open(firn_codec codec, const firn_limits *limits);

/// Lends the next bytes, which must stay valid until a call returns FIRN_NEED_DATA, or until close.
///
/// Call it first, and again after each FIRN_NEED_DATA. `last` means that no more bytes follow.
firn_status firn_decoder_feed(firn_decoder *decoder, const uint8_t *bytes, size_t length, bool last);

/// A complete file with random access.
typedef struct {
    void *context;
    uint64_t length;
    /// Copies at most `count` bytes from `offset` to `target` and returns the number copied.
    size_t (*read)(void *context, uint64_t offset, uint8_t *target, size_t count);
} firn_source;

/// Gives a decoder random access to the whole file, instead of `feed`. `source.context` is lent until close.
void firn_decoder_reach(firn_decoder *decoder, const firn_source *source);

/// Sets the current address of the last fed bytes; allowed before any call, for callers whose bytes may move between
/// calls.
void firn_decoder_relend(firn_decoder *decoder, const uint8_t *bytes);

/// Reads up to the first pixel. An animation is read to its end, because only then are all its frames known.
firn_status firn_decoder_header(firn_decoder *decoder, firn_header *header);

/// Describes frame `index` of `header.frames`, after the header was read.
firn_status firn_decoder_frame(firn_decoder *decoder, uint32_t index, firn_frame *frame);

/// Describes page or image `index` of `header.frames`, as the header of a file with only that image, except for the
/// number of frames. Its pointers are valid until the next call of this function. Ends a started decode.
firn_status firn_decoder_page(firn_decoder *decoder, uint32_t index, firn_header *header);

/// Prepares for pixels, after the header. May return FIRN_NEED_DATA; call it again then.
firn_status firn_decoder_start(firn_decoder *decoder, const firn_options *options, firn_output *output);

/// Decodes at most `rows` rows and sets `*done` to the number of complete rows.
///
/// If `output.whole` is set, `pixels` is row 0 of the image, zeroed before the first call, and `*done` counts from the
/// top. Otherwise `pixels` is the destination of the next row, and `*done` counts the rows of this call. FIRN_OK with
/// `*done == 0` is a pause, in which the caller may check for cancellation.
firn_status firn_decoder_read(
    firn_decoder *decoder, uint8_t *pixels, size_t stride, uint32_t rows, uint32_t *done);

/// Writes the whole image as far as received bytes allow: `output.height` rows of the chosen layout, at `pixels`.
///
/// Returns FIRN_NEED_DATA if nothing has changed since the last preview. Does not affect the decode.
firn_status firn_decoder_preview(firn_decoder *decoder, uint8_t *pixels, size_t stride);

/// Returns why the decoder failed, on one line; empty if it did not fail.
const char *firn_decoder_message(const firn_decoder *decoder);

/// Frees everything that the decoder holds. NULL is allowed.
void firn_decoder_close(firn_decoder *decoder);

#endif
