// Reads the first directory of EXIF data, as far as decoding needs it: entries of 12 bytes (tag, type, count, value).
//
// Source: EXIF 2.32 §4.5 (the layout is TIFF 6.0 §2), §4.6.4 A (tags 0x0112, 0x011A, 0x011B, 0x0128).
#include <string.h>

#include "../Library/decoder.h"

enum { LONG = 4, RATIONAL = 5, ENTRY = 12 };

typedef struct {
    const uint8_t *bytes;
    size_t length;
    bool big_endian;
} exif_data;

/// Reads a number of `count` bytes at `offset`, which must lie inside.
static uint32_t number(const exif_data *data, size_t offset, unsigned count) {
    uint32_t value = 0;
    for (unsigned i = 0; i < count; i++)
        value = value << 8 | data->bytes[offset + (data->big_endian ? i : count - 1 - i)];
    return value;
}

static bool open_exif(exif_data *data, const uint8_t *bytes, size_t length) {
    if (length >= 6 && !memcmp(bytes, "Exif\0\0", 6)) {
        bytes += 6;
        length -= 6;
    }
    if (length < 8) return false;
    data->big_endian = !memcmp(bytes, "MM\0*", 4);
    if (!data->big_endian && memcmp(bytes, "II*\0", 4)) return false;
    data->bytes = bytes;
    data->length = length;
    return true;
}

/// Returns the offset of a tag's entry in the first directory; 0 if there is none.
static size_t find_entry(const exif_data *data, uint32_t tag) {
    size_t directory = number(data, 4, 4);
    if (directory > data->length - 2) return 0;
    uint32_t entries = number(data, directory, 2);
    for (uint32_t i = 0; i < entries; i++) {
        size_t entry = directory + 2 + (size_t)i * ENTRY;
        if (entry + ENTRY > data->length) return 0;
        if (number(data, entry, 2) == tag) return entry;
    }
    return 0;
}

/// Returns the value of a tag that is a SHORT, or, as some writers store it, a LONG; `otherwise` if there is none.
static uint32_t small_value(const exif_data *data, uint32_t tag, uint32_t otherwise) {
    size_t entry = find_entry(data, tag);
    if (!entry) return otherwise;
    return number(data, entry + 8, number(data, entry + 2, 2) == LONG ? 4 : 2);
}

/// Returns the value of a tag that is a fraction; 0 if there is none.
static double fraction(const exif_data *data, uint32_t tag) {
    size_t entry = find_entry(data, tag);
    if (!entry || number(data, entry + 2, 2) != RATIONAL) return 0;
    size_t offset = number(data, entry + 8, 4);
    if (data->length < 8 || offset > data->length - 8) return 0;
    uint32_t divisor = number(data, offset + 4, 4);
    return divisor ? (double)number(data, offset, 4) / divisor : 0;
}

uint32_t firn_exif_orientation(const uint8_t *bytes, size_t length) {
    exif_data data;
    if (!open_exif(&data, bytes, length)) return 1;
    uint32_t value = small_value(&data, 0x0112, 1);
    return value >= 1 && value <= 8 ? value : 1;
}

void firn_exif_density(const uint8_t *bytes, size_t length, uint32_t *across, uint32_t *down) {
    exif_data data;
    if (!open_exif(&data, bytes, length)) return;
    // 2 is the inch, and the default; 3 the centimeter.
    uint32_t unit = small_value(&data, 0x0128, 2);
    if (unit != 2 && unit != 3) return;
    double per_metre = unit == 2 ? 1 / 0.0254 : 100;
    double x = fraction(&data, 0x011A) * per_metre, y = fraction(&data, 0x011B) * per_metre;
    if (x < 1 || y < 1 || x > UINT32_MAX / 2 || y > UINT32_MAX / 2) return;
    *across = (uint32_t)(x + 0.5);
    *down = (uint32_t)(y + 0.5);
}
