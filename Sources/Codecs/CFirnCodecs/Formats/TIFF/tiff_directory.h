// Filters the directories of a TIFF file: removes unneeded entries; private to this target.
#ifndef FIRN_TIFF_DIRECTORY_H
#define FIRN_TIFF_DIRECTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// libtiff's progress in reading a directory.
typedef struct {
    /// Byte order and variant, as the first bytes of the file state.
    bool is_big_endian, is_big;
    /// True while a directory is being read; otherwise bytes pass unchanged.
    bool is_active;
    /// True if XMP packet and profile are needed; and the maximum length of each.
    bool wants_metadata;
    uint64_t most_xmp, most_icc;
    /// The offset and length of the table of entries; 0 until the number of entries was read.
    uint64_t table, length;
} firn_tiff_directory_read;

/// Reads the byte order and the variant from the first bytes of the file.
void firn_tiff_directory_begin(firn_tiff_directory_read *self, const uint8_t *bytes, size_t count);

/// Clears entries that pixels do not need, in the `count` bytes that libtiff reads at `position`.
///
/// libtiff reads the values of all entries, known or not, completely and at once. Directories can share values, so a
/// small file could cause unlimited reading.
void firn_tiff_directory_filter(
    firn_tiff_directory_read *self, uint64_t position, uint8_t *bytes, size_t count, size_t wanted);

#endif
