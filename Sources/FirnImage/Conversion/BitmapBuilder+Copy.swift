extension BitmapBuilder {
    /// Returns a copy of the first `rows` rows; rows below are transparent. Default: all rows.
    ///
    /// If the layout has no alpha and rows are missing, the copy is `bgra8Premultiplied`, because black rows would look
    /// decoded.
    public func copy(rows: Int? = nil) throws(BitmapError) -> BitmapBuilder {
        let rows = min(max(rows ?? size.height, 0), size.height)
        let isWidened = !format.hasAlpha && rows < size.height
        let copy = try BitmapBuilder(size: size, format: isWidened ? .bgra8Premultiplied : format)
        guard let from = storage?.base, let to = copy.storage?.base else { return copy }
        guard isWidened else {
            to.copyMemory(from: from, byteCount: rows * bytesPerRow)
            return copy
        }
        for y in 0..<rows {
            PixelRow(base: from + y * bytesPerRow, count: size.width, isOpaque: true)
                .widen(into: to + y * copy.bytesPerRow, redFirst: false)
        }
        return copy
    }
}
