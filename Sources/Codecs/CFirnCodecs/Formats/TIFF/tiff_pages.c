// Decides how a page of a TIFF file is stored and read.
//
// Source: TIFF 6.0 §3 to §6, §15 (tiles), §16 (CMYK), §18 (alpha), §21 (YCbCr), §23 (L*a*b*); TIFF Technical Note 2
// (JPEG); RFC 3949 §5.2.3 (ITULab).
#ifdef FIRN_TIFF
#include "tiff_pages.h"

#include <string.h>

enum { MAXIMUM_SAMPLES = 64 };

static uint16_t short_tag(TIFF *tiff, uint32_t tag, uint16_t absent) {
    uint16_t value = absent;
    return TIFFGetField(tiff, tag, &value) ? value : absent;
}

static uint16_t photometric(TIFF *tiff, uint16_t compression, uint16_t samples) {
    uint16_t fallback = PHOTOMETRIC_RGB;
    if (samples < 3) {
        bool is_fax = compression == COMPRESSION_CCITTRLE || compression == COMPRESSION_CCITTFAX3
            || compression == COMPRESSION_CCITTFAX4 || compression == COMPRESSION_CCITTRLEW;
        fallback = is_fax ? PHOTOMETRIC_MINISWHITE : PHOTOMETRIC_MINISBLACK;
    }
    return short_tag(tiff, TIFFTAG_PHOTOMETRIC, fallback);
}

/// Finds the alpha sample by ExtraSamples (TIFF 6.0 §18).
static void find_alpha(TIFF *tiff, firn_tiff_page *page, uint16_t compression) {
    unsigned colors = firn_tiff_colors(&page->rows);
    page->rows.alpha = -1;
    if (page->samples <= colors || page->rows.model == FIRN_TIFF_CMYK || compression == COMPRESSION_JPEG) return;
    uint16_t count = 0, *kinds = NULL;
    if (!TIFFGetField(tiff, TIFFTAG_EXTRASAMPLES, &count, &kinds) || count == 0 || !kinds) {
        // Some writers do not declare the fourth sample of RGB as alpha.
        if (page->rows.model == FIRN_TIFF_RGB && page->samples == 4) page->rows.alpha = 3;
        return;
    }
    for (unsigned i = 0; i < count && colors + i < page->samples && i < 2; i++) {
        if (kinds[i] == EXTRASAMPLE_UNSPECIFIED) continue;
        page->rows.alpha = (int)(colors + i);
        page->rows.is_associated = kinds[i] == EXTRASAMPLE_ASSOCALPHA;
        // The conversion receives only the first five samples.
        if (page->rows.alpha > 4) page->rows.alpha = -1;
        return;
    }
}

/// Reads the ranges of ITULab from the file, or uses the default ones.
static void take_ranges(TIFF *tiff, firn_tiff_samples *rows) {
    float steps = rows->bits < 32 ? (float)((1u << rows->bits) - 1) : 4294967295.0f;
    // The values that represent 0 are 128 of 256 for a* and 96 of 256 for b*.
    float unit = (steps + 1) / 256, ranges[6] = {0, 100, -128 * unit * 170 / steps, 0, -96 * unit * 200 / steps, 0};
    ranges[3] = ranges[2] + 170;
    ranges[5] = ranges[4] + 200;
    memcpy(rows->decode, ranges, sizeof ranges);
    uint16_t count = 0;
    const float *stored = NULL;
    if (TIFFGetField(tiff, TIFFTAG_DECODE, &count, &stored) && stored && count >= 6)
        memcpy(rows->decode, stored, sizeof rows->decode);
}

/// Chooses the color model of the page's samples; returns false if libtiff must convert them.
static bool choose_model(TIFF *tiff, firn_tiff_page *page, uint16_t compression) {
    firn_tiff_samples *rows = &page->rows;
    switch (page->photometric) {
    case PHOTOMETRIC_MINISWHITE: rows->is_inverted = true; rows->model = FIRN_TIFF_GRAY; return true;
    case PHOTOMETRIC_MINISBLACK:
    case PHOTOMETRIC_MASK: rows->model = FIRN_TIFF_GRAY; return true;
    case PHOTOMETRIC_PALETTE: rows->model = FIRN_TIFF_PALETTE; return true;
    case PHOTOMETRIC_RGB: rows->model = FIRN_TIFF_RGB; return compression != COMPRESSION_OJPEG;
    case PHOTOMETRIC_SEPARATED: rows->model = FIRN_TIFF_CMYK; return true;
    case PHOTOMETRIC_YCBCR:
        rows->model = FIRN_TIFF_RGB;
        return compression == COMPRESSION_JPEG && !page->is_planar
            && TIFFSetField(tiff, TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
    case PHOTOMETRIC_CIELAB: rows->model = FIRN_TIFF_LAB; rows->lab = FIRN_TIFF_CIELAB; return true;
    case PHOTOMETRIC_ICCLAB: rows->model = FIRN_TIFF_LAB; rows->lab = FIRN_TIFF_ICCLAB; return true;
    case PHOTOMETRIC_ITULAB: rows->model = FIRN_TIFF_LAB; rows->lab = FIRN_TIFF_ITULAB; return true;
    default: rows->model = FIRN_TIFF_RGB; return false;
    }
}

static const char *check_samples(const firn_tiff_page *page, uint16_t format) {
    unsigned bits = page->bits;
    bool fits = format == SAMPLEFORMAT_IEEEFP ? bits == 16 || bits == 32 || bits == 64
        : page->rows.model == FIRN_TIFF_LAB     ? bits == 8 || bits == 16 || bits == 32
        : page->rows.model == FIRN_TIFF_PALETTE ? bits >= 1 && bits <= 16
                                                : bits >= 1 && (bits <= 32 || bits == 64);
    if (!fits) return "samples of this many bits are not supported";
    if (format > SAMPLEFORMAT_VOID) return "complex numbers are no colors";
    if (page->samples < firn_tiff_colors(&page->rows)) return "has fewer samples than colors";
    return NULL;
}

/// Computes the sizes of the band, checking each number before use.
static const char *measure(TIFF *tiff, uint64_t most_bytes, firn_tiff_page *page) {
    uint32_t rows = 1, across = 1;
    unsigned planes = 1;
    if (page->mode == FIRN_TIFF_CONVERTED) {
        TIFFGetFieldDefaulted(tiff, page->is_tiled ? TIFFTAG_TILELENGTH : TIFFTAG_ROWSPERSTRIP, &rows);
        page->row_bytes = (uint64_t)page->width * 4;
    } else if (page->mode == FIRN_TIFF_TILES) {
        if (!TIFFGetField(tiff, TIFFTAG_TILELENGTH, &rows) || !TIFFGetField(tiff, TIFFTAG_TILEWIDTH, &page->tile_width)
            || page->tile_width == 0)
            return "has tiles without a size";
        across = (page->width - 1) / page->tile_width + 1;
        page->row_bytes = TIFFTileRowSize64(tiff);
    } else {
        if (page->mode == FIRN_TIFF_PLANAR_STRIPS) TIFFGetFieldDefaulted(tiff, TIFFTAG_ROWSPERSTRIP, &rows);
        page->row_bytes = TIFFScanlineSize64(tiff);
    }
    if (page->is_planar && page->mode != FIRN_TIFF_CONVERTED) planes = page->samples < 5 ? page->samples : 5;
    if (rows == 0) return "has strips without rows";
    // A tile may be higher than the image, and libtiff writes all of it.
    if (page->mode != FIRN_TIFF_TILES && rows > page->height) rows = page->height;
    page->band_rows = rows;
    uint64_t pixels = page->mode == FIRN_TIFF_TILES ? page->tile_width : page->width;
    uint64_t needed = pixels * (page->is_planar ? 1 : page->samples) * page->bits / 8;
    if (page->row_bytes == 0 || (page->mode != FIRN_TIFF_CONVERTED && page->row_bytes < needed))
        return "has rows without bytes";
    if (__builtin_mul_overflow(page->row_bytes, rows, &page->piece_bytes)
        || __builtin_mul_overflow(page->piece_bytes, (uint64_t)across * planes, &page->band_bytes)
        || page->band_bytes > most_bytes)
        return "its strips or tiles need more memory than the limit";
    return NULL;
}

void firn_tiff_describe(TIFF *tiff, uint64_t most_bytes, firn_tiff_page *page) {
    *page = (firn_tiff_page){.offset = TIFFCurrentDirOffset(tiff)};
    page->rows.alpha = -1;
    TIFFGetField(tiff, TIFFTAG_IMAGEWIDTH, &page->width);
    TIFFGetField(tiff, TIFFTAG_IMAGELENGTH, &page->height);
    uint32_t kind = 0;
    page->is_reduced = TIFFGetField(tiff, TIFFTAG_SUBFILETYPE, &kind) && kind & FILETYPE_REDUCEDIMAGE;
    uint16_t format = SAMPLEFORMAT_UINT, compression = short_tag(tiff, TIFFTAG_COMPRESSION, COMPRESSION_NONE);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_BITSPERSAMPLE, &page->bits);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_SAMPLESPERPIXEL, &page->samples);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_SAMPLEFORMAT, &format);
    page->orientation = short_tag(tiff, TIFFTAG_ORIENTATION, 1);
    if (page->orientation < 1 || page->orientation > 8) page->orientation = 1;
    page->photometric = photometric(tiff, compression, page->samples);
    page->is_tiled = TIFFIsTiled(tiff);
    page->is_planar = page->samples > 1
        && short_tag(tiff, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG) == PLANARCONFIG_SEPARATE;
    if (page->width == 0 || page->height == 0) {
        page->problem = "declares an empty image";
        return;
    }
    if (!TIFFIsCODECConfigured(compression)) {
        page->problem = "is compressed in a way that this libtiff does not know";
        return;
    }
    if (page->samples == 0 || page->samples > MAXIMUM_SAMPLES) {
        page->problem = "has an unlikely number of samples to a pixel";
        return;
    }
    bool is_own = choose_model(tiff, page, compression);
    page->rows.bits = page->bits;
    page->rows.is_float = format == SAMPLEFORMAT_IEEEFP;
    page->rows.is_signed = format == SAMPLEFORMAT_INT;
    page->rows.step = page->is_planar ? 1 : page->samples;
    page->mode = !is_own  ? FIRN_TIFF_CONVERTED
        : page->is_tiled  ? FIRN_TIFF_TILES
        : page->is_planar ? FIRN_TIFF_PLANAR_STRIPS
                          : FIRN_TIFF_SCANLINES;
    if (is_own) {
        find_alpha(tiff, page, compression);
        page->problem = check_samples(page, format);
        if (page->rows.model == FIRN_TIFF_LAB) take_ranges(tiff, &page->rows);
    } else {
        char reason[1024];
        if (!TIFFRGBAImageOK(tiff, reason)) page->problem = "its colors are of a kind that is not supported";
    }
    if (!page->problem) page->problem = measure(tiff, most_bytes, page);
}

#endif
