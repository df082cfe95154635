// Declarations shared by the encoders: a growing buffer, row conversion, animations.
#ifndef ENCODE_H
#define ENCODE_H

#include "firn_encode.h"

/// A growing buffer. All zeros is an empty one.
typedef struct {
    uint8_t *bytes;
    size_t length;
    size_t capacity;
} firn_bytes;

/// Makes room for `more` bytes after `length`; returns false, with everything unchanged, if memory is exhausted.
bool firn_bytes_reserve(firn_bytes *output, size_t more);
/// Appends a copy of `count` bytes; returns false, with everything unchanged, if memory is exhausted.
bool firn_bytes_append(firn_bytes *output, const void *bytes, size_t count);

/// Moves the bytes to `encoded`.
bool firn_encoded_finish(firn_encoded *encoded, firn_bytes *output);
/// Frees the bytes, unless `output` is NULL, and sets fault and message. Returns false.
bool firn_encoded_fail(
    firn_encoded *encoded, firn_bytes *output, firn_encode_fault fault, const char *message);
/// Like `firn_encoded_fail`, for a cancellation and for exhausted memory.
bool firn_encoded_cancel(firn_encoded *encoded, firn_bytes *output);
bool firn_encoded_no_memory(firn_encoded *encoded, firn_bytes *output);

/// Returns whether the image has a resolution that every format can store.
static inline bool firn_has_resolution(const firn_image *image) {
    return image->resolution_x >= 1 && image->resolution_x < 1e6 && image->resolution_y >= 1
        && image->resolution_y < 1e6;
}

/// Returns pixels per meter.
static inline uint32_t firn_per_metre(double per_inch) { return (uint32_t)(per_inch / 0.0254 + 0.5); }

/// Returns whether the caller cancelled.
static inline bool firn_is_cancelled(const firn_image *image) {
    return image->watch.is_cancelled && image->watch.is_cancelled(image->watch.context);
}

/// Writes row `y` as straight RGBA, or as RGB if the image is opaque.
void firn_source_row(const firn_image *image, uint32_t y, uint8_t *row);

/// Writes row `y` as straight 0xAARRGGBB words.
void firn_source_words(const firn_image *image, uint32_t y, uint32_t *row);

/// Writes row `y` of a gray image: one byte per pixel, followed by alpha if the image is not opaque.
void firn_source_gray(const firn_image *image, uint32_t y, uint8_t *row);

/// The calls that an animation encoder implements.
typedef struct {
    /// The size of the encoder's struct, which starts with `firn_animation`. It is allocated zeroed.
    size_t state_bytes;
    /// Adds a frame of the canvas's size.
    bool (*add)(firn_animation *, const firn_image *, uint32_t milliseconds, firn_encoded *);
    /// Ends the file.
    bool (*finish)(firn_animation *, firn_encoded *);
    /// Frees the memory that the struct refers to, even if its setup failed.
    void (*release)(firn_animation *);
} firn_animation_calls;

/// The duration in milliseconds of a frame without one, in formats that cannot store 0: viewers use this value.
enum { FIRN_UNTIMED = 100 };

/// The base of every animation encoder's struct.
struct firn_animation {
    const firn_animation_calls *calls;
    firn_canvas canvas;
    /// The number of frames added.
    uint32_t count;
};

/// Creates an encoder's struct; returns NULL, with a message, if memory is exhausted.
void *firn_animation_create(const firn_animation_calls *calls, const firn_canvas *canvas, firn_encoded *encoded);

/// Closes an encoder whose setup failed, or NULL, and sets the message. Returns NULL.
firn_animation *firn_animation_refuse(
    firn_animation *animation, firn_encoded *encoded, firn_encode_fault fault, const char *message);

/// Like `firn_animation_refuse`, for exhausted memory.
firn_animation *firn_animation_no_memory(firn_animation *animation, firn_encoded *encoded);

#endif
