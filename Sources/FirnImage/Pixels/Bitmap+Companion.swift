// For toolkits written in C, which keep bytes by an address and a function that gives them back.
extension Bitmap {
    /// The bytes of an image, retained for C code, which releases them by a call.
    package struct RetainedBytes {
        /// The first byte.
        package let base: UnsafeMutableRawPointer
        /// Bytes in all.
        package let count: Int
        package let size: PixelSize
        package let format: PixelFormat
        package let bytesPerRow: Int
        package let isOpaque: Bool
        /// Who is to be given to ``Bitmap/releaseBytes(_:)``, once and on any thread, when the bytes are no longer needed.
        package let owner: UnsafeMutableRawPointer
    }

    /// The bytes with their shape: all that a texture is made of, in one call.
    package func retainedBytes() -> RetainedBytes {
        let shape = storage.shape
        return RetainedBytes(
            base: storage.base, count: storage.count, size: shape.size, format: shape.format,
            bytesPerRow: shape.bytesPerRow, isOpaque: shape.isOpaque,
            owner: Unmanaged.passRetained(storage).toOpaque())
    }

    /// Gives the bytes back.
    package static func releaseBytes(_ owner: UnsafeMutableRawPointer) {
        Unmanaged<PixelStorage>.fromOpaque(owner).release()
    }

    /// What a toolkit has made of these pixels, as long as that exists: found without a search by whoever has the image.
    ///
    /// Not retained. To be touched by one thread only, the one that draws.
    package var companion: UnsafeMutableRawPointer? { storage.companion }

    /// Says what a toolkit has made of the pixels of an owner whose bytes are still retained; whoever says so clears it in time.
    package static func setCompanion(_ companion: UnsafeMutableRawPointer?, of owner: UnsafeMutableRawPointer) {
        Unmanaged<PixelStorage>.fromOpaque(owner).takeUnretainedValue().companion = companion
    }
}
