// Finds the ends of the items of a HEIF file; private to this target.
#ifndef FIRN_HEIC_EXTENTS_H
#define FIRN_HEIC_EXTENTS_H

#include "../../Library/decoder.h"

/// An item and the end of its bytes in the file, those of the items that it is made of included.
typedef struct {
    uint32_t id;
    uint64_t end;
    /// The number of images of images it is made of, one below the other.
    uint32_t depth;
} firn_heic_item;

typedef struct {
    firn_heic_item *items;
    size_t count;
    /// Whether an image is made of itself, or of more images below each other than there are in any file.
    bool is_circular;
} firn_heic_extents;

/// Reads the items of a file that has arrived whole. None are known if the file is damaged or there is no memory.
void firn_heic_extents_read(firn_heic_extents *extents, const firn_input *input);

void firn_heic_extents_free(firn_heic_extents *extents);

/// Returns whether a file of `length` bytes holds an item.
firn_extent firn_heic_extent(const firn_heic_extents *extents, uint32_t id, uint64_t length);

#endif
