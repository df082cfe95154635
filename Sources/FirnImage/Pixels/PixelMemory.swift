import FirnSystem

/// The memory of a buffer of pixels: small ones from the heap, others in a mapping of their own.
///
/// Images live long, come in all sizes, and are freed by another thread than the one that made them. In a heap they leave
/// holes (a cache of 64 MiB then takes 110), and the heaps' locks are shared with the thread that draws. What was given back
/// serves again for a moment (``PixelMappings``).
struct PixelMemory {
    let base: UnsafeMutableRawPointer
    /// Where the heap's block begins; `nil` for a mapping.
    private let block: UnsafeMutableRawPointer?
    private let length: Int

    #if DEBUG
        /// What debug builds fill buffers with before they are used, unless they are zeroed, and after they were used.
        ///
        /// Pixels that nobody wrote, or of an image that is gone, show then as this gray instead of by chance.
        static let poison: UInt8 = 0xD5
    #endif

    /// From so many bytes on it is a mapping.
    static let leastMapped = 64 << 10

    /// - Parameters:
    ///   - count: bytes; more than 0.
    ///   - zeroed: whether they are zeroed; otherwise they are whatever was there.
    /// - Returns: `nil` if the system gives none.
    init?(count: Int, zeroed: Bool) {
        self.init(finding: count, zeroed: zeroed)
        #if DEBUG
            if !zeroed { memset(base, Int32(PixelMemory.poison), count) }
        #endif
    }

    private init?(finding count: Int, zeroed: Bool) {
        if count >= PixelMemory.leastMapped {
            if let (base, length) = PixelMappings.take(count) {
                (self.base, block, self.length) = (base, nil, length)
                if zeroed { memset(base, 0, count) }
                return
            }
            guard let mapping = mmap(nil, count, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
                mapping != MAP_FAILED
            else { return nil }
            (base, block, length) = (mapping, nil, count)
            return
        }
        let padded = count + Bitmap.rowAlignment
        guard let block = zeroed ? calloc(1, padded) : malloc(padded) else { return nil }
        let mask = UInt(Bitmap.rowAlignment - 1)
        guard let base = UnsafeMutableRawPointer(bitPattern: (UInt(bitPattern: block) + mask) & ~mask) else {
            free(block)
            return nil
        }
        (self.base, self.block, length) = (base, block, count)
    }

    /// Gives it back, once. Nobody may use it any more.
    func release() {
        #if DEBUG
            memset(base, Int32(PixelMemory.poison), length)
        #endif
        if let block { free(block) } else { PixelMappings.give(base, length) }
    }
}
