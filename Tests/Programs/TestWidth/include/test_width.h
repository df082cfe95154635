#ifndef TEST_WIDTH_H
#define TEST_WIDTH_H

/// The number of tests that run at once, unless the environment says another.
#define FIRN_TESTS_AT_ONCE "12"

#endif
