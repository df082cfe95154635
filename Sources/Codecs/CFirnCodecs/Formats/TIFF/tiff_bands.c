// Bands of a page: runs of rows that libtiff can decode separately.
//
// A band is one row if strips hold whole pixels, one strip if each sample has its own strips, or one row of tiles.
// Color spaces that need libtiff's own conversion (YCbCr except with JPEG, LogLuv, old JPEG) use TIFFRGBAImage, one
// strip or row of tiles at a time.
//
// Invariant: `band` contains rows `band_first ..< band_first + band_count` of the started page.
//
// Source: TIFF 6.0; libtiff TIFFReadEncodedTile, TIFFRGBAImage.
#ifdef FIRN_TIFF
#include "tiff_decoder.h"

#include <string.h>

/// Completes a tile or strip with zeros for missing samples; returns false if it cannot be read.
static bool complete(tmsize_t count, uint8_t *target, tmsize_t wanted) {
    if (count < 0) return false;
    if (count < wanted) memset(target + count, 0, (size_t)(wanted - count));
    return true;
}

static bool load_tiles(tiff_decoder *self, uint32_t row) {
    const firn_tiff_page *page = &self->page;
    uint8_t *target = self->band;
    unsigned planes = !page->is_planar ? 1 : page->samples < 5 ? page->samples : 5;
    for (unsigned plane = 0; plane < planes; plane++)
        for (uint32_t i = 0; i < self->tiles; i++, target += page->piece_bytes) {
            // Bound: the loaded tiles start within the width.
            uint32_t x = (self->first_tile + i) * page->tile_width;
            uint32_t tile = TIFFComputeTile(self->tiff, x, row, 0, (uint16_t)plane);
            tmsize_t wanted = (tmsize_t)page->piece_bytes;
            if (!complete(TIFFReadEncodedTile(self->tiff, tile, target, wanted), target, wanted)) return false;
        }
    return true;
}

static bool load_strips(tiff_decoder *self, uint32_t row) {
    const firn_tiff_page *page = &self->page;
    unsigned planes = page->samples < 5 ? page->samples : 5;
    tmsize_t count = (tmsize_t)(page->row_bytes * self->band_count);
    for (unsigned plane = 0; plane < planes; plane++) {
        uint32_t strip = TIFFComputeStrip(self->tiff, row, (uint16_t)plane);
        uint8_t *target = self->band + plane * page->piece_bytes;
        if (!complete(TIFFReadEncodedStrip(self->tiff, strip, target, count), target, count)) return false;
    }
    return true;
}

uint32_t firn_tiff_columns(const tiff_decoder *self) {
    uint64_t start = (uint64_t)self->first_tile * self->page.tile_width;
    uint64_t columns = (uint64_t)self->tiles * self->page.tile_width, left = self->page.width - start;
    return (uint32_t)(columns < left ? columns : left);
}

bool firn_tiff_load_band(tiff_decoder *self, uint32_t row) {
    const firn_tiff_page *page = &self->page;
    if (self->band_count && row < self->band_first + self->band_count) return true;
    row -= row % page->band_rows;
    uint32_t left = page->height - row;
    self->band_first = row;
    self->band_count = page->band_rows < left ? page->band_rows : left;
    switch (page->mode) {
    case FIRN_TIFF_SCANLINES: return TIFFReadScanline(self->tiff, self->band, row, 0) > 0;
    case FIRN_TIFF_PLANAR_STRIPS: return load_strips(self, row);
    case FIRN_TIFF_TILES: return load_tiles(self, row);
    case FIRN_TIFF_CONVERTED:
        self->image.row_offset = (int)row;
        self->image.col_offset = 0;
        // Safety: calloc aligned the band for words.
        return TIFFRGBAImageGet(&self->image, (uint32_t *)(void *)self->band, page->width, self->band_count);
    }
    return false;
}

/// Copies words of libtiff's conversion: red in the lowest byte, alpha in the highest. They have 8 bits per component,
/// regardless of the stored depth.
static void copy_converted(const uint8_t *band, uint32_t count, firn_layout layout, uint8_t *pixels) {
    const uint32_t *words = (const uint32_t *)(const void *)band;
    for (uint32_t i = 0; layout == FIRN_LAYOUT_RGBA16 && i < count; i++, pixels += 8) {
        uint16_t wide[4] = {
            (uint16_t)(TIFFGetR(words[i]) * 257), (uint16_t)(TIFFGetG(words[i]) * 257),
            (uint16_t)(TIFFGetB(words[i]) * 257), 65535};
        memcpy(pixels, wide, 8);
    }
    if (layout == FIRN_LAYOUT_RGBA16) return;
    unsigned size = layout == FIRN_LAYOUT_RGB ? 3 : 4, red = layout == FIRN_LAYOUT_BGRA ? 2 : 0;
    for (uint32_t i = 0; i < count; i++, pixels += size) {
        pixels[red] = (uint8_t)TIFFGetR(words[i]);
        pixels[1] = (uint8_t)TIFFGetG(words[i]);
        pixels[2 - red] = (uint8_t)TIFFGetB(words[i]);
        if (size == 4) pixels[3] = 255;
    }
}

void firn_tiff_convert_row(tiff_decoder *self, uint32_t row, uint8_t *pixels) {
    const firn_tiff_page *page = &self->page;
    const uint8_t *line = self->band + (row - self->band_first) * page->row_bytes;
    if (page->mode == FIRN_TIFF_CONVERTED) {
        copy_converted(line, page->width, self->layout, pixels);
        return;
    }
    bool is_wide = self->layout == FIRN_LAYOUT_RGBA16 || self->layout == FIRN_LAYOUT_RGBA_HALF;
    size_t size = is_wide ? 8 : self->layout == FIRN_LAYOUT_RGB ? 3 : 4;
    uint32_t width = page->mode == FIRN_TIFF_TILES ? firn_tiff_columns(self) : page->width;
    uint32_t run = page->mode == FIRN_TIFF_TILES ? page->tile_width : page->width;
    uint64_t pieces = page->mode == FIRN_TIFF_TILES ? self->tiles : 1;
    for (uint32_t first = 0; first < width; line += page->piece_bytes) {
        uint32_t count = run < width - first ? run : width - first;
        const uint8_t *planes[5] = {line, line, line, line, line};
        for (unsigned i = 1; page->is_planar && i < 5 && i < page->samples; i++)
            planes[i] = line + i * pieces * page->piece_bytes;
        firn_tiff_convert(&page->rows, planes, count, self->wide, self->layout, pixels + first * size);
        // Bound: count is at most the remaining width.
        first += count;
    }
}

#endif
