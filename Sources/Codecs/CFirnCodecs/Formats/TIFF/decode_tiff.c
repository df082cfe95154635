// TIFF and BigTIFF with libtiff: every page is a frame.
//
// tiff_pages.c decides how a page is stored and read. A page is read in bands (tiff_bands.c), tiff_rows.c converts the
// samples to pixels, and decode_tiff_source.c supplies libtiff with bytes.
//
// Source: TIFF 6.0; TIFF Technical Note 2 (JPEG); libtiff TIFFRGBAImage.
#ifdef FIRN_TIFF
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tiff_decoder.h"
#include "tiff_lab.h"

/// The number of directories to read between two pauses: 1 to 2 ms, or 40 ms if each has 4,096 entries.
enum { PAGES_AT_ONCE = 4 };

/// The number of rows above a part to read between two pauses.
enum { ROWS_SKIPPED_AT_ONCE = 256 };

/// Returns the maximum number of bytes to read for describing a file: four times its length. Otherwise directories that
/// share values could cause unlimited reading.
static uint64_t description_bytes(const tiff_decoder *self) {
    uint64_t length = firn_input_length(&self->base.input);
    return length < (1ull << 60) ? length * 4 + (1 << 20) : 1ull << 62;
}

// MARK: Pages

/// Continues along the chain of directories. libtiff ends it at a directory seen before.
static firn_status list_pages(tiff_decoder *self) {
    uint32_t count = self->listed, last = count + PAGES_AT_ONCE;
    do {
        if (count == last) {
            self->listed = count;
            return FIRN_PAUSE;
        }
        if (count == self->capacity) {
            uint32_t capacity = self->capacity ? self->capacity * 2 : 4;
            firn_tiff_page *pages = realloc(self->pages, capacity * sizeof *pages);
            if (!pages) return firn_fail(&self->base, FIRN_MEMORY, "no memory for the list of pages");
            self->pages = pages;
            self->capacity = capacity;
        }
        firn_tiff_page *page = &self->pages[count++];
        firn_tiff_describe(self->tiff, self->base.limits.bytes, page);
        page->extent = firn_tiff_extent(self->tiff, firn_input_length(&self->base.input));
        firn_tiff_enter_directory(self, false);
    } while (count < self->base.limits.frames && TIFFReadDirectory(self->tiff));
    self->base.header.frames = count;
    return FIRN_OK;
}

// MARK: Header

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

static void drop_metadata(firn_tiff_metadata *metadata) {
    free(metadata->xmp);
    free(metadata->icc);
    *metadata = (firn_tiff_metadata){0};
}

/// Reads the tags of the current directory other than those for pixels.
static void take_tags(
    tiff_decoder *self, const firn_tiff_page *page, firn_tiff_metadata *metadata, firn_header *header) {
    TIFF *tiff = self->tiff;
    uint16_t unit = RESUNIT_INCH;
    TIFFGetFieldDefaulted(tiff, TIFFTAG_RESOLUTIONUNIT, &unit);
    float resolution;
    header->pixels_per_metre_x = header->pixels_per_metre_y = 0;
    if (TIFFGetField(tiff, TIFFTAG_XRESOLUTION, &resolution)) header->pixels_per_metre_x = per_metre(resolution, unit);
    if (TIFFGetField(tiff, TIFFTAG_YRESOLUTION, &resolution)) header->pixels_per_metre_y = per_metre(resolution, unit);
    drop_metadata(metadata);
    header->xmp_length = header->icc_length = 0;
    header->xmp = metadata->xmp = copy_tag(self, TIFFTAG_XMLPACKET, SIZE_MAX, &header->xmp_length);
    // Both conversions give sRGB, which a profile for L*a*b* or YCbCr does not describe.
    if (page->mode != FIRN_TIFF_CONVERTED && page->rows.model != FIRN_TIFF_LAB)
        metadata->icc = copy_tag(self, TIFFTAG_ICCPROFILE, self->base.limits.profile_bytes, &header->icc_length);
    header->icc = metadata->icc;
}

static firn_space space_of(const firn_tiff_page *page) {
    if (page->photometric == PHOTOMETRIC_YCBCR) return FIRN_SPACE_YCBCR;
    switch (page->rows.model) {
    case FIRN_TIFF_GRAY: return FIRN_SPACE_GRAY;
    case FIRN_TIFF_CMYK: return FIRN_SPACE_CMYK;
    case FIRN_TIFF_PALETTE: return FIRN_SPACE_INDEXED;
    case FIRN_TIFF_LAB: return FIRN_SPACE_LAB;
    default: return FIRN_SPACE_RGB;
    }
}

/// Returns the memory of the band, a row of wide numbers, and libtiff's strip buffer.
static uint64_t working_bytes(const firn_tiff_page *page) {
    uint64_t own = page->band_bytes + (uint64_t)page->width * 8 + (256 << 10);
    return page->mode == FIRN_TIFF_SCANLINES ? own + page->row_bytes * 2 : own * 2;
}

/// Describes a page by reading its directory again, with metadata.
static firn_status describe_page(
    tiff_decoder *self, const firn_tiff_page *page, firn_tiff_metadata *metadata, firn_header *header) {
    firn_tiff_enter_directory(self, true);
    if (!TIFFSetSubDirectory(self->tiff, page->offset)) return firn_tiff_fail(self, "damaged directory");
    take_tags(self, page, metadata, header);
    header->width = page->width;
    header->height = page->height;
    header->orientation = page->orientation;
    header->bit_depth = page->bits;
    header->alpha = page->rows.alpha >= 0;
    header->space = space_of(page);
    return FIRN_OK;
}

static firn_status page_header(firn_decoder *decoder, uint32_t index, firn_header *header) {
    tiff_decoder *self = (tiff_decoder *)decoder;
    return describe_page(self, &self->pages[index], &self->other, header);
}

static firn_status header(firn_decoder *decoder) {
    tiff_decoder *self = (tiff_decoder *)decoder;
    firn_header *header = &decoder->header;
    if (!decoder->input.last) return FIRN_NEED_DATA;
    if (!self->tiff) {
        self->description_left = description_bytes(self);
        firn_status opened = firn_tiff_open_source(self);
        if (opened) return opened;
    }
    firn_status status = list_pages(self);
    if (status) return status;
    const firn_tiff_page *page = &self->pages[0];
    if (page->width && page->height) status = firn_check_size(decoder, page->width, page->height);
    if (status) return status;
    if (page->problem) return firn_fail(decoder, FIRN_UNSUPPORTED, "%s", page->problem);
    // Returns to the first page, whose tags supply the rest of the header.
    self->description_left = UINT64_MAX;
    status = describe_page(self, page, &self->first, header);
    if (status) return status;
    for (uint32_t i = 0; i < header->frames; i++) {
        uint64_t bytes = working_bytes(&self->pages[i]);
        if (!self->pages[i].problem && bytes > header->working_bytes) header->working_bytes = bytes;
    }
    return FIRN_OK;
}

static firn_status describe_frame(firn_decoder *decoder, uint32_t index, firn_frame *frame) {
    const firn_tiff_page *page = &((tiff_decoder *)decoder)->pages[index];
    *frame = (firn_frame){page->width, page->height, 0, page->rows.alpha >= 0, page->extent, page->orientation};
    return FIRN_OK;
}

// MARK: Pixels

static void drop_image(tiff_decoder *self) {
    if (self->has_image) TIFFRGBAImageEnd(&self->image);
    self->has_image = false;
    free(self->band);
    free(self->wide);
    self->band = NULL;
    self->wide = NULL;
}

/// Reads the palette, and detects one that contains only 8-bit values.
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

/// Prepares the conversion of L*a*b*.
static firn_status take_lab(tiff_decoder *self) {
    if (!self->lab) self->lab = firn_tiff_lab_open();
    if (!self->lab) return firn_fail(&self->base, FIRN_MEMORY, "no memory to convert L*a*b*");
    self->page.rows.transform = self->lab;
    return FIRN_OK;
}

static firn_status check_layout(tiff_decoder *self, firn_layout layout) {
    const firn_tiff_page *page = &self->page;
    bool is_converted = page->mode == FIRN_TIFF_CONVERTED;
    switch (layout) {
    case FIRN_LAYOUT_CMYK:
        if (page->rows.model == FIRN_TIFF_CMYK) return FIRN_OK;
        return firn_fail(&self->base, FIRN_UNSUPPORTED, "an image without inks cannot be read as CMYK");
    case FIRN_LAYOUT_RGBA_HALF:
        if (page->rows.is_float && !is_converted && page->rows.model != FIRN_TIFF_CMYK
            && page->rows.model != FIRN_TIFF_PALETTE)
            return FIRN_OK;
        return firn_fail(&self->base, FIRN_UNSUPPORTED, "an image without floats cannot be read as such");
    default: return FIRN_OK;
    }
}

static firn_status start(firn_decoder *decoder, const firn_options *options) {
    tiff_decoder *self = (tiff_decoder *)decoder;
    drop_image(self);
    if (options->frame >= decoder->header.frames) return firn_fail(decoder, FIRN_DATA, "has no such page");
    firn_status status = firn_tiff_enter_version(self, options);
    if (status) return status;
    firn_tiff_page *page = &self->page;
    if (page->problem) return firn_fail(decoder, FIRN_UNSUPPORTED, "%s", page->problem);
    status = firn_check_size(decoder, page->width, page->height);
    if (!status) status = check_layout(self, options->layout);
    if (!status && page->rows.model == FIRN_TIFF_PALETTE) status = take_palette(self);
    if (!status && page->rows.model == FIRN_TIFF_LAB) status = take_lab(self);
    if (status) return status;
    if (page->mode == FIRN_TIFF_CONVERTED) {
        char reason[1024] = "";
        if (!TIFFRGBAImageBegin(&self->image, self->tiff, 1, reason))
            return firn_fail(decoder, FIRN_DATA, "%s", reason);
        self->has_image = true;
        // Requests rows as stored, first row first.
        self->image.orientation = self->image.req_orientation = ORIENTATION_TOPLEFT;
    }
    uint32_t columns = page->width;
    uint64_t band_bytes = page->band_bytes;
    self->first_tile = self->tiles = 0;
    if (page->mode == FIRN_TIFF_TILES) {
        self->first_tile = self->area.x / page->tile_width;
        self->tiles = (self->area.x + self->area.width - 1) / page->tile_width + 1 - self->first_tile;
        columns = firn_tiff_columns(self);
        band_bytes = band_bytes / ((page->width - 1) / page->tile_width + 1) * self->tiles;
    }
    // Bound: measure() limits band_bytes, and the limit on pixels limits the width.
    self->band = calloc(1, band_bytes);
    self->wide = malloc((size_t)page->width * 4 * sizeof *self->wide);
    if (!self->band || !self->wide) return firn_fail(decoder, FIRN_MEMORY, "no memory for a strip or tiles");
    self->layout = options->layout;
    self->band_first = self->band_count = 0;
    // Order: the rows of a strip are read from its first one.
    uint32_t rows_of_strip = 1;
    if (page->mode == FIRN_TIFF_SCANLINES) TIFFGetFieldDefaulted(self->tiff, TIFFTAG_ROWSPERSTRIP, &rows_of_strip);
    self->next_row = rows_of_strip ? self->area.y - self->area.y % rows_of_strip : 0;
    decoder->output = (firn_output){
        .width = columns,
        .height = self->area.height,
        .area = {self->area.x - self->first_tile * page->tile_width, 0, self->area.width, self->area.height}};
    return FIRN_OK;
}

static firn_status read_rows(
    firn_decoder *decoder, uint8_t *pixels, size_t stride, uint32_t rows, uint32_t *done) {
    tiff_decoder *self = (tiff_decoder *)decoder;
    uint32_t end = self->area.y + self->area.height;
    for (uint32_t skipped = 0; self->next_row < self->area.y; self->next_row++, skipped++) {
        if (skipped == ROWS_SKIPPED_AT_ONCE) return FIRN_OK;
        if (!firn_tiff_load_band(self, self->next_row)) return firn_tiff_fail(self, "damaged strip or tile");
    }
    for (*done = 0; *done < rows && self->next_row < end; ++*done, self->next_row++) {
        if (!firn_tiff_load_band(self, self->next_row)) return firn_tiff_fail(self, "damaged strip or tile");
        firn_tiff_convert_row(self, self->next_row, pixels + *done * stride);
    }
    return self->next_row == end ? FIRN_END : FIRN_OK;
}

static void release(firn_decoder *decoder) {
    tiff_decoder *self = (tiff_decoder *)decoder;
    drop_image(self);
    firn_tiff_lab_close(self->lab);
    firn_tiff_close_source(self);
    free(self->pages);
    drop_metadata(&self->first);
    drop_metadata(&self->other);
}

/// lcms gets the time when it creates a profile, and the first such call reads the time zone from disk.
static void prepare(void) { tzset(); }

static void library(char *text, size_t capacity) {
    // "LIBTIFF, Version 4.5.0", and a copyright line.
    const char *version = strstr(TIFFGetVersion(), "Version ");
    version = version == NULL ? "" : version + strlen("Version ");
    snprintf(text, capacity, "libtiff %.*s", (int)strcspn(version, "\n"), version);
}

const firn_codec_calls firn_tiff_calls = {
    .library = library,
    .state_bytes = sizeof(tiff_decoder), .release = release, .header = header, .start = start, .read = read_rows,
    .frame = describe_frame, .page = page_header, .prepare = prepare, .restarts = true, .areas = true};

#endif
