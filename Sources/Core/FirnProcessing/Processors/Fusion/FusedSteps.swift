// Processors that replace several others. Their identifiers appear only in errors; requests share work under the
// identifiers of the original processors.

/// Rotates and mirrors an image.
struct Turning: TurningProcessor {
    let orientation: ImageOrientation

    var identifier: String { "firn/rotate?o=\(orientation.rawValue)" }
}

/// One or more consecutive crops.
struct FusedCrop: ImageProcessor {
    let parts: [ImageProcessors.Crop]

    var identifier: String { "firn/crop?" + parts.map(\.identifier).joined(separator: ";") }

    func processed(_ image: Bitmap, _ run: ProcessingRun) throws -> Bitmap {
        try image.cropped(to: FusedCrop.area(PixelArea(image.size), after: parts, run), run)
    }

    func processed(_ map: GainMap, of image: Bitmap, _ run: ProcessingRun) throws -> GainMap? {
        try map.cropped(to: FusedCrop.area(PixelArea(image.size), after: parts, run), of: image.size, run)
    }

    /// Returns the part of an area that remains after all crops.
    static func area(
        _ area: PixelArea, after crops: [ImageProcessors.Crop], _ run: ProcessingRun
    ) throws -> PixelArea {
        try crops.reduce(area) { area, crop in
            let kept = try crop.area(in: area.size, run)
            return PixelArea(x: area.x + kept.x, y: area.y + kept.y, size: kept.size)
        }
    }
}

/// A resize with an optional rotation and crops, which computes only the remaining part.
struct FusedResize: ImageProcessor {
    let turning: ImageOrientation
    let resize: ImageProcessors.Resize
    let crops: [ImageProcessors.Crop]

    var identifier: String { resize.identifier }

    func processed(_ image: Bitmap, _ run: ProcessingRun) throws -> Bitmap {
        let small = try resize.resize(image, turnedBy: turning, run) { try FusedCrop.area($0, after: crops, run) }
        return try small.turned(turning, run)
    }

    func processed(_ map: GainMap, of image: Bitmap, _ run: ProcessingRun) throws -> GainMap? {
        try resize.resize(map, of: image, turnedBy: turning, run) { try FusedCrop.area($0, after: crops, run) }?
            .turned(turning, run)
    }
}

/// Several color matrices combined into one, with a bound on its difference from the single steps.
struct FusedColors: ImageProcessor {
    let matrix: ImageProcessors.ColorMatrix
    /// The difference that intermediate rounding makes, in levels.
    private let difference: Double

    var usesSRGB: Bool { true }

    init?(_ matrix: ImageProcessors.ColorMatrix, difference: Double = 0) {
        // Leaves invalid numbers to the original processor, which throws the error for them.
        guard matrix.rows.joined().allSatisfy({ abs($0) <= 1000 }) else { return nil }
        self.matrix = matrix
        self.difference = difference
    }

    var identifier: String { matrix.identifier }

    /// Returns both matrices combined; `nil` if a color is clamped in between, or rounding reaches a level.
    func followed(by next: ImageProcessors.ColorMatrix) -> FusedColors? {
        // Each step rounds by half a level; 12-bit weights add a little more.
        let sum = (difference + 0.55) * next.gain
        guard matrix.neverCuts, sum < 0.9 else { return nil }
        return FusedColors(matrix.followed(by: next), difference: sum)
    }

    func processed(_ image: Bitmap, _ run: ProcessingRun) throws -> Bitmap { try matrix.processed(image, run) }
}
