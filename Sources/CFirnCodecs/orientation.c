// Source: EXIF 2.32 §4.5 (the layout is TIFF 6.0 §2) and §4.6.4 A (tag 0x0112); XMP specification part 2 §3.2 (tiff).
#define _GNU_SOURCE
#include <string.h>

#include "decoder.h"

static uint32_t number(const uint8_t *bytes, unsigned count, bool big_endian) {
    uint32_t value = 0;
    for (unsigned i = 0; i < count; i++) value = value << 8 | bytes[big_endian ? i : count - 1 - i];
    return value;
}

uint32_t firn_exif_orientation(const uint8_t *bytes, size_t length) {
    if (length >= 6 && !memcmp(bytes, "Exif\0\0", 6)) {
        bytes += 6;
        length -= 6;
    }
    if (length < 8) return 1;
    bool big_endian = !memcmp(bytes, "MM\0*", 4);
    if (!big_endian && memcmp(bytes, "II*\0", 4)) return 1;
    size_t directory = number(bytes + 4, 4, big_endian);
    if (directory > length - 2) return 1;
    uint32_t entries = number(bytes + directory, 2, big_endian);
    for (uint32_t i = 0; i < entries; i++) {
        size_t entry = directory + 2 + (size_t)i * 12;
        if (entry + 12 > length) return 1;
        if (number(bytes + entry, 2, big_endian) != 0x0112) continue;
        uint32_t type = number(bytes + entry + 2, 2, big_endian);
        // The tag is a SHORT; some writers make it a LONG.
        uint32_t value = number(bytes + entry + 8, type == 4 ? 4 : 2, big_endian);
        return value >= 1 && value <= 8 ? value : 1;
    }
    return 1;
}

uint32_t firn_xmp_orientation(const uint8_t *bytes, size_t length) {
    static const char name[] = "tiff:Orientation";
    const uint8_t *end = bytes + length;
    const uint8_t *found = memmem(bytes, length, name, sizeof name - 1);
    if (!found) return 1;
    found += sizeof name - 1;
    // An attribute, ="3", or an element, >3<.
    if (end - found >= 3 && found[0] == '=' && (found[1] == '"' || found[1] == '\''))
        found += 2;
    else if (end - found >= 2 && found[0] == '>')
        found += 1;
    else
        return 1;
    return *found >= '1' && *found <= '8' ? (uint32_t)(*found - '0') : 1;
}

static int hex_digit(uint8_t c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

uint32_t firn_hex_exif_orientation(const uint8_t *bytes, size_t length) {
    // A blank line, the profile's name, its length, and the bytes as digits in lines. The orientation stands early.
    uint8_t decoded[512];
    size_t count = 0, offset = 0;
    for (int lines = 0; offset < length && lines < 3; offset++) lines += bytes[offset] == '\n';
    int high = -1;
    for (; offset < length && count < sizeof decoded; offset++) {
        int digit = hex_digit(bytes[offset]);
        if (digit < 0) continue;
        if (high < 0) {
            high = digit;
        } else {
            decoded[count++] = (uint8_t)(high << 4 | digit);
            high = -1;
        }
    }
    return firn_exif_orientation(decoded, count);
}
