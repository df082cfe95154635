internal import FirnImage

// What several processors are done as. Their identifiers are seen by nobody but errors: work is shared under those of the
// processors that they stand for.

/// Turns and mirrors.
struct Turning: ImageProcessor {
    let orientation: Orientation

    var identifier: String { "firn/rotate?o=\(orientation.rawValue)" }

    func process(_ container: ImageContainer, context: ImageProcessingContext) throws -> ImageContainer {
        try change(container, context)
    }

    func processed(_ image: Bitmap, _ run: ProcessingRun) throws -> Bitmap { try image.turned(orientation, run) }
}

/// Parts of parts.
struct FusedCrop: ImageProcessor {
    let parts: [ImageProcessors.Crop]

    var identifier: String { "firn/crop?" + parts.map(\.identifier).joined(separator: ";") }

    func process(_ container: ImageContainer, context: ImageProcessingContext) throws -> ImageContainer {
        try change(container, context)
    }

    func processed(_ image: Bitmap, _ run: ProcessingRun) throws -> Bitmap {
        let (columns, rows) = try FusedCrop.ranges(
            parts, 0..<image.size.width, 0..<image.size.height, run)
        return try image.cropped(to: columns, rows, run)
    }

    /// The part of a part that is left.
    static func ranges(
        _ parts: [ImageProcessors.Crop], _ columns: Range<Int>, _ rows: Range<Int>, _ run: ProcessingRun
    ) throws -> (Range<Int>, Range<Int>) {
        var (columns, rows) = (columns, rows)
        for part in parts {
            let kept = try part.ranges(in: PixelSize(width: columns.count, height: rows.count), run)
            columns = columns.lowerBound + kept.0.lowerBound..<columns.lowerBound + kept.0.upperBound
            rows = rows.lowerBound + kept.1.lowerBound..<rows.lowerBound + kept.1.upperBound
        }
        return (columns, rows)
    }
}

/// A resize of an image that is to be turned first, of which only a part is wanted.
struct FusedResize: ImageProcessor {
    let turning: Orientation
    let resize: ImageProcessors.Resize
    let crops: [ImageProcessors.Crop]

    var identifier: String { resize.identifier }
    var decodingTarget: TargetSize? { turning == .up ? resize.decodingTarget : nil }

    func process(_ container: ImageContainer, context: ImageProcessingContext) throws -> ImageContainer {
        try change(container, context)
    }

    func processed(_ image: Bitmap, _ run: ProcessingRun) throws -> Bitmap {
        if turning == .up {
            return try resize.resize(image, run) { try FusedCrop.ranges(crops, $0, $1, run) }
        }
        let small = try resize.resize(image, turnedBy: turning, run) { try FusedCrop.ranges(crops, $0, $1, run) }
        return try small.turned(turning, run)
    }
}

/// Color matrices, with how far the result of the single steps may be from the one.
struct FusedColors: ImageProcessor {
    let matrix: ImageProcessors.ColorMatrix
    /// In levels: what rounding in between comes to.
    private let difference: Double

    init?(_ matrix: ImageProcessors.ColorMatrix) {
        self.init(matrix, difference: 0)
    }

    private init?(_ matrix: ImageProcessors.ColorMatrix, difference: Double) {
        // Numbers that are an error stay with the processor that complains of them.
        guard matrix.weights.rows.joined().allSatisfy({ abs($0) <= 1000 }) else { return nil }
        self.matrix = matrix
        self.difference = difference
    }

    var identifier: String { matrix.identifier }

    /// Both as one, if no color is cut in between and rounding comes to less than a level.
    func followed(by next: ImageProcessors.ColorMatrix) -> FusedColors? {
        // Rounded to half a level, by weights of 12 bits to a little more.
        let sum = (difference + 0.55) * next.weights.gain
        guard matrix.weights.neverCuts, sum < 0.9 else { return nil }
        return FusedColors(
            ImageProcessors.ColorMatrix(matrix.weights.followed(by: next.weights)), difference: sum)
    }

    func process(_ container: ImageContainer, context: ImageProcessingContext) throws -> ImageContainer {
        try matrix.process(container, context: context)
    }

    func processed(_ image: Bitmap, _ run: ProcessingRun) throws -> Bitmap { try matrix.processed(image, run) }
}
