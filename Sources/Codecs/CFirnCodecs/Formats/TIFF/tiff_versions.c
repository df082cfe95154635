// The stored versions of a page: the page itself and reduced ones (pyramids).
//
// Reduced versions are subsequent pages marked as reduced (Cloud Optimized GeoTIFF), or the page's SubIFDs (OME-TIFF,
// vips). A version is used if each side is the page's divided by an integer, if its samples are of the same kind, and
// if the requested part starts and ends at whole pixels of it.
//
// Source: TIFF 6.0 §8 (NewSubfileType); TIFF Technical Note 1 (SubIFDs); OGC 21-026 (COG).
#ifdef FIRN_TIFF
#include "tiff_decoder.h"

#include <string.h>

/// The maximum number of SubIFDs to check: more than the longest side can be halved.
enum { MOST_VERSIONS = 32 };

/// Returns the integer by which `side` was divided to get `smaller`; 0 if there is none.
static uint32_t divisor(uint32_t side, uint32_t smaller) {
    if (smaller == 0 || smaller > side) return 0;
    uint32_t nearest = (uint32_t)(((uint64_t)side + smaller / 2) / smaller);
    for (uint32_t number = nearest > 1 ? nearest - 1 : 1; number <= nearest + 1; number++) {
        uint32_t rounded_up = (uint32_t)(((uint64_t)side + number - 1) / number);
        if (smaller == side / number || smaller == rounded_up) return number;
    }
    return 0;
}

/// Divides a range of a side; returns whether it starts and ends at whole pixels.
static bool divide(uint32_t *start, uint32_t *length, uint32_t side, uint32_t smaller, uint32_t number) {
    uint32_t end = *start + *length;
    if (*start % number || (end % number && end != side)) return false;
    uint32_t first = *start / number, last = end == side ? smaller : end / number;
    if (first >= last || last > smaller) return false;
    *start = first;
    *length = last - first;
    return true;
}

/// Returns whether a version has the page's sample format and enough pixels; sets its part.
static bool suits(
    const firn_tiff_page *page, const firn_tiff_page *version, const firn_options *options, firn_area *area) {
    const firn_tiff_samples *one = &page->rows, *other = &version->rows;
    if (version->problem || version->bits != page->bits || version->samples != page->samples
        || one->model != other->model || one->alpha != other->alpha || one->is_float != other->is_float
        || one->is_inverted != other->is_inverted || one->model == FIRN_TIFF_PALETTE)
        return false;
    uint32_t across = divisor(page->width, version->width), down = divisor(page->height, version->height);
    if (across < 2 || across != down) return false;
    firn_area part = *area;
    if (!divide(&part.x, &part.width, page->width, version->width, across)
        || !divide(&part.y, &part.height, page->height, version->height, down) || part.width < options->width
        || part.height < options->height)
        return false;
    *area = part;
    return true;
}

static bool enter(tiff_decoder *self, uint64_t offset, firn_tiff_page *page) {
    firn_tiff_enter_directory(self, false);
    if (!TIFFSetSubDirectory(self->tiff, offset)) return false;
    firn_tiff_describe(self->tiff, self->base.limits.bytes, page);
    return true;
}

/// The smallest suitable version so far.
typedef struct {
    const firn_options *options;
    const firn_tiff_page *page;
    firn_area part;
    uint64_t offset;
    uint32_t width;
} version_search;

static void consider(version_search *search, const firn_tiff_page *version, firn_area whole) {
    if (version->width < search->width && suits(search->page, version, search->options, &whole)) {
        search->part = whole;
        search->offset = version->offset;
        search->width = version->width;
    }
}

firn_status firn_tiff_enter_version(tiff_decoder *self, const firn_options *options) {
    firn_tiff_page page;
    uint64_t offset = self->pages[options->frame].offset;
    self->complaint[0] = 0;
    if (!enter(self, offset, &page)) return firn_tiff_fail(self, "damaged directory");
    firn_area area = options->area;
    if (!area.width) area = (firn_area){0, 0, page.width, page.height};
    version_search search = {options, &page, area, offset, page.width};
    if (options->width && !page.problem) {
        // Order: copied, because libtiff's array belongs to the directory that is being left.
        uint64_t offsets[MOST_VERSIONS], *found = NULL;
        uint16_t count = 0;
        if (!TIFFGetField(self->tiff, TIFFTAG_SUBIFD, &count, &found) || !found) count = 0;
        if (count > MOST_VERSIONS) count = MOST_VERSIONS;
        if (count) memcpy(offsets, found, count * sizeof *offsets);
        for (uint32_t i = options->frame + 1; i < self->base.header.frames && self->pages[i].is_reduced; i++)
            consider(&search, &self->pages[i], area);
        for (uint16_t i = 0; i < count; i++) {
            firn_tiff_page version;
            if (enter(self, offsets[i], &version) && version.is_reduced) consider(&search, &version, area);
        }
        // A damaged version is ignored.
        self->complaint[0] = 0;
    }
    if (!enter(self, search.offset, &self->page)) return firn_tiff_fail(self, "damaged directory");
    self->area = search.part;
    return FIRN_OK;
}

#endif
