// Decides how a page of a TIFF file is stored and read; private to this target.
#ifndef FIRN_TIFF_PAGES_H
#define FIRN_TIFF_PAGES_H

#include <tiffio.h>

#include "firn_decode.h"
#include "tiff_rows.h"

/// The content of a band: a row, a strip of each plane, a row of tiles, or rows converted by libtiff.
typedef enum { FIRN_TIFF_SCANLINES, FIRN_TIFF_PLANAR_STRIPS, FIRN_TIFF_TILES, FIRN_TIFF_CONVERTED } firn_tiff_mode;

/// One directory.
typedef struct {
    /// The offset of the directory.
    uint64_t offset;
    uint32_t width, height;
    uint16_t photometric, samples, bits;
    /// The EXIF orientation.
    uint16_t orientation;
    bool is_planar, is_tiled;
    /// True if the page is a reduced version of another page.
    bool is_reduced;
    uint32_t tile_width;
    firn_tiff_mode mode;
    firn_tiff_samples rows;
    /// The number of rows in each band but the last.
    uint32_t band_rows;
    /// The size in bytes of one row of a strip or tile, of a whole strip or tile, and of a band.
    uint64_t row_bytes, piece_bytes, band_bytes;
    /// The reason why the page cannot be read; NULL if it can.
    const char *problem;
    firn_extent extent;
} firn_tiff_page;

/// Describes the current directory of `tiff`; sets `problem` if the page cannot be read.
///
/// `most_bytes` limits the memory of a band.
void firn_tiff_describe(TIFF *tiff, uint64_t most_bytes, firn_tiff_page *page);

/// Returns whether the strips or tiles of the current directory lie within a file of `length` bytes.
firn_extent firn_tiff_extent(TIFF *tiff, uint64_t length);

#endif
