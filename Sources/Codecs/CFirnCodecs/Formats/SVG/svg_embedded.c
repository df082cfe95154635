// Estimates the memory of embedded images (`data:` addresses) from the sizes in their headers.
//
// librsvg decodes an embedded image at full size, at any scale of the drawing: to a pixel buffer of gdk-pixbuf, and
// from there to a Cairo surface.
//
// Source: RFC 2397 (data), RFC 4648 §4 (base64); PNG (third edition) §11.2.1 (IHDR); ITU-T T.81 §B.2.2 (SOF).
#ifdef FIRN_SVG
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "svg_document.h"

/// The number of bytes of an embedded image to search for its size: the header of a JPEG may follow a profile.
enum { HEAD_BYTES = 64 << 10 };

/// The number of bytes per pixel in both buffers together.
enum { PIXEL_BYTES = 8 };

/// Returns the value of a base64 digit; 64 for a character between digits, 65 for the end.
static unsigned digit(uint8_t character) {
    if (character >= 'A' && character <= 'Z') return character - 'A';
    if (character >= 'a' && character <= 'z') return character - 'a' + 26u;
    if (character >= '0' && character <= '9') return character - '0' + 52u;
    if (character == '+' || character == '-') return 62;
    if (character == '/' || character == '_') return 63;
    return character == ' ' || (character >= '\t' && character <= '\r') ? 64 : 65;
}

/// Decodes base64 until its end or the end of `head`. Returns the number of bytes; adds the characters read to `used`.
static size_t decode(const uint8_t *text, size_t length, uint8_t *head, size_t *used) {
    size_t done = 0, at = 0;
    uint32_t bits = 0, count = 0;
    for (; at < length && done < HEAD_BYTES; at++) {
        unsigned value = digit(text[at]);
        if (value == 65) break;
        if (value == 64) continue;
        bits = bits << 6 | value;
        count += 6;
        if (count < 8) continue;
        count -= 8;
        head[done++] = (uint8_t)(bits >> count);
    }
    *used += at;
    return done;
}

static uint64_t big(const uint8_t *bytes, unsigned count) {
    uint64_t number = 0;
    for (unsigned i = 0; i < count; i++) number = number << 8 | bytes[i];
    return number;
}

/// Returns the number of pixels of an image that starts with these bytes; 0 if unknown.
static uint64_t pixels_of(const uint8_t *head, size_t length) {
    static const uint8_t png[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'};
    if (length >= 24 && !memcmp(head, png, sizeof png)) return big(head + 16, 4) * (big(head + 20, 4) & INT32_MAX);
    if (length < 4 || head[0] != 0xFF || head[1] != 0xD8) return 0;
    for (size_t at = 2; at + 9 <= length && head[at] == 0xFF;) {
        unsigned marker = head[at + 1];
        if (marker == 0xFF) {
            at++;
            continue;
        }
        // SOF0 to SOF15, except DHT, JPG and DAC, which lie in this range.
        if (marker >= 0xC0 && marker <= 0xCF && marker != 0xC4 && marker != 0xC8 && marker != 0xCC)
            return big(head + at + 5, 2) * big(head + at + 7, 2);
        at += 2 + (size_t)big(head + at + 2, 2);
    }
    return 0;
}

uint64_t firn_svg_embedded_bytes(const uint8_t *text, size_t length) {
    static const char word[] = "base64,";
    enum { WORD = sizeof word - 1 };
    uint8_t *head = malloc(HEAD_BYTES);
    uint64_t bytes = 0;
    for (size_t at = 0; head && at + WORD <= length;) {
        const uint8_t *found = memmem(text + at, length - at, word, WORD);
        if (!found) break;
        at = (size_t)(found - text) + WORD;
        uint64_t pixels = pixels_of(head, decode(text + at, length - at, head, &at));
        // Even the sums of a malicious document cannot overflow.
        bytes += pixels < UINT32_MAX ? pixels * PIXEL_BYTES : (uint64_t)UINT32_MAX * PIXEL_BYTES;
        if (bytes > UINT64_MAX / 4) break;
    }
    free(head);
    return bytes;
}

#endif
