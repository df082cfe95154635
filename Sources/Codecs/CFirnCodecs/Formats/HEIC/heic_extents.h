// Finds the ends of the items of a HEIF file, and the cells of its grids; private to this target.
#ifndef FIRN_HEIC_EXTENTS_H
#define FIRN_HEIC_EXTENTS_H

#include "../../Library/decoder.h"

/// An item and the end of its bytes in the file, those of the items that it is made of included.
typedef struct {
    uint32_t id;
    uint64_t end;
    /// The number of images of images it is made of, one below the other.
    uint32_t depth;
    /// The declared size; 0 if there is none. Of a grid: the size that its description states.
    uint32_t width, height;
    /// The size of the part that is shown; 0 if there is no clean aperture.
    uint32_t shown_width, shown_height;
    bool is_grid;
    /// The start of its first bytes, in the file or in the box `idat`.
    uint64_t start;
    bool is_in_box;
    /// The number of images it is made of, and their declared size; 0 if those differ.
    uint32_t parts, part_width, part_height;
    /// The item of its alpha; 0 if there is none.
    uint32_t alpha;
} firn_heic_item;

/// The images that a grid is made of; none for other images.
typedef struct {
    uint32_t count, width, height;
} firn_heic_cells;

typedef struct {
    firn_heic_item *items;
    size_t count;
    /// Whether an image is made of itself, or of more images below each other than there are in any file.
    bool is_circular;
} firn_heic_extents;

/// Reads the items of a file that has arrived whole. None are known if the file is damaged or there is no memory.
void firn_heic_extents_read(firn_heic_extents *extents, const firn_input *input);

void firn_heic_extents_free(firn_heic_extents *extents);

/// Returns whether the cells of an image, and those of its alpha, cover it by the sizes that they declare. True if it
/// is no grid.
///
/// libheif before 1.20 shows what its memory held where they do not.
bool firn_heic_cells_cover(
    const firn_heic_extents *extents, uint32_t id, firn_heic_cells *cells, firn_heic_cells *alpha);

/// Corrects a size that libheif gives for an image, rotated or not, whose sides may each be a pixel less than shown.
void firn_heic_correct_size(const firn_heic_extents *extents, uint32_t id, int *width, int *height);

/// Returns whether a file of `length` bytes holds an item.
firn_extent firn_heic_extent(const firn_heic_extents *extents, uint32_t id, uint64_t length);

#endif
