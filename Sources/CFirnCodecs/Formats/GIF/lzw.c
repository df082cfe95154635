// LZW as in GIF: codes of 3 to 12 bits, least significant bit first, with a table that grows with every code.
//
// Data structure: entry `c` of the table is the string of entry `prefix[c]` followed by the index `suffix[c]`. The
// entries below `clear` are the single indices. `length[c]` and `first[c]` avoid a walk over the string to find its
// place and its first index.
//
// Indices have 8 bits: if codes begin with more than 9, single indices above 255 are cut to their low byte.
//
// Invariants: `prefix[c] < c`, so that every walk ends; `length[c] == length[prefix[c]] + 1`, so that writing a string
// of `length[c]` indices takes exactly as many steps; entries from `next` on are never read.
//
// Source: GIF89a specification, appendix F (variable-length-code LZW) and §15 (data sub-blocks). A full table stays
// unchanged ("deferred clear code").
#include "firn_lzw.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BITS = 12, ENTRIES = 1 << MOST_BITS, NO_CODE = -1 };

struct firn_lzw {
    /// The bits read and not used yet.
    uint64_t bits;
    uint32_t bit_count;
    /// The bytes that remain in the current sub-block.
    uint32_t block_left;
    uint32_t code_size;
    uint32_t code_bits;
    uint32_t clear;
    uint32_t next;
    int32_t previous;
    bool at_end;
    bool is_damaged;
    /// The indices of a string for which there was no room.
    uint32_t waiting_from;
    uint32_t waiting_to;
    uint16_t prefix[ENTRIES];
    uint16_t length[ENTRIES];
    uint8_t suffix[ENTRIES];
    uint8_t first[ENTRIES];
    uint8_t waiting[ENTRIES];
};

static void reset(firn_lzw *self) {
    self->next = self->clear + 2;
    self->code_bits = self->code_size + 1;
    self->previous = NO_CODE;
}

firn_lzw *firn_lzw_open(uint32_t code_size) {
    if (code_size < 1 || code_size >= MOST_BITS) return NULL;
    firn_lzw *self = calloc(1, sizeof *self);
    if (!self) return NULL;
    self->code_size = code_size;
    self->clear = 1u << code_size;
    for (uint32_t i = 0; i < self->clear; i++) {
        self->length[i] = 1;
        self->first[i] = self->suffix[i] = (uint8_t)i;
    }
    reset(self);
    return self;
}

void firn_lzw_close(firn_lzw *decoder) { free(decoder); }

/// Writes the string of `code` to the `length[code]` bytes at `to`, from its end.
static inline void write_string(const firn_lzw *self, uint32_t code, uint8_t *to) {
    uint32_t left = self->length[code];
    while (left > 1) {
        to[--left] = self->suffix[code];
        code = self->prefix[code];
    }
    to[0] = self->suffix[code];
}

firn_lzw_result firn_lzw_read(
    firn_lzw *self, const uint8_t *bytes, size_t length, size_t *used, uint8_t *indices, size_t capacity,
    size_t *done) {
    const uint8_t *at = bytes, *end = bytes ? bytes + length : bytes;
    size_t count = 0;
    firn_lzw_result result = FIRN_LZW_FULL;
    // Local copies stay in registers during the loop.
    uint64_t bits = self->bits;
    uint32_t bit_count = self->bit_count, block_left = self->block_left, code_bits = self->code_bits;
    uint32_t next = self->next;
    int32_t previous = self->previous;
    const uint32_t clear = self->clear;

    if (self->waiting_from < self->waiting_to) {
        size_t waiting = self->waiting_to - self->waiting_from;
        size_t taken = waiting < capacity ? waiting : capacity;
        memcpy(indices, self->waiting + self->waiting_from, taken);
        self->waiting_from += (uint32_t)taken;
        count = taken;
    }
    if (self->is_damaged) result = FIRN_LZW_DAMAGED;
    while (!self->is_damaged && count < capacity) {
        if (bit_count < code_bits) {
            if (self->at_end) {
                result = FIRN_LZW_END;
                break;
            }
            if (block_left >= 4 && end - at >= 4 && bit_count <= 32) {
                uint32_t four = (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
                bits |= (uint64_t)four << bit_count;
                bit_count += 32;
                at += 4;
                block_left -= 4;
                continue;
            }
            if (at == end) {
                result = FIRN_LZW_NEEDS_BYTES;
                break;
            }
            if (block_left == 0) {
                block_left = *at++;
                self->at_end = block_left == 0;
            } else {
                bits |= (uint64_t)*at++ << bit_count;
                bit_count += 8;
                block_left--;
            }
            continue;
        }
        uint32_t code = (uint32_t)bits & ((1u << code_bits) - 1);
        bits >>= code_bits;
        bit_count -= code_bits;
        if (code == clear) {
            reset(self);
            next = self->next;
            code_bits = self->code_bits;
            previous = NO_CODE;
            continue;
        }
        if (code == clear + 1) {
            self->at_end = true;
            bit_count = 0;
            result = FIRN_LZW_END;
            break;
        }
        if (previous == NO_CODE) {
            if (code > clear) {
                self->is_damaged = true;
                result = FIRN_LZW_DAMAGED;
                break;
            }
        } else if (next < ENTRIES) {
            // The new entry may be the very one that the code names.
            if (code > next) {
                self->is_damaged = true;
                result = FIRN_LZW_DAMAGED;
                break;
            }
            uint32_t before = (uint32_t)previous;
            self->prefix[next] = (uint16_t)before;
            self->length[next] = (uint16_t)(self->length[before] + 1);
            self->first[next] = self->first[before];
            self->suffix[next] = self->first[code == next ? before : code];
            next++;
        }
        // Also after the first code: with indices of one bit, the first free entry needs a third bit at once.
        if (next >= 1u << code_bits && code_bits < MOST_BITS) code_bits++;
        previous = (int32_t)code;
        uint32_t string = self->length[code];
        if (string <= capacity - count) {
            write_string(self, code, indices + count);
            count += string;
        } else {
            write_string(self, code, self->waiting);
            size_t room = capacity - count;
            memcpy(indices + count, self->waiting, room);
            self->waiting_from = (uint32_t)room;
            self->waiting_to = string;
            count = capacity;
        }
    }
    self->bits = bits;
    self->bit_count = bit_count;
    self->block_left = block_left;
    self->code_bits = code_bits;
    self->next = next;
    self->previous = previous;
    *used = (size_t)(at - bytes);
    *done = count;
    return result;
}

void firn_pixels_from_indices(
    const uint8_t *indices, size_t count, const uint8_t *palette, uint32_t bytes, uint8_t *pixels) {
    if (bytes == 4) {
        for (size_t i = 0; i < count; i++) memcpy(pixels + i * 4, palette + (size_t)indices[i] * 4, 4);
    } else {
        for (size_t i = 0; i < count; i++) memcpy(pixels + i * 3, palette + (size_t)indices[i] * 4, 3);
    }
}
