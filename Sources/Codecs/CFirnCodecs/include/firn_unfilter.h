// Undoes the filters of PNG rows.
#ifndef FIRN_UNFILTER_H
#define FIRN_UNFILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Undoes the filter of a row in place.
///
/// - `row`: `count` filtered bytes. A pixel has `step` bytes, 1 to 8; pixels of fewer than 8 bits count as one byte.
/// - `above`: the `count` unfiltered bytes of the row above; zeros for the first row.
/// - `filter`: 0 to 4. For any other value, returns false and leaves the row unchanged.
///
/// Source: PNG (third edition) §9.2.
bool firn_unfilter(uint8_t *row, const uint8_t *above, size_t count, unsigned step, unsigned filter);

#endif
