// Directories of a TIFF file with the entries left out that nobody asks for; not seen outside this target.
#ifndef FIRN_TIFF_DIRECTORY_H
#define FIRN_TIFF_DIRECTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// How far libtiff has read a directory.
typedef struct {
    /// The file's first bytes say so.
    bool is_big_endian, is_big;
    /// Whether a directory is read at all; otherwise bytes pass as they are.
    bool is_active;
    /// Whether XMP packet and profile are wanted, and most bytes of each.
    bool wants_metadata;
    uint64_t most_xmp, most_icc;
    /// Where the table of entries begins, and its bytes; 0 until their count was read.
    uint64_t table, length;
} firn_tiff_directory_read;

/// Takes note of the file's first bytes.
void firn_tiff_directory_begin(firn_tiff_directory_read *self, const uint8_t *bytes, size_t count);

/// Makes entries that are of no use for pixels empty, in `count` bytes that libtiff reads from `position` on.
///
/// libtiff reads the values of all entries, known or not, whole and at once. Directories can share theirs, so that a small
/// file makes it read any amount.
void firn_tiff_directory_filter(
    firn_tiff_directory_read *self, uint64_t position, uint8_t *bytes, size_t count, size_t wanted);

#endif
