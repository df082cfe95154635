extension Bitmap {
    /// What a toolkit has made of these pixels, as long as that exists: found without a search by whoever has the picture.
    ///
    /// Not retained; whoever sets it clears it in time. To be touched by one thread only, the one that draws.
    package var companion: UnsafeMutableRawPointer? {
        get { storage.companion }
        nonmutating set { storage.companion = newValue }
    }
}

// For toolkits written in C, which keep bytes by an address and a function that gives them back.
extension Bitmap {
    /// The bytes, and who is to be given to ``releaseBytes(_:)``, once and on any thread, when they are no longer needed.
    package func retainedBytes() -> (base: UnsafeMutableRawPointer, owner: UnsafeMutableRawPointer) {
        (storage.base, Unmanaged.passRetained(storage).toOpaque())
    }

    /// Gives the bytes back.
    package static func releaseBytes(_ owner: UnsafeMutableRawPointer) {
        Unmanaged<PixelStorage>.fromOpaque(owner).release()
    }
}
