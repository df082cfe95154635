// Reads the orientation in XMP text. Source: XMP specification part 2 §3.2 (tiff).
#define _GNU_SOURCE
#include <string.h>

#include "../Library/decoder.h"

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
