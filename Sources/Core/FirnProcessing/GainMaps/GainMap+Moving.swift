import FirnSync

extension GainMap {
    /// Returns the map of a part of the base, in the map's resolution.
    func cropped(to area: PixelArea, of size: PixelSize, _ run: ProcessingRun) throws -> GainMap? {
        if area == PixelArea(size) { return self }
        func part(_ range: Range<Int>, _ whole: Int, _ side: Int) -> Range<Double> {
            func place(_ pixel: Int) -> Double { Double(pixel) * Double(side) / Double(whole) }
            return place(range.lowerBound)..<place(range.upperBound)
        }
        let columns = part(area.columns, size.width, image.size.width)
        let rows = part(area.rows, size.height, image.size.height)
        func pixels(_ range: Range<Double>) -> Int {
            max(1, Int(saturating: (range.upperBound - range.lowerBound).rounded()))
        }
        let size = PixelSize(width: pixels(columns), height: pixels(rows))
        let image = try image.resized(
            columns: columns, rows: rows, to: size, cancellation: run.context.cancellation)
        return GainMap(image: image, metadata: metadata)
    }

    func turned(_ orientation: ImageOrientation, _ run: ProcessingRun) throws -> GainMap? {
        try GainMap(image: image.turned(orientation, run), metadata: metadata)
    }
}
