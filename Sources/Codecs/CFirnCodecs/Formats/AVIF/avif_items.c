// Source: ISO/IEC 14496-12 §4.2 (boxes), §8.11.3 (iloc), §8.11.6 (iinf), §8.11.12 (iref); ISO/IEC 23008-12 §9.3 (ipma).
#ifdef FIRN_AVIF
#include "avif_items.h"

#include "../../Library/boxes.h"

static bool is(const char *type, const char *name) { return memcmp(type, name, 4) == 0; }

/// Returns the number of entries in a list of a `meta` or `iprp` box; 0 for other boxes and for truncated headers. The
/// entries of an `iref` box are the items that its boxes refer to.
static uint64_t entries(const char *type, firn_fields box) {
    if (box.length < 12) return 0;
    uint64_t version = firn_number(&box, 4) >> 24, count = 0;
    if (is(type, "iinf")) return firn_number(&box, version == 0 ? 2 : 4);
    if (is(type, "ipma")) return firn_number(&box, 4);
    if (is(type, "iloc")) {
        (void)firn_number(&box, 2);
        return firn_number(&box, version < 2 ? 2 : 4);
    }
    char inner[4];
    firn_fields content;
    while (is(type, "iref") && count <= FIRN_AVIF_MOST_ITEMS && firn_next_box(&box, inner, &content)) {
        (void)firn_number(&content, version == 0 ? 2 : 4);
        count += 1 + firn_number(&content, 2);
    }
    return count;
}

/// Returns the largest number of entries among the lists in a box and its nested boxes.
static uint64_t most_entries(firn_fields box, bool goes_on) {
    uint64_t sums[4] = {0}, most = 0;
    static const char *const lists[4] = {"iinf", "iloc", "ipma", "iref"};
    char type[4];
    firn_fields content;
    while (most <= FIRN_AVIF_MOST_ITEMS && firn_next_box(&box, type, &content)) {
        for (unsigned i = 0; i < 4; i++) {
            if (!is(type, lists[i])) continue;
            sums[i] += entries(type, content);
            if (sums[i] > most) most = sums[i];
        }
        if (!goes_on || !is(type, "iprp")) continue;
        uint64_t inner = most_entries(content, false);
        if (inner > most) most = inner;
    }
    return most;
}

firn_avif_items firn_avif_count_items(const uint8_t *bytes, size_t length, bool is_whole) {
    firn_fields rest = {bytes, length, false}, content;
    char type[4];
    while (firn_next_box(&rest, type, &content)) {
        if (!is(type, "meta")) continue;
        // A box that ends with the bytes may continue, unless another box follows it.
        if (!is_whole && rest.length == 0) return FIRN_AVIF_NO_ITEMS;
        if (content.length < 4) return FIRN_AVIF_FEW_ITEMS;
        (void)firn_number(&content, 4);
        bool is_few = most_entries(content, true) <= FIRN_AVIF_MOST_ITEMS;
        return is_few ? FIRN_AVIF_FEW_ITEMS : FIRN_AVIF_MANY_ITEMS;
    }
    return is_whole ? FIRN_AVIF_FEW_ITEMS : FIRN_AVIF_NO_ITEMS;
}

#endif
