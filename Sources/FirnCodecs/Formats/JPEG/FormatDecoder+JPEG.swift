import FirnImage

extension FormatDecoder {
    /// Decodes JPEG with libjpeg-turbo: baseline, extended, progressive and arithmetic; gray, color, CMYK and YCCK.
    ///
    /// Scales to a target size in the frequency domain, to the smallest N/8 that covers it. An image of one scan is
    /// never held whole at full size. An eighth or less of a progressive file is decoded from its first scan alone; the
    /// session's `bytesNeeded` is the number of bytes that this took. Its colors then change evenly within each block
    /// of 8 or 16 pixels.
    ///
    /// - Source: ISO/IEC 10918-1; JFIF 1.02; Adobe Technical Note 5116 for inks.
    package static let jpeg = FormatDecoder(.jpeg) { JPEGReader(limits: $0, host: $1) }

    /// Decodes JPEG like ``jpeg``, but reads only the lowest coefficients of small sequential files, too. For tests
    /// with small files.
    package static let jpegReduced = FormatDecoder(.jpeg) {
        JPEGReader(limits: $0, host: $1, leastSequentialPixels: 0, bytesOfStripe: 40)
    }
}
