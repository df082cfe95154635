import FirnSystem

extension BitmapBuilder {
    /// Makes the system allocate pages for further bytes of the buffer, so that later writes do not wait for them. The
    /// contents stay.
    ///
    /// Without it, each page is allocated and zeroed on the first write: 2 to 20 ms for 12 megapixels, 100 ms in a
    /// virtual machine. A thread that waits for bytes of the file has that time.
    ///
    /// - Parameter limit: the most bytes, after those of earlier calls.
    package func prepare(_ limit: Int) {
        // Both factors are positive and their product is at most `count`.
        let rest = bytesPerRow * size.height - prepared
        guard rest > 0, limit > 0 else { return }
        let count = min(limit, rest)
        let isDone = withPixels { pixels in BitmapBuilder.populate(pixels.base + prepared, count) }
        // If the system refuses, the writer waits as before.
        prepared = isDone == true ? prepared + count : bytesPerRow * size.height
    }

    /// MADV_POPULATE_WRITE of Linux 5.14, which older headers lack.
    private static let populateForWriting: Int32 = 23

    private static func populate(_ base: UnsafeMutableRawPointer, _ count: Int) -> Bool {
        let page = UInt(clamping: sysconf(Int32(clamping: _SC_PAGESIZE)))
        // Only whole pages inside, because bytes around them may belong to another buffer.
        let start = (UInt(bitPattern: base) + page - 1) / page * page
        let end = (UInt(bitPattern: base) + UInt(clamping: count)) / page * page
        guard end > start, let first = UnsafeMutableRawPointer(bitPattern: start) else { return true }
        return madvise(first, Int(clamping: end - start), populateForWriting) == 0
    }
}
