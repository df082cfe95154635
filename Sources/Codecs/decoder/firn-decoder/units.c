#include "units.h"

#include <stdlib.h>
#include <string.h>

#include "worker.h"

/// The length of a unit and its sample number.
enum { RECORD_HEADER = 8 };

/// Appends bytes to the records.
static bool append(unit_stream *self, const uint8_t *bytes, size_t count) {
    size_t needed;
    if (__builtin_add_overflow(self->length, count, &needed)) return false;
    if (needed > self->capacity) {
        size_t capacity = needed + needed / 2;
        uint8_t *records = capacity > needed ? realloc(self->records, capacity) : NULL;
        if (!records) return false;
        self->records = records;
        self->capacity = capacity;
    }
    if (count > 0) memcpy(self->records + self->length, bytes, count);
    self->length = needed;
    return true;
}

/// Passes the complete records to the decoder and keeps the rest.
static firn_status push(unit_stream *self) {
    size_t start = 0;
    firn_status status = FIRN_OK;
    while (status == FIRN_OK && self->length - start >= RECORD_HEADER) {
        uint32_t length, sample;
        memcpy(&length, self->records + start, sizeof length);
        memcpy(&sample, self->records + start + sizeof length, sizeof sample);
        if (self->length - start - RECORD_HEADER < length) break;
        status = firn_hevc_push(self->decoder, self->records + start + RECORD_HEADER, length, sample);
        start += RECORD_HEADER + length;
    }
    if (start > 0) memmove(self->records, self->records + start, self->length - start);
    self->length -= start;
    return status;
}

/// Copies the planes of an image to the surface, one after another.
static bool copy_planes(
    const firn_planes *image, uint8_t *surface, size_t surface_length, firn_worker_reply *reply) {
    size_t offset = 0;
    for (int i = 0; i < 3; i++) {
        const firn_plane *plane = &image->planes[i];
        if (!plane->base) continue;
        size_t bytes = (size_t)plane->width * (plane->bits > 8 ? 2 : 1);
        size_t stride = (bytes + FIRN_ROW_ALIGNMENT - 1) / FIRN_ROW_ALIGNMENT * FIRN_ROW_ALIGNMENT;
        if (bytes > plane->stride || plane->height > (surface_length - offset) / stride) return false;
        for (size_t row = 0; row < plane->height; row++)
            memcpy(surface + offset + row * stride, plane->base + row * plane->stride, bytes);
        reply->planes[i] = (firn_worker_plane){
            .offset = offset, .stride = stride, .width = plane->width, .height = plane->height, .bits = plane->bits};
        offset += stride * plane->height;
    }
    return true;
}

firn_status units_decode(
    unit_stream *self, const firn_worker_request *request, const uint8_t *records, size_t fed, uint8_t *surface,
    size_t surface_length, firn_worker_reply *reply) {
    if (!self->decoder) self->decoder = firn_hevc_open();
    if (!self->decoder)
        return (firn_status)fail(reply, FIRN_UNSUPPORTED, "the format is not in this build of firn-decoder");
    if (!append(self, records, fed)) return (firn_status)fail(reply, FIRN_MEMORY, "no memory for the units");
    firn_status status = push(self);
    if (request->flags & FIRN_REQUEST_LAST) firn_hevc_end(self->decoder);
    while (status == FIRN_OK) {
        firn_planes image = {0};
        if (firn_hevc_image(self->decoder, &image, &reply->sample)) {
            bool fits = (uint64_t)reply->sample != request->first
                || copy_planes(&image, surface, surface_length, reply);
            firn_hevc_drop(self->decoder);
            return fits ? FIRN_OK : (firn_status)fail(reply, FIRN_DATA, "an image is larger than its track declares");
        }
        status = firn_hevc_step(self->decoder);
    }
    return status > FIRN_END ? (firn_status)fail(reply, status, firn_hevc_message(self->decoder)) : status;
}

void units_close(unit_stream *self) {
    firn_hevc_close(self->decoder);
    free(self->records);
    *self = (unit_stream){0};
}
