// What the encoders share: a growing buffer and the conversion of rows.
#ifndef ENCODE_H
#define ENCODE_H

#include "../include/firn_encode.h"

/// Bytes that grow. All zero is an empty one.
typedef struct {
    uint8_t *bytes;
    size_t length;
    size_t capacity;
} firn_bytes;

/// Makes room for `more` bytes behind `length`; false, with everything as it was, where there is no memory.
bool firn_bytes_reserve(firn_bytes *output, size_t more);
bool firn_bytes_append(firn_bytes *output, const void *bytes, size_t count);

/// Hands the bytes over to `encoded`.
bool firn_encoded_finish(firn_encoded *encoded, firn_bytes *output);
/// Frees the bytes and sets the message.
bool firn_encoded_fail(firn_encoded *encoded, firn_bytes *output, const char *message);

/// Writes row `y` as straight RGBA, as RGB where the picture is opaque.
void firn_source_row(const firn_picture *picture, uint32_t y, uint8_t *row);

/// Writes row `y` as straight 0xAARRGGBB words.
void firn_source_words(const firn_picture *picture, uint32_t y, uint32_t *row);

#endif
