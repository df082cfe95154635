import FirnImage
import FirnTesting
import FoundationEssentials

/// Damaged files: generated ones in which some bytes are others, or missing, or twice there.
struct DamagedFiles {
    let format: ImageFormat
    private let seeds: [Data]

    /// The formats of the generated files; an animated PNG counts as PNG.
    static let formats: [ImageFormat] = GeneratedImages.all.reduce(into: []) { formats, image in
        let format = image.format == .apng ? .png : image.format
        if !formats.contains(format) { formats.append(format) }
    }

    init(_ format: ImageFormat) {
        self.format = format
        seeds = GeneratedImages.all.filter { $0.format == format || ($0.format == .apng && format == .png) }.map(\.data)
    }

    /// Returns the file of a number: the same in every run.
    func file(_ number: Int) -> Data {
        var random = SeededGenerator(seed: UInt64(number))
        var bytes = [UInt8](seeds[number % seeds.count])
        // Most headers are in the first quarter; without them, little of a decoder runs.
        let first = number % 8 == 0 ? 0 : bytes.count / 4
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            guard first < bytes.count else { break }
            let at = Int.random(in: first..<bytes.count, using: &random)
            let end = min(bytes.count, at + Int.random(in: 1...24, using: &random))
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<5: bytes[at] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            case 5: bytes[at] = .random(in: 0...255, using: &random)
            case 6: for index in at..<end { bytes[index] = .random(in: 0...255, using: &random) }
            case 7: bytes.removeSubrange(at..<end)
            case 8: bytes.insert(contentsOf: bytes[at..<end], at: at)
            default: bytes.removeSubrange(at...)
            }
        }
        // Otherwise the checksums hide most damage from what is behind them.
        if format == .png, number % 4 != 3 { DamagedFiles.correctSums(&bytes) }
        return Data(bytes)
    }

    /// Corrects the checksums of a PNG's chunks.
    private static func correctSums(_ bytes: inout [UInt8]) {
        var at = 8
        while at + 12 <= bytes.count {
            let length = bytes[at..<at + 4].reduce(0) { $0 << 8 | Int($1) }
            guard length <= bytes.count - at - 12 else { return }
            let sum = GeneratedFiles.crc(bytes[at + 4..<at + 8 + length])
            for index in 0..<4 { bytes[at + 8 + length + index] = UInt8(truncatingIfNeeded: sum >> (24 - 8 * index)) }
            at += 12 + length
        }
    }

    /// Returns decoding options: whole and scaled images, regions, layouts, and what there is of a damaged image.
    static func options(_ number: Int) -> DecodingOptions {
        var options = DecodingOptions()
        options.pixelFormat = [.rgba8Straight, .bgra8Premultiplied, .rgba8Straight, .rgb8][number % 4]
        options.allowsPartial = number % 3 != 2
        switch number / 4 % 4 {
        case 0: options.targetSize = TargetSize(width: 7, height: 5)
        case 1: options.region = .pixels(x: 3, y: 2, width: 17, height: 11)
        default: break
        }
        return options
    }

    /// Small limits, so that a damaged size costs little. No limit of time, because outcomes would depend on the
    /// machine.
    static let limits: ImageLimits = {
        var limits = ImageLimits()
        limits.maximumPixels = 1 << 18
        limits.maximumResultBytes = 4 << 20
        limits.maximumAnimationPixels = 1 << 20
        limits.maximumFrames = 64
        limits.maximumDecodingTime = nil
        return limits
    }()
}
