import FirnSystem

extension BitmapBuilder {
    /// Has the system find memory for further bytes of the buffer, so that writing there later waits for none.
    ///
    /// A page is found and zeroed when it is first written: of 12 megapixels, 2 to 20 ms, and 100 ms where a virtual
    /// machine's host has to find it too. Who waits for bytes has the time. What is in the buffer stays.
    ///
    /// - Parameter limit: at most so many bytes, behind those of earlier calls.
    package func prepare(_ limit: Int) {
        // Sizes: both are positive and at most `count`.
        let rest = bytesPerRow * size.height - prepared
        guard rest > 0, limit > 0 else { return }
        let count = min(limit, rest)
        let isDone = withPixels { pixels in BitmapBuilder.populate(pixels.base + prepared, count) }
        // Without the system's help the writer waits, as he would have.
        prepared = isDone == true ? prepared + count : bytesPerRow * size.height
    }

    /// Linux 5.14 and later: MADV_POPULATE_WRITE, which older headers do not name.
    private static let populateForWriting: Int32 = 23

    private static func populate(_ base: UnsafeMutableRawPointer, _ count: Int) -> Bool {
        let page = UInt(sysconf(Int32(_SC_PAGESIZE)))
        // Only whole pages inside, since what lies around them may be somebody else's.
        let start = (UInt(bitPattern: base) + page - 1) / page * page
        let end = (UInt(bitPattern: base) + UInt(count)) / page * page
        guard end > start, let first = UnsafeMutableRawPointer(bitPattern: start) else { return true }
        return madvise(first, Int(end - start), populateForWriting) == 0
    }
}
