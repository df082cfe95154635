// Replays files through the fuzz target. In a build with the fuzzer, the fuzzer's own main takes the place of this one.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerInitialize(int *count, char ***arguments);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

static int replay(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        return 1;
    }
    uint8_t *bytes = NULL;
    size_t count = 0;
    size_t room = 0;
    for (;;) {
        if (count == room) {
            room = room ? room * 2 : 1 << 16;
            uint8_t *more = realloc(bytes, room);
            if (!more) {
                free(bytes);
                fclose(file);
                fprintf(stderr, "%s: no memory\n", path);
                return 1;
            }
            bytes = more;
        }
        size_t got = fread(bytes + count, 1, room - count, file);
        if (got == 0) break;
        count += got;
    }
    fclose(file);
    LLVMFuzzerTestOneInput(bytes, count);
    free(bytes);
    return 0;
}

__attribute__((weak)) int main(int count, char **arguments)
{
    LLVMFuzzerInitialize(&count, &arguments);
    int failed = 0;
    for (int index = 1; index < count; index++) failed |= replay(arguments[index]);
    printf("replayed %d files\n", count - 1);
    return failed;
}
