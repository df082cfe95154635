// The messages of libtiff before 4.5; private to this target.
#ifndef FIRN_TIFF_MESSAGES_H
#define FIRN_TIFF_MESSAGES_H

#include <stddef.h>

#include <tiffio.h>

/// The first error message about one file.
typedef struct firn_tiff_messages {
    /// The context that libtiff passes to the functions that read the file.
    thandle_t handle;
    /// The text; a message replaces an empty one only.
    char *text;
    size_t capacity;
    struct firn_tiff_messages *next;
} firn_tiff_messages;

/// Takes the messages about a file until `firn_tiff_messages_end`. The memory of `messages` may not move.
void firn_tiff_messages_begin(firn_tiff_messages *messages);

/// Has no effect on messages that are not taken.
void firn_tiff_messages_end(firn_tiff_messages *messages);

#endif
