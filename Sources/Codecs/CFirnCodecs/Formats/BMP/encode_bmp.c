// BMP, without a library: 24 bits without alpha, otherwise 32 bits with masks. Rows are stored from the bottom up.
//
// Source: [MS-WMF] 2.2.2.3; Win32 BITMAPFILEHEADER, BITMAPV4HEADER, BITMAPV5HEADER.
#include <stdlib.h>
#include <string.h>

#include "../../Library/encode.h"
#include "../../Library/fields.h"

enum { FILE_HEADER = 14, INFO_HEADER = 40, V4_HEADER = 108, V5_HEADER = 124 };

/// The parts of a file.
typedef struct {
    /// The length of the bitmap header: the shortest version that can describe the image.
    uint32_t header;
    uint32_t row;
    uint32_t pixels;
    uint32_t file;
} layout;

/// Returns false if the file would be too long for its fields.
static bool measure(const firn_image *image, layout *parts) {
    uint64_t bits = image->opaque ? 24 : 32;
    uint64_t row = (bits * image->width + 31) / 32 * 4;
    parts->header = image->icc_length > 0 ? V5_HEADER : image->opaque ? INFO_HEADER : V4_HEADER;
    if (row > UINT32_MAX / image->height || image->icc_length > UINT32_MAX) return false;
    uint64_t pixels = row * image->height;
    uint64_t file = FILE_HEADER + parts->header + pixels + image->icc_length;
    if (file > UINT32_MAX) return false;
    parts->row = (uint32_t)row;
    parts->pixels = (uint32_t)pixels;
    parts->file = (uint32_t)file;
    return true;
}

static void write_head(uint8_t *bytes, const firn_image *image, const layout *parts) {
    bytes[0] = 'B';
    bytes[1] = 'M';
    firn_put32(bytes + 2, parts->file);
    firn_put32(bytes + 10, FILE_HEADER + parts->header);
    uint8_t *header = bytes + FILE_HEADER;
    firn_put32(header, parts->header);
    firn_put32(header + 4, image->width);
    firn_put32(header + 8, image->height);
    firn_put16(header + 12, 1);
    firn_put16(header + 14, image->opaque ? 24 : 32);
    firn_put32(header + 16, image->opaque ? 0 : 3);  // BI_RGB, BI_BITFIELDS
    firn_put32(header + 20, parts->pixels);
    if (firn_has_resolution(image)) {
        firn_put32(header + 24, firn_per_metre(image->resolution_x));
        firn_put32(header + 28, firn_per_metre(image->resolution_y));
    }
    if (parts->header < V4_HEADER) return;
    if (!image->opaque) {
        firn_put32(header + 40, 0x00FF0000);
        firn_put32(header + 44, 0x0000FF00);
        firn_put32(header + 48, 0x000000FF);
        firn_put32(header + 52, 0xFF000000);
    }
    if (parts->header < V5_HEADER) {
        firn_put32(header + 56, 0x73524742);  // 'sRGB'
        return;
    }
    firn_put32(header + 56, 0x4D424544);  // 'MBED'
    firn_put32(header + 108, 4);          // LCS_GM_IMAGES
    firn_put32(header + 112, parts->header + parts->pixels);
    firn_put32(header + 116, (uint32_t)image->icc_length);
}

/// Swaps red and blue of a row.
static void swap_colors(uint8_t *row, size_t width, size_t step) {
    for (size_t x = 0; x < width; x++, row += step) {
        uint8_t red = row[0];
        row[0] = row[2];
        row[2] = red;
    }
}

bool firn_encode_bmp(const firn_image *image, firn_encoded *encoded) {
    firn_bytes output = {0};
    layout parts;
    if (image->width == 0 || image->height == 0)
        return firn_encoded_fail(encoded, &output, FIRN_ENCODE_IMAGE, "the image has no pixels");
    if (!measure(image, &parts))
        return firn_encoded_fail(encoded, &output, FIRN_ENCODE_LIMIT, "a BMP file has at most 4 GiB");
    if (!firn_bytes_reserve(&output, parts.file)) return firn_encoded_no_memory(encoded, &output);
    memset(output.bytes, 0, FILE_HEADER + parts.header);
    write_head(output.bytes, image, &parts);
    size_t step = image->opaque ? 3 : 4;
    size_t used = step * image->width;
    uint8_t *rows = output.bytes + FILE_HEADER + parts.header;
    for (uint32_t y = 0; y < image->height; y++) {
        if (y % 16 == 0 && firn_is_cancelled(image)) return firn_encoded_cancel(encoded, &output);
        uint8_t *row = rows + (size_t)parts.row * (image->height - 1 - y);
        firn_source_row(image, y, row);
        swap_colors(row, image->width, step);
        memset(row + used, 0, parts.row - used);
    }
    if (image->icc_length > 0) memcpy(rows + parts.pixels, image->icc, image->icc_length);
    output.length = parts.file;
    return firn_encoded_finish(encoded, &output);
}
