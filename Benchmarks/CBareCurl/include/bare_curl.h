/// libcurl used directly, for the benchmark of the loader.
#ifndef BARE_CURL_H
#define BARE_CURL_H

/// Loads `BASE/1.png` to `BASE/COUNT.png` over the multi interface, `width` at once, with the
/// fields that the loader sends.
///
/// Returns the number of bodies with `length` bytes.
int bare_curl_load(const char *base, int count, int width, long length);

/// Loads `url` and trusts the authorities of a PEM file as well as the system's folder of them.
///
/// Returns the length of the body, or -1 after an error.
long bare_curl_get(const char *url, const char *authorities);

/// Starts `count` requests (at most 1,000) for `BASE/N.png`, which use `connections` connections, and runs them for
/// some time. Frees nothing, so that the process shows what they take.
void bare_curl_hold(const char *base, int count, int connections, int milliseconds);

#endif
