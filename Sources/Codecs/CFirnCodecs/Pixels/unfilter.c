// Undoes the filters of PNG rows.
//
// Three of the four filters refer to the pixel on the left, so a row is a chain of pixels. The bytes of a pixel are
// independent: pixels of three and four bytes, as in photographs, are computed as one vector.
//
// Source: PNG (third edition) §9.2; §9.4 for the predictor of filter 4.
#include "firn_unfilter.h"

#include <string.h>

typedef uint8_t pixel __attribute__((vector_size(4)));
typedef int16_t lanes __attribute__((vector_size(8)));

enum { NONE, SUB, UP, AVERAGE, PAETH };

static inline lanes load(const uint8_t *bytes, unsigned step) {
    pixel loaded = {0};
    memcpy(&loaded, bytes, step);
    return __builtin_convertvector(loaded, lanes);
}

static inline void store(uint8_t *bytes, lanes value, unsigned step) {
    pixel stored = __builtin_convertvector(value, pixel);
    memcpy(bytes, &stored, step);
}

/// Returns left, above or above left, whichever is nearest to left + above - above left; the first in a tie.
static inline lanes nearest(lanes left, lanes above, lanes corner) {
    lanes by_left = above - corner, by_above = left - corner, by_corner = by_left + by_above;
    by_left = __builtin_elementwise_abs(by_left);
    by_above = __builtin_elementwise_abs(by_above);
    by_corner = __builtin_elementwise_abs(by_corner);
    lanes least = __builtin_elementwise_min(by_corner, __builtin_elementwise_min(by_left, by_above));
    lanes is_left = by_left == least, is_above = by_above == least;
    lanes rest = (is_above & above) | (~is_above & corner);
    return (is_left & left) | (~is_left & rest);
}

/// Pixels of three or four bytes. Called with a constant `step`, so that each gets a separate loop.
static inline __attribute__((always_inline)) void undo_vectors(
    uint8_t *row, const uint8_t *above, size_t count, unsigned step, unsigned filter) {
    const lanes byte = {255, 255, 255, 255};
    lanes left = {0}, corner = {0};
    switch (filter) {
    case SUB:
        for (size_t i = 0; i + step <= count; i += step) {
            left = (load(row + i, step) + left) & byte;
            store(row + i, left, step);
        }
        break;
    case AVERAGE:
        for (size_t i = 0; i + step <= count; i += step) {
            left = (load(row + i, step) + ((left + load(above + i, step)) >> 1)) & byte;
            store(row + i, left, step);
        }
        break;
    case PAETH:
        for (size_t i = 0; i + step <= count; i += step) {
            lanes over = load(above + i, step);
            left = (load(row + i, step) + nearest(left, over, corner)) & byte;
            corner = over;
            store(row + i, left, step);
        }
        break;
    default: break;
    }
}

static uint8_t nearest_byte(int left, int above, int corner) {
    int by_left = above - corner, by_above = left - corner, by_corner = by_left + by_above;
    by_left = by_left < 0 ? -by_left : by_left;
    by_above = by_above < 0 ? -by_above : by_above;
    by_corner = by_corner < 0 ? -by_corner : by_corner;
    if (by_left <= by_above && by_left <= by_corner) return (uint8_t)left;
    return (uint8_t)(by_above <= by_corner ? above : corner);
}

static void undo_bytes(uint8_t *row, const uint8_t *above, size_t count, unsigned step, unsigned filter) {
    for (size_t i = 0; i < count; i++) {
        int left = i < step ? 0 : row[i - step], corner = i < step ? 0 : above[i - step];
        int guess = filter == SUB ? left : filter == AVERAGE ? (left + above[i]) >> 1
                                                             : nearest_byte(left, above[i], corner);
        row[i] = (uint8_t)(row[i] + guess);
    }
}

bool firn_unfilter(uint8_t *row, const uint8_t *above, size_t count, unsigned step, unsigned filter) {
    if (filter > PAETH) return false;
    if (filter == NONE) return true;
    if (filter == UP) {
        for (size_t i = 0; i < count; i++) row[i] = (uint8_t)(row[i] + above[i]);
        return true;
    }
    switch (step) {
    case 3: undo_vectors(row, above, count, 3, filter); break;
    case 4: undo_vectors(row, above, count, 4, filter); break;
    default: undo_bytes(row, above, count, step, filter); break;
    }
    return true;
}
