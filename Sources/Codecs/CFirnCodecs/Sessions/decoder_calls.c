// The public calls of a decoder: order of calls, sticky failures, copies of lent bytes.
#include "../Library/decoder.h"
#include "../Library/exit.h"
#include "../Registry/formats.h"

#include <stdlib.h>
#include <string.h>

firn_decoder *firn_decoder_open(firn_codec codec, const firn_limits *limits) {
    const firn_codec_calls *calls = firn_codec_calls_of(codec);
    firn_decoder *decoder = calls ? calloc(1, calls->state_bytes) : NULL;
    if (!decoder) return NULL;
    decoder->calls = calls;
    decoder->limits = *limits;
    decoder->header.orientation = 1;
    decoder->header.bit_depth = 8;
    decoder->header.frames = 1;
    decoder->header.loops = -1;
    if (!calls->open || calls->open(decoder)) return decoder;
    firn_decoder_close(decoder);
    return NULL;
}

/// Copies lent bytes to the decoder's memory, so that the caller may take them back.
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
    // Invariant: a remainder is in the decoder's memory, because the last call returned FIRN_NEED_DATA.
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

/// Starts a call of a format's library.
static bool enter(firn_decoder *decoder) {
    if (!decoder->calls->has_destructors || firn_library_enter()) return true;
    firn_fail(decoder, FIRN_DATA, "the program ends");
    return false;
}

static void leave(const firn_decoder *decoder) {
    if (decoder->calls->has_destructors) firn_library_leave();
}

/// Ends a call of a format's library: converts its status to the returned one, and keeps unused input.
static firn_status settle(firn_decoder *decoder, firn_status status) {
    leave(decoder);
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
        if (!enter(decoder)) return decoder->failure;
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
    if (decoder->calls->frame) {
        if (!enter(decoder)) return decoder->failure;
        return settle(decoder, decoder->calls->frame(decoder, index, frame));
    }
    *frame = (firn_frame){
        decoder->header.width, decoder->header.height, 0, decoder->header.alpha, FIRN_EXTENT_UNKNOWN, 0};
    return FIRN_OK;
}

firn_status firn_decoder_page(firn_decoder *decoder, uint32_t index, firn_header *header) {
    firn_frame frame;
    firn_status status = firn_decoder_frame(decoder, index, &frame);
    if (status) return status;
    *header = decoder->header;
    if (index == 0 || !decoder->calls->page) return FIRN_OK;
    decoder->phase = FIRN_HEADER_KNOWN;
    header->width = frame.width;
    header->height = frame.height;
    header->alpha = frame.alpha;
    return settle(decoder, decoder->calls->page(decoder, index, header));
}

/// Fails if a requested part exceeds its frame.
static firn_status check_area(firn_decoder *decoder, const firn_options *options) {
    const firn_area *area = &options->area;
    if (!area->width) return FIRN_OK;
    firn_frame frame;
    firn_status status = firn_decoder_frame(decoder, options->frame, &frame);
    if (status) return status;
    if (!area->height || area->width > frame.width || area->x > frame.width - area->width
        || area->height > frame.height || area->y > frame.height - area->height)
        return firn_fail(decoder, FIRN_UNSUPPORTED, "a part is requested that is not in the frame");
    return FIRN_OK;
}

firn_status firn_decoder_start(firn_decoder *decoder, const firn_options *options, firn_output *output) {
    if (decoder->failure) return decoder->failure;
    const bool restarts = decoder->calls->restarts || decoder->restarts;
    if (decoder->phase == FIRN_READING_HEADER || (decoder->phase != FIRN_HEADER_KNOWN && !restarts))
        return firn_fail(decoder, FIRN_UNSUPPORTED, "a decode is started once, after the header");
    firn_options choice = *options;
    firn_status status = check_area(decoder, options);
    if (status) return status;
    if (options->area.width && !decoder->calls->areas) {
        choice.area = (firn_area){0};
        choice.width = choice.height = 0;
    }
    decoder->output.area = (firn_area){0};
    if (!enter(decoder)) return decoder->failure;
    status = settle(decoder, decoder->calls->start(decoder, &choice));
    if (status) return status;
    decoder->phase = FIRN_STARTED;
    decoder->rows_given = 0;
    if (options->area.width && !decoder->calls->areas) decoder->output.area = options->area;
    decoder->output.restarts = decoder->calls->restarts || decoder->restarts;
    *output = decoder->output;
    return FIRN_OK;
}

firn_status firn_decoder_read(
    firn_decoder *decoder, uint8_t *pixels, size_t stride, uint32_t rows, uint32_t *done) {
    *done = 0;
    if (decoder->failure) return decoder->failure;
    if (decoder->phase == FIRN_COMPLETE) return FIRN_END;
    if (decoder->phase != FIRN_STARTED) return firn_fail(decoder, FIRN_UNSUPPORTED, "rows are read after the start");
    // No codec writes below its output, regardless of the caller's room.
    uint32_t left = decoder->output.height - decoder->rows_given;
    if (!decoder->output.whole && rows > left) rows = left;
    if (!enter(decoder)) return decoder->failure;
    firn_status status = settle(decoder, decoder->calls->read(decoder, pixels, stride, rows, done));
    if (!decoder->output.whole) decoder->rows_given += *done < left ? *done : left;
    if (status == FIRN_END) decoder->phase = FIRN_COMPLETE;
    // Rows before the damage are returned; the next call reports it.
    return status > FIRN_END && *done > 0 ? FIRN_OK : status;
}

firn_status firn_decoder_preview(firn_decoder *decoder, uint8_t *pixels, size_t stride) {
    if (decoder->failure) return decoder->failure;
    if (decoder->phase != FIRN_STARTED || !decoder->calls->preview) return FIRN_NEED_DATA;
    if (!enter(decoder)) return decoder->failure;
    firn_status status = decoder->calls->preview(decoder, pixels, stride);
    if (status != FIRN_NEED_DATA) return settle(decoder, status);
    // An empty preview does not mean that the file is truncated.
    leave(decoder);
    return FIRN_NEED_DATA;
}

const char *firn_decoder_message(const firn_decoder *decoder) { return decoder->message; }

void firn_decoder_close(firn_decoder *decoder) {
    if (!decoder) return;
    // Once the process is ending, a library's memory is left to the system.
    if (!enter(decoder)) return;
    free(decoder->input.owned);
    decoder->calls->release(decoder);
    leave(decoder);
    free(decoder);
}
