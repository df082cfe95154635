#include "decoder.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

// MARK: The public calls: sticky failures, phases, and copies of lent bytes.

firn_decoder *firn_decoder_open(firn_codec codec, const firn_limits *limits) {
    firn_decoder *decoder = NULL;
    switch (codec) {
    case FIRN_CODEC_JPEG: decoder = firn_jpeg_open(); break;
    case FIRN_CODEC_PNG: decoder = firn_png_open(); break;
    case FIRN_CODEC_WEBP: decoder = firn_webp_open(); break;
#ifdef FIRN_AVIF
    case FIRN_CODEC_AVIF: decoder = firn_avif_open(); break;
#endif
#ifdef FIRN_HEIC
    case FIRN_CODEC_HEIC: decoder = firn_heic_open(); break;
#endif
#ifdef FIRN_JXL
    case FIRN_CODEC_JXL: decoder = firn_jxl_open(); break;
#endif
#ifdef FIRN_TIFF
    case FIRN_CODEC_TIFF: decoder = firn_tiff_open(); break;
#endif
#ifdef FIRN_SVG
    case FIRN_CODEC_SVG: decoder = firn_svg_open(); break;
#endif
    // Left out of this build.
    default: break;
    }
    if (decoder) {
        decoder->limits = *limits;
        decoder->header.orientation = 1;
        decoder->header.bit_depth = 8;
        decoder->header.frames = 1;
        decoder->header.loops = -1;
    }
    return decoder;
}

/// Copies lent bytes into our own memory, so that the caller may take them back.
static firn_status keep_input(firn_decoder *decoder) {
    firn_input *input = &decoder->input;
    if (!input->lent) return FIRN_OK;
    if (input->length == 0) {
        input->bytes = input->lent = NULL;
        return FIRN_OK;
    }
    if (input->length > input->capacity) {
        uint8_t *block = realloc(input->owned, input->length);
        if (!block) return firn_fail(decoder, FIRN_MEMORY, "no memory for %zu bytes of input", input->length);
        input->owned = block;
        input->capacity = input->length;
    }
    memcpy(input->owned, input->bytes, input->length);
    input->bytes = input->owned;
    input->lent = NULL;
    return FIRN_OK;
}

void firn_decoder_reach(firn_decoder *decoder, const firn_source *source) {
    decoder->input.source = *source;
    decoder->input.last = true;
}

void firn_decoder_relend(firn_decoder *decoder, const uint8_t *bytes) {
    firn_input *input = &decoder->input;
    if (!input->lent || !bytes) return;
    input->bytes = bytes + (input->bytes - input->lent);
    input->lent = bytes;
}

firn_status firn_decoder_feed(firn_decoder *decoder, const uint8_t *bytes, size_t length, bool last) {
    if (decoder->failure) return decoder->failure;
    firn_input *input = &decoder->input;
    input->last = last;
    if (input->length == 0) {
        input->bytes = input->lent = bytes;
        input->length = length;
        return FIRN_OK;
    }
    // Invariant: a remainder is in our own memory, because the last call returned FIRN_NEED_DATA.
    size_t start = (size_t)(input->bytes - input->owned);
    if (length > input->capacity - start - input->length) {
        memmove(input->owned, input->bytes, input->length);
        input->bytes = input->owned;
        if (length > input->capacity - input->length) {
            size_t needed;
            if (__builtin_add_overflow(input->length, length, &needed) || needed > SIZE_MAX / 2)
                return firn_fail(decoder, FIRN_LIMIT, "the input is too long");
            size_t capacity = needed + needed / 2;
            uint8_t *block = realloc(input->owned, capacity);
            if (!block) return firn_fail(decoder, FIRN_MEMORY, "no memory for %zu bytes of input", capacity);
            input->owned = block;
            input->bytes = block;
            input->capacity = capacity;
        }
    }
    if (length) memcpy(input->owned + (input->bytes - input->owned) + input->length, bytes, length);
    input->length += length;
    return FIRN_OK;
}

/// Runs at the end of every call.
static firn_status settle(firn_decoder *decoder, firn_status status) {
    switch (status) {
    case FIRN_OK:
    case FIRN_PAUSE:
    case FIRN_END:
        return status;
    case FIRN_NEED_DATA:
        if (decoder->input.last) return firn_fail(decoder, FIRN_DATA, "the data is cut short");
        status = keep_input(decoder);
        return status ? status : FIRN_NEED_DATA;
    default:
        return decoder->failure ? decoder->failure : firn_fail(decoder, status, "the decoder failed");
    }
}

firn_status firn_decoder_header(firn_decoder *decoder, firn_header *header) {
    if (decoder->failure) return decoder->failure;
    if (decoder->phase == FIRN_READING_HEADER) {
        firn_status status = settle(decoder, decoder->calls->header(decoder));
        if (status) return status;
        decoder->phase = FIRN_HEADER_KNOWN;
    }
    *header = decoder->header;
    return FIRN_OK;
}

firn_status firn_decoder_frame(firn_decoder *decoder, uint32_t index, firn_frame *frame) {
    if (decoder->failure) return decoder->failure;
    if (decoder->phase == FIRN_READING_HEADER)
        return firn_fail(decoder, FIRN_UNSUPPORTED, "frames are known after the header");
    if (index >= decoder->header.frames)
        return firn_fail(decoder, FIRN_DATA, "has %u frames, none numbered %u", decoder->header.frames, index);
    if (decoder->calls->frame) return settle(decoder, decoder->calls->frame(decoder, index, frame));
    *frame = (firn_frame){decoder->header.width, decoder->header.height, 0, decoder->header.alpha};
    return FIRN_OK;
}

firn_status firn_decoder_start(firn_decoder *decoder, const firn_options *options, firn_output *output) {
    if (decoder->failure) return decoder->failure;
    if (decoder->phase == FIRN_READING_HEADER || (decoder->phase != FIRN_HEADER_KNOWN && !decoder->calls->restarts))
        return firn_fail(decoder, FIRN_UNSUPPORTED, "a decode is started once, after the header");
    firn_status status = settle(decoder, decoder->calls->start(decoder, options));
    if (status) return status;
    decoder->phase = FIRN_STARTED;
    decoder->output.restarts = decoder->calls->restarts;
    *output = decoder->output;
    return FIRN_OK;
}

firn_status firn_decoder_read(
    firn_decoder *decoder, uint8_t *pixels, size_t stride, uint32_t rows, uint32_t *done) {
    *done = 0;
    if (decoder->failure) return decoder->failure;
    if (decoder->phase == FIRN_COMPLETE) return FIRN_END;
    if (decoder->phase != FIRN_STARTED) return firn_fail(decoder, FIRN_UNSUPPORTED, "rows are read after the start");
    firn_status status = settle(decoder, decoder->calls->read(decoder, pixels, stride, rows, done));
    if (status == FIRN_END) decoder->phase = FIRN_COMPLETE;
    return status;
}

firn_status firn_decoder_preview(firn_decoder *decoder, uint8_t *pixels, size_t stride) {
    if (decoder->failure) return decoder->failure;
    if (decoder->phase != FIRN_STARTED || !decoder->calls->preview) return FIRN_NEED_DATA;
    firn_status status = decoder->calls->preview(decoder, pixels, stride);
    // A preview without anything to show does not mean that the file is truncated.
    return status == FIRN_NEED_DATA ? status : settle(decoder, status);
}

const char *firn_decoder_message(const firn_decoder *decoder) { return decoder->message; }

void firn_decoder_close(firn_decoder *decoder) {
    if (!decoder) return;
    free(decoder->input.owned);
    decoder->calls->close(decoder);
}

// MARK: What the codecs share.

firn_status firn_fail(firn_decoder *decoder, firn_status status, const char *format, ...) {
    decoder->failure = status;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(decoder->message, sizeof decoder->message, format, arguments);
    va_end(arguments);
    // Messages of libraries may quote the file.
    for (char *c = decoder->message; *c; c++)
        if ((unsigned char)*c < 0x20 || (unsigned char)*c > 0x7E) *c = '?';
    return status;
}

size_t firn_input_read(const firn_input *input, uint64_t offset, uint8_t *target, size_t count) {
    if (input->source.read) return input->source.read(input->source.context, offset, target, count);
    if (offset >= input->length) return 0;
    size_t left = input->length - (size_t)offset, taken = count < left ? count : left;
    memcpy(target, input->bytes + offset, taken);
    return taken;
}

uint64_t firn_input_length(const firn_input *input) {
    return input->source.read ? input->source.length : input->length;
}

void firn_input_skip(firn_input *input, size_t count) {
    input->bytes += count;
    input->length -= count;
}

firn_status firn_check_size(firn_decoder *decoder, uint64_t width, uint64_t height) {
    if (width == 0 || height == 0) return firn_fail(decoder, FIRN_DATA, "declares an empty image");
    if (width > decoder->limits.pixels / height)
        return firn_fail(
            decoder, FIRN_LIMIT, "declares %llux%llu pixels; the limit is %llu", (unsigned long long)width,
            (unsigned long long)height, (unsigned long long)decoder->limits.pixels);
    return FIRN_OK;
}

bool firn_durations_add(firn_durations *durations, uint32_t milliseconds) {
    if (durations->count == durations->capacity) {
        uint32_t capacity = durations->capacity ? durations->capacity * 2 : 16;
        uint32_t *values = realloc(durations->values, capacity * sizeof *values);
        if (!values) return false;
        durations->values = values;
        durations->capacity = capacity;
    }
    durations->values[durations->count++] = milliseconds;
    return true;
}
