// Serves one image after another: each request is a call of firn_decode.h, or of firn_hevc.h.
//
// Everything in a request comes from the program that started the worker. It is checked all the same, so that a mistake
// there is an error here and not a crash.
#include "serve.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "confine.h"
#include "memory.h"
#include "shared_area.h"
#include "units.h"
#include "firn_packets.h"

typedef struct {
    int socket;
    firn_worker_group group;
    bool is_kept;
    uint64_t mapped;
    /// Set by the first OPEN.
    shared_area arena;
    /// The memory of an image that is decoded as a whole, the memory of a preview, and the input.
    shared_area surface, preview, input;
    /// Whether the input is in the inbox.
    bool input_is_lent;
    firn_decoder *decoder;
    /// The track of a sequence, which needs no decoder.
    unit_stream units;
    firn_codec codec;
    firn_header header;
    firn_output output;
    firn_layout layout;
    /// The bytes of the strip that held something of the image.
    size_t strip_used;
    /// A failure after rows that were sent without it; FIRN_OK if there is none.
    firn_status late_failure;
} worker;

/// The socket of the process, for the refusal of memory, which may come from any call.
static int reply_socket = -1;

static void starve(size_t bytes) {
    (void)bytes;
    firn_worker_reply reply = {.call = FIRN_CALL_STARVED, .status = FIRN_LIMIT};
    firn_packet_send(reply_socket, &reply, sizeof reply, NULL, 0);
    _exit(0);
}

bool group_decodes(firn_worker_group group, firn_codec codec) {
    switch (codec) {
    case FIRN_CODEC_HEIC: return group == FIRN_GROUP_THREADS;
    case FIRN_CODEC_SVG: return group == FIRN_GROUP_FONTS;
    default: return group == FIRN_GROUP_PLAIN;
    }
}

// MARK: The strip

static uint8_t *strip(const worker *self) { return self->arena.base + FIRN_ARENA_INBOX; }

static void note_strip(worker *self, size_t bytes) {
    if (bytes > self->strip_used) self->strip_used = bytes;
}

// MARK: Calls

static size_t bytes_per_pixel(firn_layout layout) {
    switch (layout) {
    case FIRN_LAYOUT_RGB: return 3;
    case FIRN_LAYOUT_RGBA16:
    case FIRN_LAYOUT_RGBA_HALF: return 8;
    default: return 4;
    }
}

static size_t row_bytes(const worker *self) { return (size_t)self->output.width * bytes_per_pixel(self->layout); }

static int32_t fail(firn_worker_reply *reply, firn_status status, const char *message) {
    strncpy(reply->message, message, sizeof reply->message - 1);
    return status;
}

/// Ends an image.
///
/// - Parameter kept: the first bytes of the strip that the program still reads, and then clears itself.
static void close_image(worker *self, size_t kept) {
    firn_decoder_close(self->decoder);
    self->decoder = NULL;
    units_close(&self->units);
    shared_area_unmap(&self->surface);
    shared_area_unmap(&self->preview);
    if (self->input_is_lent) self->input = (shared_area){0};
    self->input_is_lent = false;
    shared_area_unmap(&self->input);
    if (!self->is_kept || !self->arena.base) return;
    // The program has cleared the inbox, where the next image's bytes may be by now.
    if (self->strip_used > kept) memset(strip(self) + kept, 0, self->strip_used - kept);
    self->strip_used = 0;
}

static int32_t open_image(
    worker *self, const firn_worker_request *request, int descriptors[2], firn_worker_reply *reply) {
    close_image(self, 0);
    int next = 0;
    if (request->flags & FIRN_REQUEST_HAS_MEMORY) {
        int memory = descriptors[next];
        descriptors[next++] = -1;
        if (!shared_area_map(&self->arena, memory, FIRN_ARENA_LENGTH, PROT_READ | PROT_WRITE))
            return fail(reply, FIRN_MEMORY, "no memory for the arena");
    }
    if (!self->arena.base) return fail(reply, FIRN_UNSUPPORTED, "the first request brings the arena");
    if (!group_decodes(self->group, (firn_codec)request->codec))
        return fail(reply, FIRN_UNSUPPORTED, "the worker is for other formats");
    self->codec = (firn_codec)request->codec;
    self->decoder = firn_decoder_open(self->codec, &request->limits);
    if (!self->decoder) return fail(reply, FIRN_UNSUPPORTED, "the format is not in this build of firn-decoder");
    self->output = (firn_output){0};
    if (!(request->flags & FIRN_REQUEST_HAS_INPUT)) return FIRN_OK;
    if (request->flags & FIRN_REQUEST_INPUT_IN_INBOX) {
        if (request->input == 0 || request->input > FIRN_ARENA_INBOX)
            return fail(reply, FIRN_UNSUPPORTED, "the input is larger than the inbox");
        self->input_is_lent = true;
        self->input = (shared_area){self->arena.base, (size_t)request->input};
        return FIRN_OK;
    }
    int input = descriptors[next];
    descriptors[next] = -1;
    return shared_area_map(&self->input, input, request->input, PROT_READ) ? FIRN_OK
                                                               : fail(reply, FIRN_MEMORY, "the input cannot be mapped");
}

/// Lends the bytes of a request to the decoder.
static void feed(worker *self, const firn_worker_request *request) {
    bool is_last = request->flags & FIRN_REQUEST_LAST;
    if (request->call == FIRN_CALL_OPEN && self->input.base) {
        if (request->flags & FIRN_REQUEST_FEEDS_INPUT) {
            firn_decoder_feed(self->decoder, self->input.base, self->input.length, true);
        } else {
            const firn_source source = {&self->input, self->input.length, shared_area_read};
            firn_decoder_reach(self->decoder, &source);
        }
    } else if (request->flags & FIRN_REQUEST_FEEDS) {
        size_t length = request->fed < FIRN_ARENA_INBOX ? request->fed : FIRN_ARENA_INBOX;
        firn_decoder_feed(self->decoder, self->arena.base, length, is_last);
    }
}

static firn_worker_header plain(const firn_header *header) {
    firn_worker_header plain = {
        .width = header->width,
        .height = header->height,
        .orientation = header->orientation,
        .bit_depth = header->bit_depth,
        .space = (uint32_t)header->space,
        .frames = header->frames,
        .loops = header->loops,
        .working_bytes = header->working_bytes,
        .durations_length = header->animated && header->durations ? (uint64_t)header->frames * 4 : 0,
        .icc_length = header->icc ? header->icc_length : 0,
        .exif_length = header->exif ? header->exif_length : 0,
        .xmp_length = header->xmp ? header->xmp_length : 0,
        .color =
            {
                .primaries = header->color.primaries,
                .transfer = header->color.transfer,
                .gamma = header->color.gamma,
                .has_chromaticities = header->color.has_chromaticities,
            },
        .pixels_per_metre_x = header->pixels_per_metre_x,
        .pixels_per_metre_y = header->pixels_per_metre_y,
        .alpha = header->alpha,
        .progressive = header->progressive,
        .animated = header->animated,
    };
    memcpy(plain.color.chromaticities, header->color.chromaticities, sizeof plain.color.chromaticities);
    return plain;
}

/// Copies blobs from byte `first` of all of them to the strip and returns the number of bytes.
static uint32_t copy_blobs(worker *self, uint64_t first) {
    const firn_worker_header lengths = plain(&self->header);
    const uint8_t *const blobs[] = {
        (const uint8_t *)self->header.durations, self->header.icc, self->header.exif, self->header.xmp};
    const uint64_t counts[] = {
        lengths.durations_length, lengths.icc_length, lengths.exif_length, lengths.xmp_length};
    size_t copied = 0;
    for (int i = 0; i < 4; i++) {
        if (first >= counts[i]) {
            first -= counts[i];
            continue;
        }
        size_t left = (size_t)(counts[i] - first), room = FIRN_ARENA_STRIP - copied;
        size_t taken = left < room ? left : room;
        memcpy(strip(self) + copied, blobs[i] + first, taken);
        copied += taken;
        first = 0;
    }
    note_strip(self, copied);
    return (uint32_t)copied;
}

static firn_worker_frame plain_frame(const firn_frame *frame) {
    return (firn_worker_frame){frame->width, frame->height, frame->duration, frame->alpha};
}

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

static int32_t read_header(worker *self, firn_worker_reply *reply) {
    firn_status status;
    do status = firn_decoder_header(self->decoder, &self->header);
    while (status == FIRN_PAUSE);
    if (status) return status;
    reply->header = plain(&self->header);
    reply->done = copy_blobs(self, 0);
    firn_frame frame = {0};
    status = firn_decoder_frame(self->decoder, 0, &frame);
    reply->frame = plain_frame(&frame);
    return status;
}

static int32_t describe_frames(worker *self, uint64_t first, firn_worker_reply *reply) {
    enum { MOST = FIRN_ARENA_STRIP / sizeof(firn_worker_frame) };
    if (first > UINT32_MAX) return FIRN_DATA;
    uint32_t index = (uint32_t)first;
    for (; reply->done < MOST && index < self->header.frames; reply->done++, index++) {
        firn_frame frame = {0};
        firn_status status = firn_decoder_frame(self->decoder, index, &frame);
        if (status) return status;
        const firn_worker_frame described = plain_frame(&frame);
        memcpy(strip(self) + reply->done * sizeof described, &described, sizeof described);
    }
    note_strip(self, reply->done * sizeof(firn_worker_frame));
    return FIRN_OK;
}

/// Reads rows in order to the strip, as many as fit, so that a call costs one round trip.
static int32_t read_strip(worker *self, firn_worker_reply *reply) {
    size_t stride = (row_bytes(self) + FIRN_ROW_ALIGNMENT - 1) / FIRN_ROW_ALIGNMENT * FIRN_ROW_ALIGNMENT;
    // A row longer than the strip goes to a surface.
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

static int32_t start(worker *self, const firn_worker_request *request, firn_worker_reply *reply) {
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

/// Whether an area holds as many rows as the output has.
static bool holds(const shared_area *area, const worker *self, uint64_t stride, uint32_t rows) {
    return area->base && stride >= row_bytes(self) && rows > 0 && stride <= area->length / rows;
}

static int32_t read_rows(worker *self, const firn_worker_request *request, firn_worker_reply *reply) {
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

static int32_t show(worker *self, const firn_worker_request *request, firn_worker_reply *reply) {
    if (!holds(&self->preview, self, request->stride, self->output.height))
        return fail(reply, FIRN_UNSUPPORTED, "the surface is too small");
    return firn_decoder_preview(self->decoder, self->preview.base, (size_t)request->stride);
}

/// Takes the surface that comes with a request.
static bool take_memory(worker *self, const firn_worker_request *request, int descriptors[2]) {
    if (!(request->flags & FIRN_REQUEST_HAS_MEMORY)) return true;
    shared_area *target = request->call == FIRN_CALL_PREVIEW ? &self->preview : &self->surface;
    int memory = descriptors[0];
    descriptors[0] = -1;
    return shared_area_map(target, memory, request->surface, PROT_READ | PROT_WRITE);
}

/// Maps the memory that the first request of a track brings.
static bool take_track_memory(worker *self, const firn_worker_request *request, int descriptors[2]) {
    if (!(request->flags & FIRN_REQUEST_HAS_MEMORY)) return self->arena.base && self->surface.base;
    int arena = descriptors[0], surface = descriptors[1];
    descriptors[0] = descriptors[1] = -1;
    bool has_arena = shared_area_map(&self->arena, arena, FIRN_ARENA_LENGTH, PROT_READ | PROT_WRITE);
    return shared_area_map(&self->surface, surface, request->surface, PROT_READ | PROT_WRITE) && has_arena;
}

static int32_t decode_units(
    worker *self, const firn_worker_request *request, int descriptors[2], firn_worker_reply *reply) {
    if (!group_decodes(self->group, FIRN_CODEC_HEIC))
        return fail(reply, FIRN_UNSUPPORTED, "the worker is for other formats");
    // Its input may be in the arena, which the first request of a track replaces.
    if (self->decoder) return fail(reply, FIRN_UNSUPPORTED, "an image is open");
    if (!take_track_memory(self, request, descriptors)) return fail(reply, FIRN_MEMORY, "no memory for the track");
    size_t fed = request->flags & FIRN_REQUEST_FEEDS ? request->fed : 0;
    if (fed > FIRN_ARENA_INBOX) fed = FIRN_ARENA_INBOX;
    return units_decode(
        &self->units, request, self->arena.base, fed, self->surface.base, self->surface.length, reply);
}

static int32_t run(worker *self, const firn_worker_request *request, int descriptors[2], firn_worker_reply *reply) {
    if (request->call == FIRN_CALL_UNITS) return decode_units(self, request, descriptors, reply);
    if (request->call == FIRN_CALL_OPEN) {
        int32_t status = open_image(self, request, descriptors, reply);
        if (status) return status;
    } else if (!self->decoder) {
        return fail(reply, FIRN_UNSUPPORTED, "no image is open");
    } else if (!take_memory(self, request, descriptors)) {
        return fail(reply, FIRN_MEMORY, "no memory for the surface");
    }
    feed(self, request);
    switch (request->call) {
    case FIRN_CALL_OPEN:
    case FIRN_CALL_HEADER: return read_header(self, reply);
    case FIRN_CALL_FRAMES: return describe_frames(self, request->first, reply);
    case FIRN_CALL_BLOBS: reply->done = copy_blobs(self, request->first); return FIRN_OK;
    case FIRN_CALL_START: return start(self, request, reply);
    case FIRN_CALL_READ: return read_rows(self, request, reply);
    case FIRN_CALL_PREVIEW: return show(self, request, reply);
    default: return fail(reply, FIRN_UNSUPPORTED, "unknown call");
    }
}

/// Overwrites what earlier images left on the stack.
__attribute__((noinline)) static void clear_stack(void) {
    uint8_t below[64 << 10];
    memset(below, 0, sizeof below);
    __asm__ volatile("" : : "r"(below) : "memory");
}

/// Whether the request was the last one of its image.
static bool closes(const worker *self, const firn_worker_request *request, const firn_worker_reply *reply) {
    const bool may_go_on = self->surface.base || self->output.restarts || self->output.previews;
    if (!(request->flags & FIRN_REQUEST_CLOSES) || may_go_on) return false;
    switch (request->call) {
    case FIRN_CALL_START: return reply->status == FIRN_OK && reply->read_status == FIRN_END;
    case FIRN_CALL_READ: return reply->status == FIRN_END;
    default: return false;
    }
}

_Noreturn void serve(int socket, firn_worker_group group, bool is_kept, uint64_t mapped) {
    worker self = {.socket = socket, .group = group, .is_kept = is_kept, .mapped = mapped};
    reply_socket = socket;
    memory_set_clearing(is_kept);
    memory_set_refusal(starve);
    while (true) {
        firn_worker_request request;
        int descriptors[FIRN_PACKET_DESCRIPTORS];
        if (firn_packet_receive(socket, &request, sizeof request, descriptors) != sizeof request) _exit(0);
        firn_worker_reply reply;
        memset(&reply, 0, sizeof reply);
        if (request.call == FIRN_CALL_CLOSE) {
            close_image(&self, 0);
            if (!is_kept) _exit(0);
            clear_stack();
            continue;
        }
        bool extends = request.flags & FIRN_REQUEST_EXTENDS;
        if (!confine_step(request.memory ? mapped + request.memory : 0, request.microseconds, extends)) _exit(1);
        reply.call = request.call;
        reply.status = run(&self, &request, descriptors, &reply);
        for (int i = 0; i < FIRN_PACKET_DESCRIPTORS; i++)
            if (descriptors[i] >= 0) close(descriptors[i]);
        bool has_failed = reply.status > FIRN_END || (reply.call == FIRN_CALL_START && reply.read_status > FIRN_END);
        if (has_failed && self.decoder && !reply.message[0])
            strncpy(reply.message, firn_decoder_message(self.decoder), sizeof reply.message - 1);
        reply.is_closed = closes(&self, &request, &reply);
        if (!firn_packet_send(socket, &reply, sizeof reply, NULL, 0)) _exit(0);
        if (!reply.is_closed) continue;
        // The program reads the rows meanwhile.
        close_image(&self, (size_t)reply.done * reply.stride);
        clear_stack();
    }
}
