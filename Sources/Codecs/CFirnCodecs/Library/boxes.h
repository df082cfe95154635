// Boxes of ISO base media files. `ISOBox` of FirnCodecs walks them in Swift; this walk is for checks before a library
// sees a file, which run in firn-decoder, a process without Swift.
//
// Source: ISO/IEC 14496-12 §4.2.
#ifndef FIRN_BOXES_H
#define FIRN_BOXES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/// The unread bytes of a box, or of a list of boxes. Once some are missing, all later numbers are 0.
typedef struct {
    const uint8_t *bytes;
    size_t length;
    bool is_over;
} firn_fields;

static inline uint64_t firn_number(firn_fields *self, unsigned bytes) {
    if (self->is_over || bytes > self->length || bytes > 8) {
        self->is_over = true;
        return 0;
    }
    uint64_t value = 0;
    for (unsigned i = 0; i < bytes; i++) value = value << 8 | self->bytes[i];
    self->bytes += bytes;
    self->length -= bytes;
    return value;
}

/// Takes the next box of a list: its type, and its content as far as it has arrived; returns false at the list's end.
static inline bool firn_next_box(firn_fields *list, char type[4], firn_fields *content) {
    if (list->length < 8) return false;
    uint64_t size = firn_number(list, 4), header = 8;
    memcpy(type, list->bytes, 4);
    (void)firn_number(list, 4);
    if (size == 1) {
        size = firn_number(list, 8);
        header = 16;
    }
    if (list->is_over || (size > 0 && size < header)) return false;
    size_t length = size == 0 || size - header > list->length ? list->length : (size_t)(size - header);
    *content = (firn_fields){list->bytes, length, false};
    list->bytes += length;
    list->length -= length;
    return true;
}

#endif
