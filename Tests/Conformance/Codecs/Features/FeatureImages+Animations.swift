import FirnCodecs
import FirnImage
import FoundationEssentials

/// GIF, animated PNG and WebP.
extension FeatureImages {
    static let gif: [GeneratedImage] = {
        var files = [
            gif("gif-interlaced", [whole(\.isInterlaced, true)]), gif("gif-87a", [whole()]) { $0.isOld = true },
            gif("gif-palette", [whole(\.palette, [9, 8, 7, 60, 50, 40, 0, 200, 100, 1, 255, 3])]),
            gif("gif-transparent", [whole(\.transparent, 2)]),
            // A comment, a plain text, an application's block of two parts.
            gif("gif-extensions", [whole()]) {
                $0.extensions = [0x21, 0xFE, 2, 65, 66, 0, 0x21, 0x01, 12] + [UInt8](repeating: 0, count: 12)
                $0.extensions += [1, 67, 0, 0x21, 0xFF, 11] + Array("XMP DataXMP".utf8) + [1, 60, 2, 61, 62, 0]
            },
            gif("gif-loops-forever", [whole(\.delay, 4), whole(\.delay, 0)]) { $0.loops = 0 },
            gif("gif-plays-once", [whole(\.delay, 1), whole(\.delay, 300)]),
        ]
        for disposal in 0...3 {
            files.append(gif("gif-disposal-\(disposal)", [whole(\.disposal, 1)] + parts(disposal)) { $0.loops = 4 })
        }
        let two = GeneratedPixels.indices.flatMap { index -> [UInt8] in
            index % 2 == 0 ? [0, 0, 0, 255] : [255, 255, 255, 255]
        }
        for (name, pixels) in [("2", two), ("256", GeneratedPixels.gray)] {
            let encoder = GIFEncoder(dithering: .none)
            guard let data = try? encoder.encode(GeneratedPixels.bitmap(pixels)) else { continue }
            files.append(still("gif-colors-\(name)", .gif, data, pixels))
        }
        return files
    }()

    static let animatedPNG: [GeneratedImage] = {
        var files: [GeneratedImage] = []
        for disposal in 0...2 {
            for blends in [false, true] {
                let name = "apng-disposal-\(disposal)" + (blends ? "-over" : "-source")
                files.append(apng(name, [.init(width: 24, height: 16, pixels: slopes)] + parts(disposal, blends)))
            }
        }
        let frames = [HandmadeAPNG.Frame(width: 24, height: 16, pixels: slopes)] + parts(0, true)
        files.append(apng("apng-poster", frames) { $0.poster = GeneratedPixels.blocks() })
        files.append(apng("apng-pieces", frames) { $0.pieces = 5 })
        return files + kinds
    }()

    static let webp: [GeneratedImage] = {
        var files: [GeneratedImage] = []
        for clears in [false, true] {
            for blends in [false, true] {
                let frames = parts(clears ? 1 : 0, blends)
                let name = "webp-" + (clears ? "background" : "keep") + (blends ? "-over" : "-source")
                files.append(webp(name, [.init(width: 24, height: 16, pixels: slopes)] + frames))
            }
        }
        let clear = GeneratedPixels.slopes(alpha: true)
        if let data = try? WebPEncoder(quality: 1).encode(GeneratedPixels.bitmap(clear)) {
            files.append(still("webp-lossy-alpha", .webp, data, clear, tolerance: 5))
        }
        return files
    }()

    // MARK: GIF

    private static func whole() -> HandmadeGIF.Frame {
        .init(width: 24, height: 16, indices: GeneratedPixels.indices.map { $0 % 4 })
    }

    private static func whole<Value>(
        _ path: WritableKeyPath<HandmadeGIF.Frame, Value>, _ value: Value
    ) -> HandmadeGIF.Frame {
        var frame = whole()
        frame[keyPath: path] = value
        return frame
    }

    /// Three frames that cover parts of the canvas, with transparent pixels.
    private static func parts(_ disposal: Int) -> [HandmadeGIF.Frame] {
        let places: [(Int, Int, UInt8)] = [(2, 3, 1), (10, 6, 2), (8, 1, 3)]
        return places.enumerated().map { index, place in
            let indices = (0..<80).map { (at: Int) -> UInt8 in at % 3 == 0 ? 0 : place.2 }
            var frame = HandmadeGIF.Frame(width: 10, height: 8, indices: indices)
            (frame.left, frame.top) = (place.0, place.1)
            frame.transparent = 0
            frame.delay = 5 + index
            frame.disposal = index == 1 ? 1 : disposal
            return frame
        }
    }

    private static func gif(
        _ name: String, _ frames: [HandmadeGIF.Frame], _ change: (inout HandmadeGIF) -> Void = { _ in }
    ) -> GeneratedImage {
        var file = HandmadeGIF(width: 24, height: 16, frames: frames)
        change(&file)
        let drawn = frames.map { frame -> ReferenceAnimation.Frame in
            let palette = frame.palette.isEmpty ? file.palette : frame.palette
            var indices = frame.indices
            if frame.isInterlaced {
                let order = [(0, 8), (4, 8), (2, 4), (1, 2)].flatMap { stride(from: $0, to: frame.height, by: $1) }
                for (stored, row) in order.enumerated() {
                    for x in 0..<frame.width {
                        indices[row * frame.width + x] = frame.indices[stored * frame.width + x]
                    }
                }
            }
            let pixels = indices.flatMap { index -> [UInt8] in
                let at = Int(index) * 3
                return index == frame.transparent ? [0, 0, 0, 0] : palette[at..<at + 3] + [255]
            }
            return .init(
                left: frame.left, top: frame.top, width: frame.width, height: frame.height, pixels: pixels,
                disposal: frame.disposal, blends: true)
        }
        return animation(name, .gif, file.data, drawn, durations: frames.map { $0.delay * 10 }, loops: file.loops)
    }

    // MARK: PNG and WebP

    private static let slopes = GeneratedPixels.slopes(alpha: true)

    /// Three partly transparent frames, each of which covers a part of the canvas.
    private static func parts(_ disposal: Int, _ blends: Bool) -> [HandmadeAPNG.Frame] {
        let places: [(Int, Int)] = [(2, 4), (10, 6), (8, 0)]
        return places.enumerated().map { index, place -> HandmadeAPNG.Frame in
            let pixels = (0..<80).flatMap { at -> [UInt8] in
                let alpha: UInt8 = at % 4 == 0 ? 0 : UInt8(90 + at * 2)
                return [UInt8(at * 3), UInt8(index * 100), 200, alpha]
            }
            return .init(
                left: place.0, top: place.1, width: 10, height: 8, pixels: pixels,
                disposal: index == 1 ? 0 : disposal, blends: blends, delay: (index + 1, 20))
        }
    }

    private static func drawn(_ frames: [HandmadeAPNG.Frame]) -> [ReferenceAnimation.Frame] {
        frames.map {
            .init(
                left: $0.left, top: $0.top, width: $0.width, height: $0.height, pixels: $0.pixels,
                disposal: $0.disposal + 1, blends: $0.blends)
        }
    }

    private static func apng(
        _ name: String, _ frames: [HandmadeAPNG.Frame], _ change: (inout HandmadeAPNG) -> Void = { _ in }
    ) -> GeneratedImage {
        var file = HandmadeAPNG(width: 24, height: 16, frames: frames, loops: 5)
        change(&file)
        let durations = frames.map { $0.delay.0 * 1000 / $0.delay.1 }
        return animation(name, .apng, file.data, drawn(frames), durations: durations, loops: 5)
    }

    private static func webp(_ name: String, _ frames: [HandmadeAPNG.Frame]) -> GeneratedImage {
        let stored = frames.enumerated().map { index, frame in
            HandmadeWebP.Frame(
                left: frame.left, top: frame.top, width: frame.width, height: frame.height, pixels: frame.pixels,
                clears: frame.disposal == 1, blends: frame.blends, duration: 10 + index)
        }
        let file = HandmadeWebP(width: 24, height: 16, frames: stored, loops: 6)
        return animation(name, .webp, file.data, drawn(frames), durations: stored.map(\.duration), loops: 6)
    }

    /// Animated PNGs of other color types and depths, whose frames are whole images.
    private static let kinds: [GeneratedImage] = png.filter { image in
        ["png-gray-1", "png-palette-4", "png-gray-16", "png-rgb-8-interlaced", "png-transparent-2-16"]
            .contains(image.name)
    }.map { image in
        let data = GeneratedFiles.apng(files: [image.data, image.data], size: image.size, milliseconds: 30, loops: 0)
        return GeneratedImage("a" + image.name, .apng, data, [image.frames[0], image.frames[0]], size: image.size)
            .expecting {
                $0.durations = [30, 30]
                $0.loopCount = 0
            }
    }

    /// Returns an animation whose frames are composited in floating point. A still image has neither durations nor
    /// loops.
    private static func animation(
        _ name: String, _ format: ImageFormat, _ data: Data, _ frames: [ReferenceAnimation.Frame], durations: [Int],
        loops: Int?
    ) -> GeneratedImage {
        let reference = ReferenceAnimation(width: 24, height: 16, frames: frames)
        let images = frames.indices.map { reference.bytes($0, isStraight: true) }
        return GeneratedImage(name, format, data, images, size: GeneratedPixels.size).expecting {
            $0.durations = frames.count > 1 ? durations : nil
            $0.loopCount = loops
            $0.hasAlpha = images.contains { image in
                stride(from: 3, to: image.count, by: 4).contains { image[$0] < 255 }
            }
            // Canvases hold 8 bits, which count for more in straight colors where alpha is low.
            $0.tolerance = frames.count > 1 && format != .gif ? 1 : 0
        }
    }
}
