// Includes FIRN_KERNELS, a file of functions named by FIRN_NAME: once for the baseline instruction set and, on x86-64,
// once for AVX2 and FMA. FIRN_CHOOSE calls one of the two.

#define FIRN_NAME(name) name##_plain
#include FIRN_KERNELS
#undef FIRN_NAME

#if FIRN_HAS_WIDE
#define FIRN_NAME(name) name##_wide
#define FIRN_IS_WIDE 1
#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)
#include FIRN_KERNELS
#pragma clang attribute pop
#undef FIRN_NAME
#undef FIRN_IS_WIDE
#endif
