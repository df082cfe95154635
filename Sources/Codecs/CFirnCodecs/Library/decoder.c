// Functions shared by the decoders of all formats: failures, input, limits, lists.
#include "decoder.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

firn_status firn_fail(firn_decoder *decoder, firn_status status, const char *format, ...) {
    decoder->failure = status;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(decoder->message, sizeof decoder->message, format, arguments);
    va_end(arguments);
    // Library messages may quote the file.
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
            decoder, FIRN_LIMIT, "declares %llux%llu pixels; %llu are allowed (ImageLimits.maximumPixels)",
            (unsigned long long)width, (unsigned long long)height, (unsigned long long)decoder->limits.pixels);
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
