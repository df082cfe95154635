// TIFF and BigTIFF by libtiff: every page is a frame of its own.
//
// A page is read in bands: runs of rows that libtiff can decode without the rest. A band is one row where strips hold
// whole pixels, one strip where each sample has strips of its own, one row of tiles where there are tiles. Colour
// spaces that need libtiff's own conversion (YCbCr but by JPEG, Lab, LogLuv, old JPEG) go through TIFFRGBAImage, a
// strip or a row of tiles at a time.
//
// How a page is stored and read is decided in tiff_pages.c, and its samples become pixels in tiff_rows.c.
//
// Invariant: rows `band_first ..< band_first + band_count` of the page started are in `band`.
//
// Source: TIFF 6.0; TIFF Technical Note 2 (JPEG); libtiff TIFFOpenOptions, TIFFRGBAImage.
#ifdef FIRN_TIFF
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <tiffio.h>

#include "../Decoding/decoder.h"
#include "tiff_pages.h"

typedef struct {
    firn_decoder base;
    TIFF *tiff;
    uint64_t position;
    firn_tiff_page *pages;
    uint32_t capacity;
    uint8_t *xmp;
    uint8_t *icc;
    firn_tiff_page page;
    firn_layout layout;
    uint32_t next_row;
    uint8_t *band;
    uint32_t band_first, band_count;
    uint16_t *wide;
    TIFFRGBAImage image;
    bool has_image;
    /// libtiff's first complaint since the last call.
    char complaint[160];
} tiff_decoder;

// MARK: Callbacks

static tmsize_t read_bytes(thandle_t handle, void *target, tmsize_t count) {
    tiff_decoder *self = handle;
    if (count <= 0) return 0;
    size_t taken = firn_input_read(&self->base.input, self->position, target, (size_t)count);
    self->position += taken;
    return (tmsize_t)taken;
}

static tmsize_t write_bytes(thandle_t handle, void *source, tmsize_t count) {
    (void)handle, (void)source, (void)count;
    return -1;
}

static toff_t seek(thandle_t handle, toff_t offset, int whence) {
    tiff_decoder *self = handle;
    if (whence == SEEK_CUR) offset += self->position;
    if (whence == SEEK_END) offset += firn_input_length(&self->base.input);
    return self->position = offset;
}

static int close_bytes(thandle_t handle) {
    (void)handle;
    return 0;
}

static toff_t count_bytes(thandle_t handle) { return firn_input_length(&((tiff_decoder *)handle)->base.input); }

/// Safety: libtiff may not keep an address of ours, since the bytes move between calls.
static int map_bytes(thandle_t handle, void **base, toff_t *size) {
    (void)handle, (void)base, (void)size;
    return 0;
}

static void unmap_bytes(thandle_t handle, void *base, toff_t size) { (void)handle, (void)base, (void)size; }

static int take_complaint(TIFF *tiff, void *context, const char *module, const char *format, va_list arguments) {
    (void)tiff, (void)module;
    tiff_decoder *self = context;
    if (!self->complaint[0]) vsnprintf(self->complaint, sizeof self->complaint, format, arguments);
    return 1;
}

static int ignore_warning(TIFF *tiff, void *context, const char *module, const char *format, va_list arguments) {
    (void)tiff, (void)context, (void)module, (void)format, (void)arguments;
    return 1;
}

static firn_status fail_tiff(tiff_decoder *self, const char *fallback) {
    return firn_fail(&self->base, FIRN_DATA, "%s", self->complaint[0] ? self->complaint : fallback);
}

// MARK: Pages

/// Goes through the chain of directories. libtiff ends it where it comes back to one that it has seen.
static firn_status list_pages(tiff_decoder *self) {
    uint32_t count = 0;
    do {
        if (count == self->capacity) {
            uint32_t capacity = self->capacity ? self->capacity * 2 : 4;
            firn_tiff_page *pages = realloc(self->pages, capacity * sizeof *pages);
            if (!pages) return firn_fail(&self->base, FIRN_MEMORY, "no memory for the list of pages");
            self->pages = pages;
            self->capacity = capacity;
        }
        firn_tiff_describe(self->tiff, self->base.limits.bytes, &self->pages[count++]);
    } while (count < self->base.limits.frames && TIFFReadDirectory(self->tiff));
    self->base.header.frames = count;
    return FIRN_OK;
}

// MARK: Header

static firn_status open_tiff(tiff_decoder *self) {
    TIFFOpenOptions *options = TIFFOpenOptionsAlloc();
    if (!options) return firn_fail(&self->base, FIRN_MEMORY, "no memory");
    uint64_t limit = self->base.limits.bytes;
    TIFFOpenOptionsSetMaxSingleMemAlloc(options, limit < INT64_MAX ? (tmsize_t)limit : INT64_MAX);
    TIFFOpenOptionsSetErrorHandlerExtR(options, take_complaint, self);
    TIFFOpenOptionsSetWarningHandlerExtR(options, ignore_warning, self);
    self->tiff = TIFFClientOpenExt(
        "", "rm", self, read_bytes, write_bytes, seek, close_bytes, count_bytes, map_bytes, unmap_bytes, options);
    TIFFOpenOptionsFree(options);
    return self->tiff ? FIRN_OK : fail_tiff(self, "no TIFF directory");
}

static uint8_t *copy_tag(tiff_decoder *self, uint32_t tag, size_t limit, size_t *length) {
    uint32_t count = 0;
    void *bytes = NULL;
    if (!TIFFGetField(self->tiff, tag, &count, &bytes) || count == 0 || count > limit || !bytes) return NULL;
    uint8_t *copy = malloc(count);
    if (!copy) return NULL;
    memcpy(copy, bytes, count);
    *length = count;
    return copy;
}

static uint32_t per_metre(float resolution, uint16_t unit) {
    float factor = unit == RESUNIT_CENTIMETER ? 100.0f : 100.0f / 2.54f, value = resolution * factor;
    return unit != RESUNIT_NONE && value > 0 && value < 1e9f ? (uint32_t)(value + 0.5f) : 0;
}

/// What the first page's tags say beside its pixels.
static void take_tags(tiff_decoder *self) {
    firn_header *header = &self->base.header;
    TIFF *tiff = self->tiff;
    uint16_t orientation = 1, unit = RESUNIT_INCH;
    TIFFGetFieldDefaulted(tiff, TIFFTAG_ORIENTATION, &orientation);
    header->orientation = orientation >= 1 && orientation <= 8 ? orientation : 1;
    TIFFGetFieldDefaulted(tiff, TIFFTAG_RESOLUTIONUNIT, &unit);
    float resolution;
    if (TIFFGetField(tiff, TIFFTAG_XRESOLUTION, &resolution)) header->pixels_per_metre_x = per_metre(resolution, unit);
    if (TIFFGetField(tiff, TIFFTAG_YRESOLUTION, &resolution)) header->pixels_per_metre_y = per_metre(resolution, unit);
    header->xmp = self->xmp = copy_tag(self, TIFFTAG_XMLPACKET, SIZE_MAX, &header->xmp_length);
    // libtiff's own conversion gives sRGB, which a profile of Lab or YCbCr does not describe.
    if (self->pages[0].mode != FIRN_TIFF_CONVERTED)
        header->icc = self->icc =
            copy_tag(self, TIFFTAG_ICCPROFILE, self->base.limits.profile_bytes, &header->icc_length);
}

static firn_space space_of(const firn_tiff_page *page) {
    if (page->photometric == PHOTOMETRIC_YCBCR) return FIRN_SPACE_YCBCR;
    switch (page->rows.model) {
    case FIRN_TIFF_GRAY: return FIRN_SPACE_GRAY;
    case FIRN_TIFF_CMYK: return FIRN_SPACE_CMYK;
    case FIRN_TIFF_PALETTE: return FIRN_SPACE_INDEXED;
    default: return FIRN_SPACE_RGB;
    }
}

/// The band, a row of wide numbers, and what libtiff decodes a strip into.
static uint64_t working_bytes(const firn_tiff_page *page) {
    uint64_t own = page->band_bytes + (uint64_t)page->width * 8 + (256 << 10);
    return page->mode == FIRN_TIFF_SCANLINES ? own + page->row_bytes * 2 : own * 2;
}

static firn_status header(firn_decoder *decoder) {
    tiff_decoder *self = (tiff_decoder *)decoder;
    firn_header *header = &decoder->header;
    if (!decoder->input.last) return FIRN_NEED_DATA;
    firn_status status = open_tiff(self);
    if (!status) status = list_pages(self);
    if (status) return status;
    const firn_tiff_page *page = &self->pages[0];
    if (page->width && page->height) status = firn_check_size(decoder, page->width, page->height);
    if (status) return status;
    if (page->problem) return firn_fail(decoder, FIRN_UNSUPPORTED, "%s", page->problem);
    // Back to the first page, whose tags the rest of the header comes from.
    if (!TIFFSetSubDirectory(self->tiff, page->offset)) return fail_tiff(self, "damaged directory");
    take_tags(self);
    header->width = page->width;
    header->height = page->height;
    header->bit_depth = page->bits;
    header->alpha = page->rows.alpha >= 0;
    header->space = space_of(page);
    for (uint32_t i = 0; i < header->frames; i++) {
        uint64_t bytes = working_bytes(&self->pages[i]);
        if (!self->pages[i].problem && bytes > header->working_bytes) header->working_bytes = bytes;
    }
    return FIRN_OK;
}

static firn_status describe_frame(firn_decoder *decoder, uint32_t index, firn_frame *frame) {
    const firn_tiff_page *page = &((tiff_decoder *)decoder)->pages[index];
    *frame = (firn_frame){page->width, page->height, 0, page->rows.alpha >= 0};
    return FIRN_OK;
}

// MARK: Pixels

static void give_up(tiff_decoder *self) {
    if (self->has_image) TIFFRGBAImageEnd(&self->image);
    self->has_image = false;
    free(self->band);
    free(self->wide);
    self->band = NULL;
    self->wide = NULL;
}

/// Takes the palette, and notices one whose values are all of 8 bits.
static firn_status take_palette(tiff_decoder *self) {
    firn_tiff_samples *rows = &self->page.rows;
    uint16_t *maps[3] = {NULL, NULL, NULL};
    if (!TIFFGetField(self->tiff, TIFFTAG_COLORMAP, &maps[0], &maps[1], &maps[2]))
        return firn_fail(&self->base, FIRN_DATA, "has indices but no palette");
    rows->map_size = 1u << self->page.bits;
    rows->has_narrow_map = true;
    for (unsigned c = 0; c < 3; c++) {
        rows->maps[c] = maps[c];
        for (uint32_t i = 0; maps[c] && i < rows->map_size && rows->has_narrow_map; i++)
            rows->has_narrow_map = maps[c][i] < 256;
    }
    return FIRN_OK;
}

static firn_status check_layout(tiff_decoder *self, firn_layout layout) {
    const firn_tiff_page *page = &self->page;
    bool is_converted = page->mode == FIRN_TIFF_CONVERTED;
    switch (layout) {
    case FIRN_LAYOUT_CMYK:
        if (page->rows.model == FIRN_TIFF_CMYK) return FIRN_OK;
        return firn_fail(&self->base, FIRN_UNSUPPORTED, "a picture without inks cannot be read as CMYK");
    case FIRN_LAYOUT_RGBA_HALF:
        if (page->rows.is_float && !is_converted && page->rows.model != FIRN_TIFF_CMYK
            && page->rows.model != FIRN_TIFF_PALETTE)
            return FIRN_OK;
        return firn_fail(&self->base, FIRN_UNSUPPORTED, "a picture without floats cannot be read as such");
    default: return FIRN_OK;
    }
}

static firn_status start(firn_decoder *decoder, const firn_options *options) {
    tiff_decoder *self = (tiff_decoder *)decoder;
    give_up(self);
    self->complaint[0] = 0;
    if (options->frame >= decoder->header.frames) return firn_fail(decoder, FIRN_DATA, "has no such page");
    if (!TIFFSetSubDirectory(self->tiff, self->pages[options->frame].offset))
        return fail_tiff(self, "damaged directory");
    firn_tiff_page *page = &self->page;
    firn_tiff_describe(self->tiff, decoder->limits.bytes, page);
    if (page->problem) return firn_fail(decoder, FIRN_UNSUPPORTED, "%s", page->problem);
    firn_status status = firn_check_size(decoder, page->width, page->height);
    if (!status) status = check_layout(self, options->layout);
    if (!status && page->rows.model == FIRN_TIFF_PALETTE) status = take_palette(self);
    if (status) return status;
    if (page->mode == FIRN_TIFF_CONVERTED) {
        char reason[1024] = "";
        if (!TIFFRGBAImageBegin(&self->image, self->tiff, 1, reason))
            return firn_fail(decoder, FIRN_DATA, "%s", reason);
        self->has_image = true;
        // Rows are wanted as stored, first row first.
        self->image.orientation = self->image.req_orientation = ORIENTATION_TOPLEFT;
    }
    // Bound: measure() holds band_bytes to the limit, and the limit on pixels holds the width.
    self->band = calloc(1, page->band_bytes);
    self->wide = malloc((size_t)page->width * 4 * sizeof *self->wide);
    if (!self->band || !self->wide) return firn_fail(decoder, FIRN_MEMORY, "no memory for a strip or tiles");
    self->layout = options->layout;
    self->next_row = self->band_first = self->band_count = 0;
    decoder->output = (firn_output){.width = page->width, .height = page->height};
    return FIRN_OK;
}

static bool load_tiles(tiff_decoder *self, uint32_t row) {
    const firn_tiff_page *page = &self->page;
    uint8_t *target = self->band;
    unsigned planes = !page->is_planar ? 1 : page->samples < 5 ? page->samples : 5;
    for (unsigned plane = 0; plane < planes; plane++)
        for (uint64_t x = 0; x < page->width; x += page->tile_width, target += page->piece_bytes) {
            uint32_t tile = TIFFComputeTile(self->tiff, (uint32_t)x, row, 0, (uint16_t)plane);
            if (TIFFReadEncodedTile(self->tiff, tile, target, (tmsize_t)page->piece_bytes) < 0) return false;
        }
    return true;
}

static bool load_strips(tiff_decoder *self, uint32_t row) {
    const firn_tiff_page *page = &self->page;
    unsigned planes = page->samples < 5 ? page->samples : 5;
    tmsize_t count = (tmsize_t)(page->row_bytes * self->band_count);
    for (unsigned plane = 0; plane < planes; plane++) {
        uint32_t strip = TIFFComputeStrip(self->tiff, row, (uint16_t)plane);
        if (TIFFReadEncodedStrip(self->tiff, strip, self->band + plane * page->piece_bytes, count) < 0) return false;
    }
    return true;
}

/// Makes sure that `row` is in the band.
static bool load_band(tiff_decoder *self, uint32_t row) {
    const firn_tiff_page *page = &self->page;
    if (row < self->band_first + self->band_count) return true;
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

/// Words of libtiff's conversion: red in the lowest byte, alpha in the highest. It has 8 bits of whatever is stored.
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

/// Converts one row that is in the band.
static void convert_row(tiff_decoder *self, uint32_t row, uint8_t *pixels) {
    const firn_tiff_page *page = &self->page;
    const uint8_t *line = self->band + (row - self->band_first) * page->row_bytes;
    if (page->mode == FIRN_TIFF_CONVERTED) {
        copy_converted(line, page->width, self->layout, pixels);
        return;
    }
    bool is_wide = self->layout == FIRN_LAYOUT_RGBA16 || self->layout == FIRN_LAYOUT_RGBA_HALF;
    size_t size = is_wide ? 8 : self->layout == FIRN_LAYOUT_RGB ? 3 : 4;
    uint32_t run = page->mode == FIRN_TIFF_TILES ? page->tile_width : page->width;
    uint64_t pieces = page->mode == FIRN_TIFF_TILES ? (page->width - 1) / page->tile_width + 1 : 1;
    for (uint32_t first = 0; first < page->width; line += page->piece_bytes) {
        uint32_t count = run < page->width - first ? run : page->width - first;
        const uint8_t *planes[5] = {line, line, line, line, line};
        for (unsigned i = 1; page->is_planar && i < 5 && i < page->samples; i++)
            planes[i] = line + i * pieces * page->piece_bytes;
        firn_tiff_convert(&page->rows, planes, count, self->wide, self->layout, pixels + first * size);
        // Bound: count is at most what is left of the width.
        first += count;
    }
}

static firn_status read_rows(
    firn_decoder *decoder, uint8_t *pixels, size_t stride, uint32_t rows, uint32_t *done) {
    tiff_decoder *self = (tiff_decoder *)decoder;
    for (*done = 0; *done < rows && self->next_row < self->page.height; ++*done, self->next_row++) {
        if (!load_band(self, self->next_row)) return fail_tiff(self, "damaged strip or tile");
        convert_row(self, self->next_row, pixels + *done * stride);
    }
    return self->next_row == self->page.height ? FIRN_END : FIRN_OK;
}

static void close_decoder(firn_decoder *decoder) {
    tiff_decoder *self = (tiff_decoder *)decoder;
    give_up(self);
    if (self->tiff) TIFFClose(self->tiff);
    free(self->pages);
    free(self->xmp);
    free(self->icc);
    free(self);
}

static const firn_codec_calls calls = {
    .close = close_decoder,
    .header = header,
    .start = start,
    .read = read_rows,
    .frame = describe_frame,
    .restarts = true,
};

firn_decoder *firn_tiff_open(void) {
    tiff_decoder *self = calloc(1, sizeof *self);
    if (!self) return NULL;
    self->base.calls = &calls;
    return &self->base;
}

#endif
