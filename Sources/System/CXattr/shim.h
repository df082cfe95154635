// Extended attributes, which Swift's module of the C library omits.
#include <sys/xattr.h>
