#include "firn_memory.h"

#include <malloc.h>

size_t firn_bytes_in_use(void)
{
    struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
}

void firn_trim_memory(void) { malloc_trim(0); }
