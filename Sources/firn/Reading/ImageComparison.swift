import Firn
import FirnReport

/// The comparison of two files by `firn compare`.
struct ImageComparison {
    /// The differences of pixels; of the frames that differ most.
    struct Pixels {
        var similarity = 1.0
        var greatestDifference = 0.0
        var different = 0
        var count = 0
    }

    /// A file that could not be decoded.
    struct Failure: Error {
        let isSecond: Bool
        let fault: ImageFault
    }

    private let sizes: [PixelSize]
    private let frames: [Int]
    /// `nil` if sizes or numbers of frames differ.
    private(set) var pixels: Pixels?

    /// Decodes and compares all frames of two files.
    init(_ first: ImageFile, _ second: ImageFile) throws(Failure) {
        let files = [first, second]
        sizes = files.map(\.properties.displaySize)
        frames = files.map(\.properties.frameCount)
        guard sizes[0] == sizes[1], frames[0] == frames[1] else { return }
        var options = DecodingOptions()
        options.pixelFormat = files.contains { $0.properties.bitDepth > 8 } ? .rgba16Straight : .rgba8Straight
        options.prefersDefaultImage = frames[0] == 1
        var total = Pixels()
        for frame in 0..<max(1, frames[0]) {
            options.frame = frame
            let images = (
                try ImageComparison.decoded(first, options, isSecond: false),
                try ImageComparison.decoded(second, options, isSecond: true)
            )
            // Pages of equal files may differ in size.
            guard let part = PixelComparison(images.0, images.1) else { return }
            total.similarity = min(total.similarity, part.similarity)
            total.greatestDifference = max(total.greatestDifference, part.greatestDifference)
            total.different += part.differentPixels
            total.count += images.0.size.area
        }
        pixels = total
    }

    private static func decoded(
        _ file: ImageFile, _ options: DecodingOptions, isSecond: Bool
    ) throws(Failure) -> Bitmap {
        do throws(ImageFault) { return try file.decode(options) } catch {
            throw Failure(isSecond: isSecond, fault: error)
        }
    }

    /// The result in words.
    var text: String {
        guard let pixels else {
            return sizes[0] != sizes[1]
                ? "the sizes differ: \(sizes[0]) and \(sizes[1])"
                : frames[0] != frames[1]
                    ? "the numbers of frames differ: \(frames[0]) and \(frames[1])" : "the sizes of the pages differ"
        }
        if pixels.different == 0 { return "\(sizes[0]), equal" }
        let difference = FixedText.text(pixels.greatestDifference, decimals: pixels.greatestDifference < 1 ? 3 : 1)
        return "\(sizes[0]), SSIM \(FixedText.text(pixels.similarity, decimals: 5)), greatest difference \(difference) "
            + "of 255, \(pixels.different) of \(pixels.count) pixels differ"
    }

    /// Returns the result as a JSON object.
    func json(_ first: String, _ second: String, isAccepted: Bool) -> JSONValue {
        func image(_ index: Int, _ name: String) -> JSONValue {
            .object([
                ("path", .string(name)), ("width", .int(sizes[index].width)), ("height", .int(sizes[index].height)),
                ("frames", .int(frames[index])),
            ])
        }
        return .object([
            ("first", image(0, first)), ("second", image(1, second)),
            ("equal", .bool(pixels?.different == 0)), ("accepted", .bool(isAccepted)),
            ("ssim", pixels.map { .double($0.similarity) } ?? .null),
            ("greatestDifference", pixels.map { .double($0.greatestDifference) } ?? .null),
            ("differentPixels", JSONValue(pixels?.different)),
        ])
    }
}
