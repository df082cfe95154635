// Bounds the items of a file before libavif reads them.
#ifndef FIRN_AVIF_ITEMS_H
#define FIRN_AVIF_ITEMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// The most entries of each list of items. libavif looks for an item from the first one on, so it takes time with the
/// square of their number. Cells of 128 pixels a side in this number have more pixels than `ImageLimits` allows.
enum { FIRN_AVIF_MOST_ITEMS = 16384 };

/// Whether the lists of items in the `meta` box have at most that many entries, as far as the bytes have arrived.
bool firn_avif_has_few_items(const uint8_t *bytes, size_t length);

#endif
