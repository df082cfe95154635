// Declarations that the decoders of all formats share; private to this target.
#ifndef FIRN_DECODER_H
#define FIRN_DECODER_H

#include <stdio.h>

#include "firn_decode.h"
#include "firn_metadata.h"

/// The bytes that are not used up yet, in one piece.
///
/// The caller owns them while it lends them. They are copied to our own memory before the caller may take them back.
typedef struct {
    const uint8_t *bytes;
    size_t length;
    bool last;
    /// The start of the lent bytes; NULL once none of them is needed.
    const uint8_t *lent;
    uint8_t *owned;
    size_t capacity;
    /// The whole file, for codecs that use `firn_input_read`; its `read` is NULL if bytes are fed.
    firn_source source;
} firn_input;

typedef struct firn_codec_calls {
    /// Frees what the codec holds, and the struct itself.
    void (*close)(firn_decoder *decoder);
    firn_status (*header)(firn_decoder *decoder);
    firn_status (*start)(firn_decoder *decoder, const firn_options *options);
    firn_status (*read)(firn_decoder *decoder, uint8_t *pixels, size_t stride, uint32_t rows, uint32_t *done);
    /// NULL if files of the format hold a single image.
    firn_status (*frame)(firn_decoder *decoder, uint32_t index, firn_frame *frame);
    /// NULL if there are no previews other than the rows read.
    firn_status (*preview)(firn_decoder *decoder, uint8_t *pixels, size_t stride);
    /// Whether `start` may be called again.
    bool restarts;
} firn_codec_calls;

typedef enum { FIRN_READING_HEADER, FIRN_HEADER_KNOWN, FIRN_STARTED, FIRN_COMPLETE } firn_phase;

/// The base of every codec's struct, which starts with this one.
struct firn_decoder {
    const firn_codec_calls *calls;
    firn_limits limits;
    firn_input input;
    firn_header header;
    firn_output output;
    firn_phase phase;
    /// Not FIRN_OK once the decoder failed.
    firn_status failure;
    char message[200];
};

firn_decoder *firn_jpeg_open(void);
firn_decoder *firn_png_open(void);
firn_decoder *firn_webp_open(void);
#ifdef FIRN_AVIF
firn_decoder *firn_avif_open(void);
#endif
#ifdef FIRN_HEIC
firn_decoder *firn_heic_open(void);
#endif
#ifdef FIRN_JXL
firn_decoder *firn_jxl_open(void);
#endif
#ifdef FIRN_TIFF
firn_decoder *firn_tiff_open(void);
#endif
#ifdef FIRN_SVG
firn_decoder *firn_svg_open(void);
#endif

/// Sets status and message of a failure and returns the status.
firn_status firn_fail(firn_decoder *decoder, firn_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/// Copies at most `count` bytes of the file from `offset` on, and returns the number copied. Call it once all bytes
/// have arrived.
size_t firn_input_read(const firn_input *input, uint64_t offset, uint8_t *target, size_t count);

/// Returns the bytes of the file, once all have arrived.
uint64_t firn_input_length(const firn_input *input);

/// Drops `count` bytes from the front of the input.
void firn_input_skip(firn_input *input, size_t count);

/// Fails if the size is empty or has more pixels than the limit. Call it before any allocation for them.
firn_status firn_check_size(firn_decoder *decoder, uint64_t width, uint64_t height);

/// A list of frame durations that grows by doubling.
typedef struct {
    uint32_t *values;
    uint32_t count;
    uint32_t capacity;
} firn_durations;

/// Adds a duration; false if there is no memory.
bool firn_durations_add(firn_durations *durations, uint32_t milliseconds);

/// Reads the pixels per meter from EXIF data; leaves the numbers unchanged if there are none.
void firn_exif_density(const uint8_t *bytes, size_t length, uint32_t *across, uint32_t *down);

#endif
