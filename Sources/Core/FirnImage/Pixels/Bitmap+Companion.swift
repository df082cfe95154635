// For toolkits written in C, which hold bytes by a pointer and a release function.
extension Bitmap {
    /// Retains the bytes for C code until it releases them.
    ///
    /// - Returns: the first byte, and the value to pass to ``Bitmap/releaseBytes(_:)``, once, on any thread, when the
    ///   bytes are no longer needed.
    package func retainedBytes() -> (base: UnsafeMutableRawPointer, owner: UnsafeMutableRawPointer) {
        (storage.base, Unmanaged.passRetained(storage.owner).toOpaque())
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
