// Loads one address by libcurl and ends: the peer of a cold process that loads one image.

#include "bare_curl.h"

int main(int count, char **words) { return count == 3 && bare_curl_get(words[1], words[2]) > 0 ? 0 : 1; }
