import FirnCodecs
import FirnImage
import FoundationEssentials

/// One or more files of every format, small enough to be decoded whole in a debug build.
///
/// It stands in for the corpus on machines without it: no other decoder has judged these files, but every pixel of them
/// is known.
enum GeneratedImages {
    private static let size = GeneratedPixels.size
    /// The duration of each frame in milliseconds, and the stored number of repetitions.
    private static let (duration, loops) = (70, 3)

    /// All files, except those that this build cannot encode.
    static let all: [GeneratedImage] = (try? stills() + animations() + leftOut()) ?? []

    private static func still(
        _ name: String, _ format: ImageFormat, _ encoder: any ImageEncoding, _ pixels: [UInt8], tolerance: Double = 0
    ) throws -> GeneratedImage {
        let data = try encoder.encode(GeneratedPixels.bitmap(pixels))
        return plain(name, format, data, pixels).expecting { $0.tolerance = tolerance }
    }

    private static func plain(
        _ name: String, _ format: ImageFormat, _ data: Data, _ pixels: [UInt8]
    ) -> GeneratedImage {
        GeneratedImage(name, format, data, [pixels], size: size).expecting {
            $0.hasAlpha = stride(from: 3, to: pixels.count, by: 4).contains { pixels[$0] < 255 }
        }
    }

    private static func stills() throws -> [GeneratedImage] {
        let slopes = GeneratedPixels.slopes()
        let clear = GeneratedPixels.slopes(alpha: true)
        return try [
            still("png-rgb", .png, PNGEncoder(), slopes), still("png-rgba", .png, PNGEncoder(), clear),
            still("png-gray", .png, PNGEncoder(), GeneratedPixels.gray),
            still("png-palette", .png, PNGEncoder(), GeneratedPixels.blocks(transparent: true)),
            still("jpeg-baseline", .jpeg, JPEGEncoder(quality: 0.98, chroma: .full), slopes, tolerance: 1.5),
            still(
                "jpeg-progressive", .jpeg, JPEGEncoder(quality: 0.98, progressive: true, chroma: .full), slopes,
                tolerance: 1.5),
            still("jpeg-quarter", .jpeg, JPEGEncoder(quality: 0.98, chroma: .quarter), slopes, tolerance: 3),
            still("webp-lossless", .webp, WebPEncoder(lossless: true), clear),
            still("webp-lossy", .webp, WebPEncoder(quality: 1), slopes, tolerance: 4),
            still("gif", .gif, GIFEncoder(dithering: .none), GeneratedPixels.blocks(transparent: true)),
            plain("bmp", .bmp, GeneratedFiles.bmp(slopes), slopes),
            plain("ico", .ico, GeneratedFiles.ico(clear), clear),
            plain("qoi", .qoi, GeneratedFiles.qoi(clear), clear),
        ]
    }

    private static func animations() throws -> [GeneratedImage] {
        let frames = [GeneratedPixels.blocks(), GeneratedPixels.plain([0, 0, 255, 255]), GeneratedPixels.blocks()]
        return try [
            animation("gif-animated", .gif, encoded(frames, GIFEncoder(dithering: .none)), frames),
            animation("webp-animated", .webp, encoded(frames, WebPEncoder(lossless: true)), frames),
            animation("apng", .apng, GeneratedFiles.apng(frames, milliseconds: duration, loops: loops), frames),
        ]
    }

    private static func encoded(_ frames: [[UInt8]], _ encoder: any AnimationEncoding) throws -> Data {
        // GIF stores the number of plays after the first one.
        let plays = RepetitionCount.plays(encoder.format == .gif ? loops + 1 : loops)
        let session = try encoder.makeAnimation(size: size, repetitions: plays)
        for frame in frames { try session.append(GeneratedPixels.bitmap(frame), duration: .milliseconds(duration)) }
        return try session.finish()
    }

    private static func animation(
        _ name: String, _ format: ImageFormat, _ data: Data, _ frames: [[UInt8]]
    ) -> GeneratedImage {
        GeneratedImage(name, format, data, frames, size: size).expecting {
            $0.durations = [Int](repeating: duration, count: frames.count)
            $0.loopCount = loops
        }
    }

    // MARK: Formats that a build may leave out

    private static func leftOut() throws -> [GeneratedImage] {
        let slopes = GeneratedPixels.slopes()
        let frames = [GeneratedPixels.blocks(), GeneratedPixels.plain([0, 0, 255, 255])]
        var files = [
            GeneratedImage("tiff", .tiff, GeneratedFiles.tiff(frames, orientation: 3), frames, size: size).expecting {
                $0.orientation = .down
            },
            plain("svg", .svg, GeneratedFiles.svg, svgPixels), heic,
        ]
        // Their encoders are in the build together with their decoders.
        let clear = GeneratedPixels.slopes(alpha: true)
        for make in [
            { try still("jxl", .jxl, JXLEncoder(lossless: true), clear) },
            { try still("avif-lossless", .avif, AVIFEncoder(lossless: true), clear) },
            { try still("avif", .avif, AVIFEncoder(quality: 0.9), slopes, tolerance: 4) },
            { try animation("jxl-animated", .jxl, encoded(frames, JXLEncoder(lossless: true)), frames) },
        ] as [() throws -> GeneratedImage] {
            if let file = try? make() { files.append(file) }
        }
        return files
    }

    /// The blocks of the SVG; the last block is not drawn.
    private static let svgPixels = GeneratedPixels.blocks(transparent: true)

    /// Slopes, encoded with loss by libheif and x265, and a second image that is as high and 16 pixels wide.
    private static let heic = GeneratedImage(
        "heic", .heic, ModernSamples.twoHEIC, [GeneratedPixels.slopes()], size: size
    ).expecting { $0.tolerance = 6 }
}
