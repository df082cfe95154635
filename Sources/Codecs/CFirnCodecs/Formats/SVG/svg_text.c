// Source: RFC 1952 §2.2 (members); RFC 1951; XML 1.0 §4.3.3 and appendix F (UTF-16).
#ifdef FIRN_SVG
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include <zlib.h>

#include "svg_document.h"

/// The number of inflated bytes up to which the ratio is not limited, as for HTTP bodies.
static const uint64_t always_inflated = 16 << 20;

static bool is_gzip(const uint8_t *bytes, size_t length) {
    return length >= 2 && bytes[0] == 0x1F && bytes[1] == 0x8B;
}

/// Returns the maximum inflated length of `length` compressed bytes.
static uint64_t inflation_limit(const firn_limits *limits, size_t length) {
    uint64_t most = UINT64_MAX;
    if (length <= UINT64_MAX / (limits->expansion ? limits->expansion : 1)) most = length * limits->expansion;
    if (most < always_inflated) most = always_inflated;
    return most < limits->file_bytes ? most : limits->file_bytes;
}

/// Makes room for more text. Doubles the capacity, so the total time is linear.
static bool grow(firn_svg_text *text, size_t *capacity, uint64_t most) {
    uint64_t wanted = *capacity ? (uint64_t)*capacity * 2 : 1 << 16;
    // One byte more than allowed, to detect longer text.
    if (wanted > most + 1) wanted = most + 1;
    if (wanted > SIZE_MAX) return false;
    uint8_t *bytes = realloc(text->bytes, (size_t)wanted);
    if (!bytes) return false;
    text->bytes = bytes;
    *capacity = (size_t)wanted;
    return true;
}

/// Inflates all members. Ignores bytes after the last one.
static firn_status inflate_members(
    firn_decoder *decoder, z_stream *stream, const uint8_t *bytes, size_t length, firn_svg_text *text) {
    const uint64_t most = inflation_limit(&decoder->limits, length);
    if (most > SIZE_MAX - 1) return firn_fail(decoder, FIRN_MEMORY, "no memory for the document");
    size_t capacity = 0, used = 0;
    while (is_gzip(bytes + used, length - used)) {
        if (inflateReset(stream) != Z_OK) return firn_fail(decoder, FIRN_DATA, "cannot be inflated");
        int code = Z_OK;
        while (code != Z_STREAM_END) {
            if (text->length == capacity && !grow(text, &capacity, most))
                return firn_fail(decoder, FIRN_MEMORY, "no memory for the document");
            const size_t left = length - used, room = capacity - text->length;
            const uInt given = left < UINT_MAX ? (uInt)left : UINT_MAX;
            const uInt free_bytes = room < UINT_MAX ? (uInt)room : UINT_MAX;
            stream->next_in = (Bytef *)(uintptr_t)(bytes + used);
            stream->avail_in = given;
            stream->next_out = text->bytes + text->length;
            stream->avail_out = free_bytes;
            code = inflate(stream, Z_NO_FLUSH);
            used += given - stream->avail_in;
            text->length += free_bytes - stream->avail_out;
            if (text->length > most)
                return firn_fail(
                    decoder, FIRN_LIMIT, "is inflated to more than %llu bytes; no more are allowed %s",
                    (unsigned long long)most,
                    most == decoder->limits.file_bytes ? "(ImageLimits.maximumBytes)"
                                                       : "(ImageLimits.maximumExpansion)");
            if (code == Z_BUF_ERROR && used == length)
                return firn_fail(decoder, FIRN_DATA, "the gzip data is cut short");
            if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR)
                return firn_fail(decoder, FIRN_DATA, "has damaged gzip data");
        }
    }
    return FIRN_OK;
}

static firn_status inflate_text(firn_decoder *decoder, firn_svg_text *text) {
    firn_svg_text inflated = {0};
    z_stream stream = {0};
    if (inflateInit2(&stream, 15 + 16) != Z_OK) return firn_fail(decoder, FIRN_MEMORY, "no memory to inflate");
    firn_status status = inflate_members(decoder, &stream, text->bytes, text->length, &inflated);
    inflateEnd(&stream);
    free(text->bytes);
    *text = inflated;
    return status;
}

/// Adds a missing byte order mark to UTF-16. Without it, libxml2 needs an XML declaration to recognize UTF-16.
static firn_status mark_order(firn_decoder *decoder, firn_svg_text *text) {
    if (text->length < 2) return FIRN_OK;
    const bool is_little = text->bytes[0] && !text->bytes[1], is_big = !text->bytes[0] && text->bytes[1];
    if (!is_little && !is_big) return FIRN_OK;
    uint8_t *marked = text->length <= SIZE_MAX - 2 ? realloc(text->bytes, text->length + 2) : NULL;
    if (!marked) return firn_fail(decoder, FIRN_MEMORY, "no memory for the document");
    memmove(marked + 2, marked, text->length);
    marked[0] = is_little ? 0xFF : 0xFE;
    marked[1] = is_little ? 0xFE : 0xFF;
    *text = (firn_svg_text){marked, text->length + 2};
    return FIRN_OK;
}

firn_status firn_svg_read_text(firn_decoder *decoder, firn_svg_text *text) {
    *text = (firn_svg_text){0};
    const uint64_t length = firn_input_length(&decoder->input);
    if (length == 0 || length > SIZE_MAX) return firn_fail(decoder, FIRN_DATA, "holds no document");
    text->bytes = malloc((size_t)length);
    if (!text->bytes) return firn_fail(decoder, FIRN_MEMORY, "no memory for the document");
    text->length = firn_input_read(&decoder->input, 0, text->bytes, (size_t)length);
    if (is_gzip(text->bytes, text->length)) {
        firn_status status = inflate_text(decoder, text);
        if (status) return status;
    }
    return mark_order(decoder, text);
}

#endif
