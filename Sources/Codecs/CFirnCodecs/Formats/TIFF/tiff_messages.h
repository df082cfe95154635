// Messages of libtiff before 4.5; private to this target.
#ifndef FIRN_TIFF_MESSAGES_H
#define FIRN_TIFF_MESSAGES_H

#include <stddef.h>

#include <tiffio.h>

/// The first error message about one file.
typedef struct firn_tiff_messages {
    /// The context that libtiff passes to the functions that read the file.
    thandle_t handle;
    /// The text; only an empty one is replaced.
    char *text;
    size_t capacity;
    struct firn_tiff_messages *next;
} firn_tiff_messages;

/// Collects the messages about a file until `firn_tiff_messages_end`. `messages` must not move in memory.
void firn_tiff_messages_begin(firn_tiff_messages *messages);

/// Ends the collection; does nothing if none was started.
void firn_tiff_messages_end(firn_tiff_messages *messages);

#endif
