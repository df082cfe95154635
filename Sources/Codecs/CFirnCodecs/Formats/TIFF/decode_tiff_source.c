// libtiff's callbacks: random access to the input, and error messages.
//
// Source: libtiff TIFFClientOpenExt, TIFFOpenOptions; before 4.5 TIFFClientOpen.
#ifdef FIRN_TIFF
#include "tiff_decoder.h"
#include "tiff_version.h"

#include <stdarg.h>
#include <stdio.h>

/// Longer XMP packets are ignored: packets of several megabytes contain whole images.
static const uint64_t most_xmp = 16u << 20;

static tmsize_t read_bytes(thandle_t handle, void *target, tmsize_t count) {
    tiff_decoder *self = handle;
    if (count <= 0) return 0;
    // Order: a refused read looks like the end of the file, so libtiff abandons the directory.
    if ((uint64_t)count > self->description_left) return 0;
    size_t taken = firn_input_read(&self->base.input, self->position, target, (size_t)count);
    firn_tiff_directory_filter(&self->reading, self->position, target, taken, (size_t)count);
    if (self->description_left != UINT64_MAX) self->description_left -= taken;
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

/// Refuses to map. Safety: libtiff must not keep our addresses, because the bytes move between calls.
static int map_bytes(thandle_t handle, void **base, toff_t *size) {
    (void)handle, (void)base, (void)size;
    return 0;
}

static void unmap_bytes(thandle_t handle, void *base, toff_t size) { (void)handle, (void)base, (void)size; }

firn_status firn_tiff_fail(tiff_decoder *self, const char *fallback) {
    return firn_fail(&self->base, FIRN_DATA, "%s", self->complaint[0] ? self->complaint : fallback);
}

void firn_tiff_enter_directory(tiff_decoder *self, bool wants_metadata) {
    self->reading.is_active = true;
    self->reading.wants_metadata = wants_metadata;
    self->reading.most_xmp = most_xmp;
    self->reading.most_icc = self->base.limits.profile_bytes;
    self->reading.length = 0;
}

#ifdef FIRN_TIFF_HAS_OPTIONS
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

static TIFF *open_client(tiff_decoder *self) {
    TIFFOpenOptions *options = TIFFOpenOptionsAlloc();
    if (!options) {
        firn_fail(&self->base, FIRN_MEMORY, "no memory");
        return NULL;
    }
    uint64_t limit = self->base.limits.bytes;
    TIFFOpenOptionsSetMaxSingleMemAlloc(options, limit < INT64_MAX ? (tmsize_t)limit : INT64_MAX);
    TIFFOpenOptionsSetErrorHandlerExtR(options, take_complaint, self);
    TIFFOpenOptionsSetWarningHandlerExtR(options, ignore_warning, self);
    TIFF *tiff = TIFFClientOpenExt(
        "", "rm", self, read_bytes, write_bytes, seek, close_bytes, count_bytes, map_bytes, unmap_bytes, options);
    TIFFOpenOptionsFree(options);
    return tiff;
}
#else
static TIFF *open_client(tiff_decoder *self) {
    self->messages =
        (firn_tiff_messages){.handle = self, .text = self->complaint, .capacity = sizeof self->complaint};
    firn_tiff_messages_begin(&self->messages);
    return TIFFClientOpen(
        "", "rm", self, read_bytes, write_bytes, seek, close_bytes, count_bytes, map_bytes, unmap_bytes);
}
#endif

/// Order: a failure is final, so this is called once for each decoder.
firn_status firn_tiff_open_source(tiff_decoder *self) {
    uint8_t first[8];
    firn_tiff_directory_begin(&self->reading, first, firn_input_read(&self->base.input, 0, first, sizeof first));
    firn_tiff_enter_directory(self, false);
    self->tiff = open_client(self);
    if (self->tiff) return FIRN_OK;
    return self->base.failure ? self->base.failure : firn_tiff_fail(self, "no TIFF directory");
}

void firn_tiff_close_source(tiff_decoder *self) {
    if (self->tiff) TIFFClose(self->tiff);
#ifndef FIRN_TIFF_HAS_OPTIONS
    firn_tiff_messages_end(&self->messages);
#endif
}

#endif
