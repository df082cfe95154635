extension Bitmap {
    /// Returns the same pixels in another color space: their values stay, their meaning changes. Shares the buffer.
    ///
    /// - Parameter profile: the color space; `nil` for sRGB.
    public func assigningColorProfile(_ profile: ColorProfile?) -> Bitmap {
        guard profile != colorProfile else { return self }
        let shape = PixelShape(
            size: size, format: format, bytesPerRow: bytesPerRow, isOpaque: isOpaque, colorProfile: profile)
        // The closure owns the buffer.
        return Bitmap(PixelStorage(borrowing: storage.base, shape) { [storage] in withExtendedLifetime(storage) {} })
    }
}
