// Declarations shared by the decoders of all formats; private to this target.
#ifndef FIRN_DECODER_H
#define FIRN_DECODER_H

#include <stdio.h>

#include "firn_decode.h"

/// The unused input bytes, in one piece.
///
/// The caller owns them while they are lent. They are copied to the decoder's memory before the caller may take them
/// back.
typedef struct {
    const uint8_t *bytes;
    size_t length;
    bool last;
    /// The start of the lent bytes; NULL once none is needed.
    const uint8_t *lent;
    uint8_t *owned;
    size_t capacity;
    /// The whole file, for codecs that use `firn_input_read`; its `read` is NULL if bytes are fed.
    firn_source source;
} firn_input;

/// The calls that a format implements. Each `decode_*.c` defines one constant of this type, listed in
/// `Registry/formats.c`.
typedef struct firn_codec_calls {
    /// Writes the names and versions of the libraries, then after a semicolon the features that these versions lack.
    void (*library)(char *text, size_t capacity);
    /// The size of the format's struct, which starts with `firn_decoder`. It is allocated zeroed.
    size_t state_bytes;
    /// Prepares a new struct; returns false if memory is exhausted. NULL if zeros suffice.
    bool (*open)(firn_decoder *decoder);
    /// Frees the memory that the struct refers to, even after `open` failed; the caller frees the struct itself.
    void (*release)(firn_decoder *decoder);
    firn_status (*header)(firn_decoder *decoder);
    firn_status (*start)(firn_decoder *decoder, const firn_options *options);
    firn_status (*read)(firn_decoder *decoder, uint8_t *pixels, size_t stride, uint32_t rows, uint32_t *done);
    /// NULL if files of the format contain a single image.
    firn_status (*frame)(firn_decoder *decoder, uint32_t index, firn_frame *frame);
    /// Changes a copy of the header to that of a page. NULL if all frames share the header's properties.
    firn_status (*page)(firn_decoder *decoder, uint32_t index, firn_header *header);
    /// NULL if the rows read are the only previews.
    firn_status (*preview)(firn_decoder *decoder, uint8_t *pixels, size_t stride);
    /// Loads anything that the library would otherwise read from disk while decoding; starts no thread. NULL if it
    /// reads nothing.
    void (*prepare)(void);
    /// True if `start` may be called again.
    bool restarts;
    /// True if `start` takes `options.area` into account; otherwise it is called for the whole frame at full size, and
    /// returns the frame's rows.
    bool areas;
    /// True if the library has objects that the end of the process destroys; see `exit.h`.
    bool has_destructors;
} firn_codec_calls;

typedef enum { FIRN_READING_HEADER, FIRN_HEADER_KNOWN, FIRN_STARTED, FIRN_COMPLETE } firn_phase;

/// The base of every codec's struct, at its start.
struct firn_decoder {
    const firn_codec_calls *calls;
    firn_limits limits;
    firn_input input;
    firn_header header;
    firn_output output;
    firn_phase phase;
    /// The number of rows read in order since the start.
    uint32_t rows_given;
    /// True if `start` may be called again, in addition to `calls->restarts`.
    bool restarts;
    /// Not FIRN_OK after the decoder failed.
    firn_status failure;
    char message[200];
};

/// Sets the status and message of a failure, and returns the status.
firn_status firn_fail(firn_decoder *decoder, firn_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/// Copies at most `count` bytes of the file from `offset`, and returns the number copied. Call once all bytes have
/// arrived.
size_t firn_input_read(const firn_input *input, uint64_t offset, uint8_t *target, size_t count);

/// Returns the length of the file in bytes, once all have arrived.
uint64_t firn_input_length(const firn_input *input);

/// Drops `count` bytes from the front of the input.
void firn_input_skip(firn_input *input, size_t count);

/// Fails if the size is empty or exceeds the pixel limit. Call before any allocation for the pixels.
firn_status firn_check_size(firn_decoder *decoder, uint64_t width, uint64_t height);

/// A list of frame durations that grows by doubling.
typedef struct {
    uint32_t *values;
    uint32_t count;
    uint32_t capacity;
} firn_durations;

/// Adds a duration; returns false if memory is exhausted.
bool firn_durations_add(firn_durations *durations, uint32_t milliseconds);

#endif
