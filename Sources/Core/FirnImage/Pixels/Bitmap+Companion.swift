// For toolkits written in C, which hold bytes by a pointer and a release function.
extension Bitmap {
    /// The bytes of an image, retained for C code until it releases them.
    package struct RetainedBytes {
        /// The first byte.
        package let base: UnsafeMutableRawPointer
        /// The number of bytes.
        package let count: Int
        package let size: PixelSize
        package let format: PixelFormat
        package let bytesPerRow: Int
        package let isOpaque: Bool
        /// The value to pass to ``Bitmap/releaseBytes(_:)``, once, on any thread, when the bytes are no longer needed.
        package let owner: UnsafeMutableRawPointer
    }

    /// Retains and returns the bytes with their shape: everything that a texture needs, in one call.
    package func retainedBytes() -> RetainedBytes {
        let shape = storage.shape
        return RetainedBytes(
            base: storage.base, count: storage.count, size: shape.size, format: shape.format,
            bytesPerRow: shape.bytesPerRow, isOpaque: shape.isOpaque,
            owner: Unmanaged.passRetained(storage.owner).toOpaque())
    }

    package static func releaseBytes(_ owner: UnsafeMutableRawPointer) {
        Unmanaged<PixelStorage>.fromOpaque(owner).release()
    }

    /// The object that a toolkit created from these pixels, such as a texture, while it exists.
    ///
    /// Not retained. Accessed only by the drawing thread.
    package var companion: UnsafeMutableRawPointer? { storage.owner.companion }

    /// Sets the companion of an owner whose bytes are still retained. The toolkit clears it before it destroys the
    /// object.
    package static func setCompanion(_ companion: UnsafeMutableRawPointer?, of owner: UnsafeMutableRawPointer) {
        Unmanaged<PixelStorage>.fromOpaque(owner).takeUnretainedValue().companion = companion
    }
}
