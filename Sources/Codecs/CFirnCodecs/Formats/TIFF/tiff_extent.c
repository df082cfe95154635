// Checks whether a file contains all strips or tiles of a page.
//
// Source: TIFF 6.0 §8 (StripOffsets, StripByteCounts), §15 (tiles).
#ifdef FIRN_TIFF
#include "tiff_pages.h"

/// Returns the size of an uncompressed strip or tile, in bytes; a file may declare more.
static uint64_t plain_bytes(TIFF *tiff, uint32_t index, uint32_t height, uint32_t rows_of_strip) {
    if (TIFFIsTiled(tiff)) return TIFFTileSize64(tiff);
    uint32_t strips_of_plane = (height - 1) / rows_of_strip + 1;
    uint32_t row = index % strips_of_plane * rows_of_strip, left = height - row;
    return TIFFVStripSize64(tiff, rows_of_strip < left ? rows_of_strip : left);
}

firn_extent firn_tiff_extent(TIFF *tiff, uint64_t length) {
    uint64_t *offsets = NULL, *counts = NULL;
    uint32_t height = 0, rows = 0;
    uint16_t compression = COMPRESSION_NONE;
    bool is_tiled = TIFFIsTiled(tiff);
    if (!TIFFGetField(tiff, is_tiled ? TIFFTAG_TILEOFFSETS : TIFFTAG_STRIPOFFSETS, &offsets) || !offsets
        || !TIFFGetField(tiff, is_tiled ? TIFFTAG_TILEBYTECOUNTS : TIFFTAG_STRIPBYTECOUNTS, &counts) || !counts)
        return FIRN_EXTENT_UNKNOWN;
    TIFFGetField(tiff, TIFFTAG_IMAGELENGTH, &height);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_ROWSPERSTRIP, &rows);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_COMPRESSION, &compression);
    if (height == 0 || (!is_tiled && rows == 0)) return FIRN_EXTENT_UNKNOWN;
    if (rows > height) rows = height;
    // libtiff made the arrays this long, regardless of the number of values in the file.
    uint32_t count = is_tiled ? TIFFNumberOfTiles(tiff) : TIFFNumberOfStrips(tiff);
    for (uint32_t i = 0; i < count; i++) {
        // A strip or tile without bytes is intentionally empty.
        if (counts[i] == 0) continue;
        uint64_t end, bytes = counts[i];
        if (compression == COMPRESSION_NONE) {
            uint64_t plain = plain_bytes(tiff, i, height, rows);
            if (plain && plain < bytes) bytes = plain;
        }
        if (__builtin_add_overflow(offsets[i], bytes, &end) || end > length) return FIRN_EXTENT_CUT;
    }
    return FIRN_EXTENT_WHOLE;
}

#endif
