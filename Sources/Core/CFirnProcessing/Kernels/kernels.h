#ifndef FIRN_KERNELS_H
#define FIRN_KERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

// <immintrin.h> takes 0.2 s to compile, so only the files that use it include it.
#if defined(__x86_64__)
#define FIRN_HAS_WIDE 1
#endif

// Functions with vectors wider than the machine's are always inlined, so no ABI is involved.
#pragma clang diagnostic ignored "-Wpsabi"

typedef uint8_t u8x4 __attribute__((vector_size(4)));
typedef uint8_t u8x16 __attribute__((vector_size(16)));
typedef uint16_t u16x4 __attribute__((vector_size(8)));
typedef int32_t i32x4 __attribute__((vector_size(16)));
typedef uint32_t u32x4 __attribute__((vector_size(16)));
typedef float f32x4 __attribute__((vector_size(16)));
typedef float f32x8 __attribute__((vector_size(32)));
typedef float f32x16 __attribute__((vector_size(64)));
typedef int32_t i32x16 __attribute__((vector_size(64)));
typedef uint16_t u16x16 __attribute__((vector_size(32)));

/// Returns whether this machine has AVX2 and FMA, unless disabled by the environment.
bool firn_is_wide(void);

// Calls the variant of a function for this machine.
#if FIRN_HAS_WIDE
#define FIRN_CHOOSE(name, ...) (firn_is_wide() ? name##_wide(__VA_ARGS__) : name##_plain(__VA_ARGS__))
#else
#define FIRN_CHOOSE(name, ...) name##_plain(__VA_ARGS__)
#endif

#define FIRN_INLINE static inline __attribute__((always_inline))

#define FIRN_LOAD(type, pointer) ({ type value_; memcpy(&value_, (pointer), sizeof(value_)); value_; })
#define FIRN_STORE(pointer, value)             \
    do {                                       \
        __typeof__(value) value_ = (value);    \
        memcpy((pointer), &value_, sizeof(value_)); \
    } while (0)
// Selects lane by lane; a comparison gives all ones or zeros.
#define FIRN_PICK(mask, a, b) ((__typeof__(a))(((__typeof__(mask))(a) & (mask)) | ((__typeof__(mask))(b) & ~(mask))))
#define FIRN_MIN(a, b) FIRN_PICK((a) < (b), a, b)
#define FIRN_MAX(a, b) FIRN_PICK((a) > (b), a, b)

/// Clamps the colors of four 4-byte pixels to their alpha. Sums of nearly equal floats may round differently, but no
/// color may exceed its alpha.
FIRN_INLINE u8x16 firn_below_alpha(u8x16 bytes) {
    u8x16 alpha = __builtin_shufflevector(bytes, bytes, 3, 3, 3, 3, 7, 7, 7, 7, 11, 11, 11, 11, 15, 15, 15, 15);
    return FIRN_MIN(bytes, alpha);
}

#endif
