// Bounds how many tests run at once. Without a bound, two thousand begin together, and a minute may pass between two steps
// of one. Swift Testing reads the variable when it starts, after the constructors of a program.
#include "include/test_width.h"

#include <stdlib.h>

__attribute__((constructor)) static void bound_tests(void)
{
    setenv("SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH", FIRN_TESTS_AT_ONCE, 0);
}
