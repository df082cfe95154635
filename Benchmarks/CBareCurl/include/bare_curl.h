/// libcurl used directly, for the benchmark of the loader.
#ifndef BARE_CURL_H
#define BARE_CURL_H

/// Loads `BASE/1.png` to `BASE/COUNT.png` over the multi interface, `width` at once, with the
/// fields that the loader sends.
///
/// Returns the number of bodies with `length` bytes.
int bare_curl_load(const char *base, int count, int width, long length);

#endif
