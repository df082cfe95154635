// Orientation where it stands as text. Source: XMP specification part 2 §3.2 (tiff).
#define _GNU_SOURCE
#include <string.h>

#include "decoder.h"

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
