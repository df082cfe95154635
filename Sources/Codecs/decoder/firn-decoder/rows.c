// Rows in the strip, or in a surface lent by the program.
#include "rows.h"

static size_t row_bytes(const worker *self) { return (size_t)self->output.width * bytes_per_pixel(self->layout); }

static firn_worker_output plain_output(const firn_output *output) {
    return (firn_worker_output){
        .width = output->width,
        .height = output->height,
        .whole = output->whole,
        .in_order = output->in_order,
        .previews = output->previews,
        .restarts = output->restarts,
        .bytes_needed = output->bytes_needed,
        .area = output->area,
    };
}

/// Reads rows in order into the strip, as many as fit, so that a call costs one round trip.
static int32_t read_strip(worker *self, firn_worker_reply *reply) {
    size_t stride = (row_bytes(self) + FIRN_ROW_ALIGNMENT - 1) / FIRN_ROW_ALIGNMENT * FIRN_ROW_ALIGNMENT;
    // A row longer than the strip needs a surface.
    if (stride == 0 || stride > FIRN_ARENA_STRIP) return FIRN_PAUSE;
    reply->stride = stride;
    uint32_t rows = (uint32_t)(FIRN_ARENA_STRIP / stride);
    firn_status status = self->late_failure;
    self->late_failure = FIRN_OK;
    while (status == FIRN_OK && reply->done < rows) {
        uint32_t done = 0;
        status = firn_decoder_read(
            self->decoder, strip(self) + reply->done * stride, stride, rows - reply->done, &done);
        reply->done += done < rows - reply->done ? done : rows - reply->done;
    }
    note_strip(self, reply->done * stride);
    if (reply->done == 0 || status <= FIRN_END) return status;
    self->late_failure = status;
    return FIRN_OK;
}

int32_t start(worker *self, const firn_worker_request *request, firn_worker_reply *reply) {
    self->layout = request->options.layout;
    self->late_failure = FIRN_OK;
    firn_status status = firn_decoder_start(self->decoder, &request->options, &self->output);
    reply->read_status = FIRN_PAUSE;
    if (status) return status;
    shared_area_unmap(&self->surface);
    shared_area_unmap(&self->preview);
    reply->output = plain_output(&self->output);
    if (request->flags & FIRN_REQUEST_READS && !self->output.whole) reply->read_status = read_strip(self, reply);
    return FIRN_OK;
}

/// Returns whether an area has room for all rows of the output.
static bool holds(const shared_area *area, const worker *self, uint64_t stride, uint32_t rows) {
    return area->base && stride >= row_bytes(self) && rows > 0 && stride <= area->length / rows;
}

int32_t read_rows(worker *self, const firn_worker_request *request, firn_worker_reply *reply) {
    if (!self->surface.base) {
        int32_t status = self->output.whole ? FIRN_PAUSE : read_strip(self, reply);
        return status == FIRN_PAUSE ? fail(reply, FIRN_UNSUPPORTED, "the image needs a surface") : status;
    }
    uint32_t rows = self->output.whole ? self->output.height : (uint32_t)request->first;
    if (!holds(&self->surface, self, request->stride, rows))
        return fail(reply, FIRN_UNSUPPORTED, "the surface is too small");
    firn_status status;
    do status = firn_decoder_read(self->decoder, self->surface.base, (size_t)request->stride, rows, &reply->done);
    while (status == FIRN_OK && reply->done == 0 && !self->output.whole);
    return status;
}

int32_t show(worker *self, const firn_worker_request *request, firn_worker_reply *reply) {
    if (!holds(&self->preview, self, request->stride, self->output.height))
        return fail(reply, FIRN_UNSUPPORTED, "the surface is too small");
    return firn_decoder_preview(self->decoder, self->preview.base, (size_t)request->stride);
}
