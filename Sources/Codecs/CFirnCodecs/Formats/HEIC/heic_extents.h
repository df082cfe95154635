// Finds the ends of a HEIF file's items, and the cells of its grids; private to this target.
#ifndef FIRN_HEIC_EXTENTS_H
#define FIRN_HEIC_EXTENTS_H

#include "../../Library/decoder.h"

/// An item and the end of its bytes in the file, including its parts.
typedef struct {
    uint32_t id;
    uint64_t end;
    /// The nesting depth of derived images.
    uint32_t depth;
    /// The declared size; 0 if there is none. For a grid: the size in its description.
    uint32_t width, height;
    /// The size of the visible part; 0 if there is no clean aperture.
    uint32_t shown_width, shown_height;
    bool is_grid;
    /// The position of its first bytes, in the file or in the `idat` box.
    uint64_t start;
    bool is_in_box;
    /// The number of its parts and their declared size; 0 if the sizes differ.
    uint32_t parts, part_width, part_height;
    /// Its alpha item; 0 if there is none.
    uint32_t alpha;
} firn_heic_item;

/// The cells of a grid; empty for other images.
typedef struct {
    uint32_t count, width, height;
} firn_heic_cells;

typedef struct {
    firn_heic_item *items;
    size_t count;
    /// True if an image contains itself, or is nested deeper than in any real file.
    bool is_circular;
} firn_heic_extents;

/// Reads the items of a complete file. Finds none if the file is damaged or memory is exhausted.
void firn_heic_extents_read(firn_heic_extents *extents, const firn_input *input);

void firn_heic_extents_free(firn_heic_extents *extents);

/// Returns whether the cells of an image and of its alpha cover it, according to their declared sizes. True unless the
/// image is a grid.
///
/// Otherwise, libheif before 1.20 shows uninitialized memory.
bool firn_heic_cells_cover(
    const firn_heic_extents *extents, uint32_t id, firn_heic_cells *cells, firn_heic_cells *alpha);

/// Corrects libheif's size of an image, rotated or not, whose sides may each be a pixel too short.
void firn_heic_correct_size(const firn_heic_extents *extents, uint32_t id, int *width, int *height);

/// Returns whether a file of `length` bytes contains all of an item.
firn_extent firn_heic_extent(const firn_heic_extents *extents, uint32_t id, uint64_t length);

#endif
