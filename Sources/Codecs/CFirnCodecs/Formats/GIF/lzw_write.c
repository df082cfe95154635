// LZW with codes of 3 to 12 bits, low bits first, in blocks of at most 255 bytes.
//
// Data structure: a hash table of 8192 slots with open addressing, from a prefix code and the next index to the code of
// the combination. Invariant: fewer than 4096 slots are used. A generation number identifies slots of earlier tables.
//
// Source: GIF89a specification, appendix F.
#include "lzw_write.h"

#include <stdlib.h>
#include <string.h>

enum { SLOTS = 8192, MOST_CODES = 4096 };

typedef struct {
    firn_bytes *output;
    uint32_t keys[SLOTS];
    uint16_t codes[SLOTS];
    uint32_t bits;
    int bit_count;
    uint8_t block[255];
    int block_length;
    bool failed;
} packer;

static void end_block(packer *self) {
    uint8_t length = (uint8_t)self->block_length;
    if (length == 0) return;
    self->failed |= !firn_bytes_append(self->output, &length, 1);
    self->failed |= !firn_bytes_append(self->output, self->block, length);
    self->block_length = 0;
}

static void put_byte(packer *self) {
    self->block[self->block_length++] = (uint8_t)self->bits;
    self->bits >>= 8;
    if (self->block_length == 255) end_block(self);
}

static void put(packer *self, uint32_t code, int size) {
    self->bits |= code << self->bit_count;
    self->bit_count += size;
    while (self->bit_count >= 8) {
        put_byte(self);
        self->bit_count -= 8;
    }
}

/// Returns the slot of a pair in the current table, or a free slot for it.
static uint32_t slot_of(const packer *self, uint32_t key) {
    uint32_t slot = (key * 2654435761u) >> 19;
    while (self->keys[slot] && self->keys[slot] != key) slot = (slot + 1) & (SLOTS - 1);
    return slot;
}

bool firn_lzw_append(firn_bytes *output, const uint8_t *indices, size_t count, int code_size) {
    packer *self = calloc(1, sizeof *self);
    if (!self) return false;
    self->output = output;
    uint8_t first = (uint8_t)code_size;
    self->failed = !firn_bytes_append(output, &first, 1);
    uint32_t clear = 1u << code_size, next = clear + 2;
    int size = code_size + 1;
    put(self, clear, size);
    uint32_t prefix = count > 0 ? indices[0] : clear + 1;
    for (size_t i = 1; i < count; i++) {
        // Never 0, which marks a free slot.
        uint32_t key = (prefix << 8 | indices[i]) + 1;
        uint32_t slot = slot_of(self, key);
        if (self->keys[slot]) {
            prefix = self->codes[slot];
            continue;
        }
        put(self, prefix, size);
        prefix = indices[i];
        if (next < MOST_CODES) {
            // Order: the reader is one code behind, so the code size grows once the first longer code can be written.
            if (next == 1u << size) size++;
            self->keys[slot] = key;
            self->codes[slot] = (uint16_t)next++;
        } else {
            put(self, clear, size);
            memset(self->keys, 0, sizeof self->keys);
            next = clear + 2;
            size = code_size + 1;
        }
    }
    if (count > 0) {
        put(self, prefix, size);
        if (next == 1u << size && size < 12) size++;
        put(self, clear + 1, size);
    }
    if (self->bit_count > 0) put_byte(self);
    end_block(self);
    uint8_t end = 0;
    bool done = firn_bytes_append(output, &end, 1) && !self->failed;
    free(self);
    return done;
}
