// Filters the directories of a TIFF file: removes unneeded entries.
//
// libtiff reads a directory in steps: the number of entries, the table of entries in one piece, the link to the next
// directory, and then the values that do not fit into their entries. This filter changes the table on its way to
// libtiff: an unneeded entry becomes a NewSubfileType of 0, which contains its value. libtiff uses the first of several
// entries with the same tag.
//
// Source: TIFF 6.0 §2 (directories); BigTIFF design; libtiff 4.5 tif_dirread.c, TIFFFetchDirectory.
#ifdef FIRN_TIFF
#include "tiff_directory.h"

#include <tiffio.h>

enum { HEADER_BYTES = 8, MOST_ENTRIES = 4096 };

static uint64_t read_number(const firn_tiff_directory_read *self, const uint8_t *bytes, unsigned size) {
    uint64_t value = 0;
    for (unsigned i = 0; i < size; i++) value = value << 8 | bytes[self->is_big_endian ? i : size - 1 - i];
    return value;
}

static void write_number(const firn_tiff_directory_read *self, uint8_t *bytes, unsigned size, uint64_t value) {
    for (unsigned i = 0; i < size; i++, value >>= 8) bytes[self->is_big_endian ? size - 1 - i : i] = (uint8_t)value;
}

/// Returns the size of one value in bytes; 0 for an unknown type.
static uint64_t type_bytes(uint64_t type) {
    return type < 19 ? (uint64_t)TIFFDataWidth((TIFFDataType)type) : 0;
}

/// Returns whether libtiff or our code needs the entry, for pixels or for the file's properties.
static bool is_wanted(const firn_tiff_directory_read *self, uint64_t tag, uint64_t bytes) {
    switch (tag) {
    case TIFFTAG_SUBFILETYPE:
    case TIFFTAG_SUBIFD:
    case TIFFTAG_IMAGEWIDTH:
    case TIFFTAG_IMAGELENGTH:
    case TIFFTAG_BITSPERSAMPLE:
    case TIFFTAG_COMPRESSION:
    case TIFFTAG_PHOTOMETRIC:
    case TIFFTAG_FILLORDER:
    case TIFFTAG_STRIPOFFSETS:
    case TIFFTAG_ORIENTATION:
    case TIFFTAG_SAMPLESPERPIXEL:
    case TIFFTAG_ROWSPERSTRIP:
    case TIFFTAG_STRIPBYTECOUNTS:
    case TIFFTAG_MINSAMPLEVALUE:
    case TIFFTAG_MAXSAMPLEVALUE:
    case TIFFTAG_XRESOLUTION:
    case TIFFTAG_YRESOLUTION:
    case TIFFTAG_PLANARCONFIG:
    case TIFFTAG_GROUP3OPTIONS:
    case TIFFTAG_GROUP4OPTIONS:
    case TIFFTAG_RESOLUTIONUNIT:
    case TIFFTAG_PREDICTOR:
    case TIFFTAG_WHITEPOINT:
    case TIFFTAG_COLORMAP:
    case TIFFTAG_TILEWIDTH:
    case TIFFTAG_TILELENGTH:
    case TIFFTAG_TILEOFFSETS:
    case TIFFTAG_TILEBYTECOUNTS:
    case TIFFTAG_INKSET:
    case TIFFTAG_NUMBEROFINKS:
    case TIFFTAG_EXTRASAMPLES:
    case TIFFTAG_SAMPLEFORMAT:
    case TIFFTAG_JPEGTABLES:
    case TIFFTAG_JPEGPROC:
    case TIFFTAG_JPEGIFOFFSET:
    case TIFFTAG_JPEGIFBYTECOUNT:
    case TIFFTAG_JPEGRESTARTINTERVAL:
    case TIFFTAG_JPEGQTABLES:
    case TIFFTAG_JPEGDCTABLES:
    case TIFFTAG_JPEGACTABLES:
    case TIFFTAG_YCBCRCOEFFICIENTS:
    case TIFFTAG_YCBCRSUBSAMPLING:
    case TIFFTAG_YCBCRPOSITIONING:
    case TIFFTAG_REFERENCEBLACKWHITE:
    case TIFFTAG_MATTEING:
    case TIFFTAG_DATATYPE:
    case TIFFTAG_IMAGEDEPTH:
    case TIFFTAG_TILEDEPTH:
    case TIFFTAG_DECODE:
    case TIFFTAG_LERC_PARAMETERS: return true;
    case TIFFTAG_XMLPACKET: return self->wants_metadata && bytes <= self->most_xmp;
    case TIFFTAG_ICCPROFILE: return self->wants_metadata && bytes <= self->most_icc;
    default: return false;
    }
}

static void filter_table(const firn_tiff_directory_read *self, uint8_t *entries, uint64_t length) {
    unsigned number = self->is_big ? 8 : 4, size = 4 + 2 * number;
    for (uint64_t at = 0; at + size <= length; at += size) {
        uint8_t *entry = entries + at;
        uint64_t tag = read_number(self, entry, 2), type = read_number(self, entry + 2, 2);
        uint64_t count = read_number(self, entry + 4, number), bytes;
        if (__builtin_mul_overflow(count, type_bytes(type), &bytes)) bytes = UINT64_MAX;
        if (is_wanted(self, tag, bytes)) continue;
        write_number(self, entry, 2, TIFFTAG_SUBFILETYPE);
        write_number(self, entry + 2, 2, TIFF_LONG);
        write_number(self, entry + 4, number, 1);
        write_number(self, entry + 4 + number, number, 0);
    }
}

void firn_tiff_directory_begin(firn_tiff_directory_read *self, const uint8_t *bytes, size_t count) {
    if (count < HEADER_BYTES) return;
    self->is_big_endian = bytes[0] == 'M';
    self->is_big = read_number(self, bytes + 2, 2) == 43;
}

void firn_tiff_directory_filter(
    firn_tiff_directory_read *self, uint64_t position, uint8_t *bytes, size_t count, size_t wanted) {
    if (!self->is_active) return;
    if (self->length && position == self->table && wanted == self->length) {
        filter_table(self, bytes, count);
        // Values follow.
        self->is_active = false;
        return;
    }
    unsigned size = self->is_big ? 8 : 2;
    if (wanted != size || count != size) return;
    uint64_t entries = read_number(self, bytes, size);
    self->table = position + size;
    self->length = entries <= MOST_ENTRIES ? entries * (self->is_big ? 20 : 12) : 0;
}

#endif
