// Limits the items of a file before libavif reads them.
#ifndef FIRN_AVIF_ITEMS_H
#define FIRN_AVIF_ITEMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// The maximum number of entries in each list of items. libavif searches items linearly, so its time is quadratic in
/// their number. A grid with this many 128-pixel cells has more pixels than `ImageLimits` allows.
enum { FIRN_AVIF_MOST_ITEMS = 16384 };

/// The result of checking the `meta` box.
typedef enum {
    /// Each of its item lists has at most that many entries.
    FIRN_AVIF_FEW_ITEMS,
    FIRN_AVIF_MANY_ITEMS,
    /// The box is incomplete.
    FIRN_AVIF_NO_ITEMS,
} firn_avif_items;

/// Checks the items of a file.
///
/// - Parameter is_whole: true if no bytes follow; the box may then end with the last one.
firn_avif_items firn_avif_count_items(const uint8_t *bytes, size_t length, bool is_whole);

#endif
