// Bounds the items of a file before libavif reads them.
#ifndef FIRN_AVIF_ITEMS_H
#define FIRN_AVIF_ITEMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// The most entries of each list of items. libavif looks for an item from the first one on, so it takes time with the
/// square of their number. Cells of 128 pixels a side in this number have more pixels than `ImageLimits` allows.
enum { FIRN_AVIF_MOST_ITEMS = 16384 };

/// The result of looking at the `meta` box.
typedef enum {
    /// Each of its lists of items has at most that many entries.
    FIRN_AVIF_FEW_ITEMS,
    FIRN_AVIF_MANY_ITEMS,
    /// Bytes of it are missing.
    FIRN_AVIF_NO_ITEMS,
} firn_avif_items;

/// Looks at the items of a file.
///
/// - Parameter is_whole: no bytes follow; the box may end with them.
firn_avif_items firn_avif_count_items(const uint8_t *bytes, size_t length, bool is_whole);

#endif
