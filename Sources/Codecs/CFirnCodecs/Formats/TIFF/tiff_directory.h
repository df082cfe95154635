// Filters the directories of a TIFF file: leaves out entries that are not needed; private to this target.
#ifndef FIRN_TIFF_DIRECTORY_H
#define FIRN_TIFF_DIRECTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// libtiff's progress in reading a directory.
typedef struct {
    /// Byte order and BigTIFF, as the file's first bytes state.
    bool is_big_endian, is_big;
    /// Whether a directory is being read; otherwise bytes pass unchanged.
    bool is_active;
    /// Whether XMP packet and profile are needed, and the most bytes of each.
    bool wants_metadata;
    uint64_t most_xmp, most_icc;
    /// The offset and the bytes of the table of entries; 0 until their count was read.
    uint64_t table, length;
} firn_tiff_directory_read;

/// Reads the byte order and the variant from the file's first bytes.
void firn_tiff_directory_begin(firn_tiff_directory_read *self, const uint8_t *bytes, size_t count);

/// Empties entries that pixels do not need, in `count` bytes that libtiff reads from `position` on.
///
/// libtiff reads the values of all entries, known or not, whole and at once. Directories can share values, so a small
/// file could make it read any amount.
void firn_tiff_directory_filter(
    firn_tiff_directory_read *self, uint64_t position, uint8_t *bytes, size_t count, size_t wanted);

#endif
