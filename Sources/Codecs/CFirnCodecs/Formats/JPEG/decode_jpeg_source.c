// libjpeg's callbacks for decoding: errors, and input that may have to wait.
//
// The input is lent to libjpeg for one step, then taken back. Our own EOI marker follows its end, so a truncated file
// ends like a complete one. If libjpeg needs more than that marker, the file counts as truncated.
//
// Source: libjpeg.txt "Error handling", "Compressed data handling", "I/O suspension", "Special markers".
#include "jpeg_decoder.h"

#include <stdlib.h>
#include <string.h>

#include <jerror.h>

/// The number of bytes read at once with random access: more than the longest segment.
enum { WINDOW = 128 << 10 };

static const uint8_t end_marker[2] = {0xFF, JPEG_EOI};

static jpeg_decoder *of(j_common_ptr jpeg) { return jpeg->client_data; }

// MARK: Errors

__attribute__((noreturn)) static void escape(jpeg_decoder *self, firn_status status, const char *message) {
    firn_fail(&self->base, status, "%s", message);
    longjmp(self->escape, 1);
}

__attribute__((noreturn)) static void cut_short(jpeg_decoder *self) {
    if (self->decompressing && self->absorbed && self->jpeg.output_scanline > 0)
        firn_fail(
            &self->base, FIRN_DATA, "cut short after row %u of %u", self->jpeg.output_scanline,
            self->jpeg.output_height);
    else
        firn_fail(&self->base, FIRN_DATA, self->decompressing ? "cut short in a scan" : "cut short before the image");
    longjmp(self->escape, 1);
}

#ifdef LIBJPEG_TURBO_VERSION_NUMBER
enum {
    LIBRARY_MAJOR = LIBJPEG_TURBO_VERSION_NUMBER / 1000000,
    LIBRARY_MINOR = LIBJPEG_TURBO_VERSION_NUMBER / 1000 % 1000
};
#else
enum { LIBRARY_MAJOR = 0, LIBRARY_MINOR = 0 };
#endif

static void name_precision(int bits, char *text, size_t size) {
    if (bits == 12 && LIBRARY_MAJOR < 3)
        snprintf(
            text, size, "has 12 bits a sample, which libjpeg-turbo reads from version 3.0 on; this build has %d.%d",
            LIBRARY_MAJOR, LIBRARY_MINOR);
    else
        snprintf(text, size, "has %d bits a sample; Firn reads 8", bits);
}

/// Names the process of a frame header: SOF0 to SOF15.
static void name_process(int marker, char *text, size_t size) {
    int number = marker & 15;
    if (number == 3 && LIBRARY_MAJOR < 3)
        snprintf(
            text, size, "is lossless JPEG (SOF3), which libjpeg-turbo reads from version 3.0 on; this build has %d.%d",
            LIBRARY_MAJOR, LIBRARY_MINOR);
    else
        snprintf(
            text, size, "is %s JPEG (SOF%d), which no version of libjpeg-turbo reads",
            number == 3 || number == 11 ? "lossless" : number == 8 ? "reserved" : "hierarchical", number);
}

static void on_error(j_common_ptr jpeg) {
    char text[JMSG_LENGTH_MAX];
    jpeg->err->format_message(jpeg, text);
    firn_status status = FIRN_DATA;
    switch (jpeg->err->msg_code) {
    case JERR_OUT_OF_MEMORY:
        status = FIRN_MEMORY;
        break;
    case JERR_BAD_PRECISION:
        name_precision(of(jpeg)->jpeg.data_precision, text, sizeof text);
        status = FIRN_UNSUPPORTED;
        break;
    case JERR_SOF_UNSUPPORTED:
        name_process(jpeg->err->msg_parm.i[0], text, sizeof text);
        status = FIRN_UNSUPPORTED;
        break;
    case JERR_NOT_COMPILED:
    case JERR_CONVERSION_NOTIMPL:
    case JERR_FRACT_SAMPLE_NOTIMPL:
        status = FIRN_UNSUPPORTED;
        break;
    }
    escape(of(jpeg), status, text);
}

static void on_message(j_common_ptr jpeg, int level) {
    jpeg_decoder *self = of(jpeg);
    if (level >= 0) return;
    jpeg->err->num_warnings++;
    // The entropy decoder needs more bits, but only our EOI is left. In a multi-scan file libjpeg continues without the
    // rest of the last scan, which a request may allow.
    if (!self->ended || jpeg->err->msg_code != JWRN_HIT_MARKER) return;
    if (!self->partial || self->absorbed) cut_short(self);
    if (!self->ends_in_scan) self->mcu_rows_in_scan = self->jpeg.input_iMCU_row;
    self->ends_in_scan = true;
}

static void on_output(j_common_ptr jpeg) { (void)jpeg; }

void firn_jpeg_prepare_errors(jpeg_decoder *self) {
    self->jpeg.err = jpeg_std_error(&self->errors);
    self->errors.error_exit = on_error;
    self->errors.emit_message = on_message;
    self->errors.output_message = on_output;
    // Order: jpeg_create_decompress clears the struct but keeps `err` and `client_data`.
    self->jpeg.client_data = self;
}

// MARK: Input

static void init_source(j_decompress_ptr jpeg) { (void)jpeg; }

/// Appends the next bytes of the file to the unused ones in the window; returns whether there were any.
static bool fill_window(jpeg_decoder *self) {
    struct jpeg_source_mgr *source = &self->source;
    if (!self->window) self->window = malloc(WINDOW);
    if (!self->window) escape(self, FIRN_MEMORY, "no memory for input");
    size_t kept = source->bytes_in_buffer;
    if (kept) memmove(self->window, source->next_input_byte, kept);
    size_t taken = firn_input_read(&self->base.input, self->position, self->window + kept, WINDOW - kept);
    self->position += taken;
    source->next_input_byte = self->window;
    source->bytes_in_buffer = kept + taken;
    return taken > 0;
}

static boolean fill_input(j_decompress_ptr jpeg) {
    jpeg_decoder *self = jpeg->client_data;
    if (self->base.input.source.read) {
        // libjpeg calls this only when it needs more than it has, and discards the rest.
        self->source.bytes_in_buffer = 0;
        if (!self->ended && fill_window(self)) return TRUE;
    }
    if (!self->base.input.last) {
        if (jpeg->arith_code && self->decompressing) escape(self, FIRN_DATA, "arithmetic coding cannot wait");
        return FALSE;
    }
    // The arithmetic decoder reads zeros past the end without a warning.
    if (self->decompressing && jpeg->arith_code) cut_short(self);
    self->ended = true;
    jpeg->src->next_input_byte = end_marker;
    jpeg->src->bytes_in_buffer = sizeof end_marker;
    return TRUE;
}

static void skip_input(j_decompress_ptr jpeg, long count) {
    jpeg_decoder *self = jpeg->client_data;
    struct jpeg_source_mgr *source = jpeg->src;
    if (count <= 0) return;
    if ((size_t)count <= source->bytes_in_buffer) {
        source->next_input_byte += count;
        source->bytes_in_buffer -= (size_t)count;
    } else if (self->base.input.source.read) {
        self->position += (size_t)count - source->bytes_in_buffer;
        source->bytes_in_buffer = 0;
    } else {
        self->skip = (size_t)count - source->bytes_in_buffer;
        source->next_input_byte += source->bytes_in_buffer;
        source->bytes_in_buffer = 0;
    }
}

static void term_source(j_decompress_ptr jpeg) { (void)jpeg; }

/// Copies the first metadata of a kind; copies nothing if memory is exhausted.
static void keep(uint8_t **kept, size_t *kept_length, const uint8_t *bytes, size_t length) {
    if (*kept || length == 0) return;
    *kept = malloc(length);
    if (!*kept) return;
    memcpy(*kept, bytes, length);
    *kept_length = length;
}

/// Stores EXIF data, an XMP packet, or a part of a profile.
static void take_segment(jpeg_decoder *self, int marker, const uint8_t *bytes, size_t length) {
    static const char exif[6] = "Exif\0";
    static const char xmp[29] = "http://ns.adobe.com/xap/1.0/";
    firn_header *header = &self->base.header;
    if (marker == JPEG_APP0 + 2)
        firn_icc_segments_add(&self->segments, bytes, length, self->base.limits.profile_bytes);
    else if (length > sizeof exif && !memcmp(bytes, exif, sizeof exif))
        keep(&self->exif, &header->exif_length, bytes + sizeof exif, length - sizeof exif);
    else if (length > sizeof xmp && !memcmp(bytes, xmp, sizeof xmp))
        keep(&self->xmp, &header->xmp_length, bytes + sizeof xmp, length - sizeof xmp);
}

/// Reads an APP1 or APP2 segment once it is complete.
static boolean read_segment(j_decompress_ptr jpeg) {
    jpeg_decoder *self = jpeg->client_data;
    struct jpeg_source_mgr *source = jpeg->src;
    size_t length = 2;
    bool is_reaching = self->base.input.source.read && !self->ended;
    if (is_reaching && source->bytes_in_buffer < 2) fill_window(self);
    if (source->bytes_in_buffer >= 2)
        length = (size_t)source->next_input_byte[0] << 8 | source->next_input_byte[1];
    if (length < 2) length = 2;
    if (is_reaching && source->bytes_in_buffer < length) fill_window(self);
    if (source->bytes_in_buffer < length) {
        if (!self->base.input.last) return FALSE;
        cut_short(self);
    }
    // Metadata do not change after the frame header.
    if (!self->decompressing) take_segment(self, jpeg->unread_marker, source->next_input_byte + 2, length - 2);
    source->next_input_byte += length;
    source->bytes_in_buffer -= length;
    return TRUE;
}

void firn_jpeg_prepare_source(jpeg_decoder *self) {
    self->source.init_source = init_source;
    self->source.fill_input_buffer = fill_input;
    self->source.skip_input_data = skip_input;
    self->source.resync_to_restart = jpeg_resync_to_restart;
    self->source.term_source = term_source;
    self->jpeg.src = &self->source;
    jpeg_set_marker_processor(&self->jpeg, JPEG_APP0 + 1, read_segment);
    jpeg_set_marker_processor(&self->jpeg, JPEG_APP0 + 2, read_segment);
}

/// Skips all but the last of the fill bytes before a marker.
///
/// libjpeg returns to the first of them each time its input ends among them: a file of fill bytes that arrives in
/// pieces would otherwise take quadratic time.
///
/// Source: ISO/IEC 10918-1 §B.1.1.2.
static void skip_fill(jpeg_decoder *self) {
    firn_input *input = &self->base.input;
    // The first marker has no fill bytes. A marker's code is followed by a segment length, which may look like them.
    if (self->skip || self->used < 2 || self->jpeg.unread_marker) return;
    size_t count = 0;
    while (input->length - count >= 2 && input->bytes[count] == 0xFF && input->bytes[count + 1] == 0xFF) count++;
    firn_input_skip(input, count);
    self->used += count;
}

bool firn_jpeg_lend_input(jpeg_decoder *self) {
    firn_input *input = &self->base.input;
    if (self->ended || input->source.read) return true;
    size_t skip = self->skip < input->length ? self->skip : input->length;
    firn_input_skip(input, skip);
    self->used += skip;
    self->skip -= skip;
    skip_fill(self);
    self->source.next_input_byte = input->bytes;
    self->source.bytes_in_buffer = input->length;
    return self->skip == 0 || input->last;
}

void firn_jpeg_take_back_input(jpeg_decoder *self) {
    firn_input *input = &self->base.input;
    if (input->source.read) return;
    size_t used = self->ended ? input->length : input->length - self->source.bytes_in_buffer;
    self->used += used;
    firn_input_skip(input, used);
}
