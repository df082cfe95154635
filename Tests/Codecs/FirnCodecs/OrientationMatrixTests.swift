import Firn
import FirnCodecs
import FirnImage
import FirnPipeline
import FirnProcessing
import FirnTesting
import FoundationEssentials
import Testing

/// F16: tests that each of EXIF's eight orientations is applied exactly once in every kind of decode.
///
/// The stored image is six blocks of one color each, in two rows: a b c / d e f.
@Suite struct OrientationMatrixTests {
    private static let block = 16
    private static let stored = ["abc", "def"]
    private static let second = ["fed", "cba"]
    /// The displayed order of the blocks of ``stored``, by the number of the orientation.
    private static let shown: [Int: [String]] = [
        1: ["abc", "def"], 2: ["cba", "fed"], 3: ["fed", "cba"], 4: ["def", "abc"],
        5: ["ad", "be", "cf"], 6: ["da", "eb", "fc"], 7: ["fc", "eb", "da"], 8: ["cf", "be", "ad"],
    ]
    private static let colors: [Character: [UInt8]] = [
        "a": [255, 0, 0], "b": [0, 255, 0], "c": [0, 0, 255], "d": [255, 255, 0], "e": [0, 255, 255],
        "f": [255, 0, 255],
    ]

    // MARK: Files

    /// Returns RGBA pixels of blocks, each of `side` pixels.
    private static func pixels(_ labels: [String], side: Int = block) -> [[UInt8]] {
        labels.flatMap { row -> [[UInt8]] in
            let pixels = row.flatMap { label -> [UInt8] in
                let pixel: [UInt8] = (colors[label] ?? []) + [255]
                return [[UInt8]](repeating: pixel, count: side).flatMap { $0 }
            }
            return [[UInt8]](repeating: pixels, count: side)
        }
    }

    private static func bitmap(side: Int = block) throws -> Bitmap {
        let rows = pixels(stored, side: side)
        return try Bitmap(size: PixelSize(width: 3 * side, height: 2 * side), format: .rgba8Straight, isOpaque: true) {
            for (y, row) in rows.enumerated() { $0.row(y).copyMemory(from: row, byteCount: row.count) }
        }
    }

    private static let size = PixelSize(width: 3 * block, height: 2 * block)

    private static func png(_ orientation: Int) -> Data {
        var png = HandmadePNG(width: size.width, height: size.height, colorType: 6, rows: pixels(stored))
        png.before = [("eXIf", Array(EXIFSegments.data(orientation)))]
        return png.data
    }

    private static func jpeg(_ orientation: Int, progressive: Bool = false, thumbnail: Data? = nil) throws -> Data {
        let file = try JPEGEncoder(quality: 0.95, progressive: progressive, chroma: .full).encode(bitmap())
        return JPEGImages.inserting([EXIFSegments.segment(orientation, thumbnail: thumbnail)], into: file)
    }

    /// The RGBA pixels of an animation of two frames.
    private static let frames: [[UInt8]] = [stored, second].map { pixels($0).flatMap { $0 } }

    private static func webp(_ orientation: Int, isStill: Bool = false) -> Data {
        HandmadeWebP(
            width: size.width, height: size.height,
            frames: frames.map { HandmadeWebP.Frame(width: size.width, height: size.height, pixels: $0) },
            isStill: isStill, behind: [("EXIF", Array(EXIFSegments.data(orientation)))]
        ).data
    }

    private static func apng(_ orientation: Int) -> Data {
        HandmadeAPNG(
            width: size.width, height: size.height,
            frames: frames.map { HandmadeAPNG.Frame(width: size.width, height: size.height, pixels: $0) },
            before: [("eXIf", Array(EXIFSegments.data(orientation)))]
        ).data
    }

    /// Returns one still image for each way of storing an orientation.
    private static func stills(_ orientation: Int) throws -> [(name: String, data: Data)] {
        var files = try [
            ("PNG", png(orientation)), ("JPEG", jpeg(orientation)),
            ("progressive JPEG", jpeg(orientation, progressive: true)), ("WebP", webp(orientation, isStill: true)),
        ]
        #if TIFF
        let samples = pixels(stored).flatMap { $0 }
        let page = HandmadeTIFF.Page(
            width: size.width, height: size.height, photometric: 2, bits: [8, 8, 8, 8], pieces: [samples],
            more: [(274, [orientation]), (338, [2])])
        files.append(("TIFF", HandmadeTIFF(page).data))
        #endif
        #if AVIF
        files.append(("AVIF", try HandmadeAVIF.data(bitmap(), orientation: orientation)))
        #endif
        #if JPEGXL
        files.append(("JPEG XL", try OrientedJXL.data([bitmap()], orientation: orientation)))
        #endif
        return files
    }

    /// Returns one animation of two frames for each format that stores an orientation.
    private static func animations(_ orientation: Int) throws -> [(name: String, data: Data)] {
        var files = [("WebP", webp(orientation)), ("PNG", apng(orientation))]
        #if JPEGXL
        let second = try bitmap().oriented(.down)
        files.append(("JPEG XL", try OrientedJXL.data([bitmap(), second], orientation: orientation)))
        #endif
        return files
    }

    // MARK: Displayed blocks

    /// Returns the labels of an image of blocks, by the colors in the middle of each block.
    private static func labels(_ bitmap: Bitmap, columns: Int, rows: Int) throws -> [String] {
        let straight = try bitmap.converted(to: .rgba8Straight)
        return straight.withUnsafeBytes { bytes in
            (0..<rows).map { row in
                String(
                    (0..<columns).map { column -> Character in
                        let x = (2 * column + 1) * straight.size.width / (2 * columns)
                        let y = (2 * row + 1) * straight.size.height / (2 * rows)
                        let at = y * straight.bytesPerRow + x * 4
                        let seen = bytes[at..<at + 3].map { $0 > 128 ? 255 : 0 as UInt8 }
                        return colors.first { $0.value == seen }?.key ?? "?"
                    })
            }
        }
    }

    private static func expect(
        _ bitmap: Bitmap, _ expected: [String], _ note: String, at place: SourceLocation = #_sourceLocation
    ) throws {
        let found = try labels(bitmap, columns: expected[0].count, rows: expected.count)
        #expect(found == expected, "\(note)", sourceLocation: place)
        let isUpright = expected[0].count == 3
        #expect((bitmap.size.width > bitmap.size.height) == isUpright, "\(note)", sourceLocation: place)
    }

    private static func target(_ width: Int, _ height: Int) -> TargetSize {
        TargetSize(width: width, height: height)
    }

    // MARK: The matrix

    @Test(arguments: 1...8)
    func `a whole image is rotated once (F16)`(orientation: Int) throws {
        let expected = try #require(OrientationMatrixTests.shown[orientation])
        for (name, file) in try OrientationMatrixTests.stills(orientation) {
            let session = try session(file)
            try OrientationMatrixTests.expect(session.decode(DecodingOptions()), expected, "\(name), whole")
            // libjxl rotates by itself, as its format demands.
            guard name != "JPEG XL" else { continue }
            #expect(try session.properties()?.orientation.rawValue == orientation, "\(name)")
            var stored = DecodingOptions()
            stored.appliesOrientation = false
            try OrientationMatrixTests.expect(
                session.decode(stored), OrientationMatrixTests.stored, "\(name), as stored")
        }
    }

    @Test(arguments: 1...8)
    func `an image decoded at a smaller size is rotated once (F16)`(orientation: Int) async throws {
        let expected = try #require(OrientationMatrixTests.shown[orientation])
        let transposes = expected.count == 3
        for (name, file) in try OrientationMatrixTests.stills(orientation) {
            for side in [24, 12, 6] {
                let bitmap = try await OrientationMatrixTests.load(
                    file, target: OrientationMatrixTests.target(side, side))
                let other = side * 2 / 3
                #expect(
                    bitmap.size == PixelSize(width: transposes ? other : side, height: transposes ? side : other),
                    "\(name), \(side) pixels")
                try OrientationMatrixTests.expect(bitmap, expected, "\(name), \(side) pixels")
            }
        }
    }

    @Test(arguments: 1...8)
    func `an image is cropped in its displayed orientation (F16)`(orientation: Int) async throws {
        let expected = try #require(OrientationMatrixTests.shown[orientation])
        let block = OrientationMatrixTests.block
        for (name, file) in try OrientationMatrixTests.stills(orientation) {
            for (row, labels) in expected.enumerated() {
                for (column, label) in labels.enumerated() {
                    let crop = ImageProcessors.Crop(
                        x: column * block, y: row * block, width: block, height: block)
                    let bitmap = try await OrientationMatrixTests.load(file, processors: [crop])
                    #expect(bitmap.size == PixelSize(width: block, height: block))
                    #expect(
                        try OrientationMatrixTests.labels(bitmap, columns: 1, rows: 1) == [String(label)], "\(name)")
                }
            }
        }
    }

    @Test(arguments: 1...8)
    func `an embedded thumbnail is rotated like its image (F16)`(orientation: Int) throws {
        let expected = try #require(OrientationMatrixTests.shown[orientation])
        // The thumbnail has the image's colors exchanged, so that the test sees which of the two was used.
        let thumbnail = try JPEGEncoder(quality: 0.95, chroma: .full).encode(
            OrientationMatrixTests.bitmap(side: 8).oriented(.down))
        let file = try OrientationMatrixTests.jpeg(orientation, thumbnail: thumbnail)
        var options = DecodingOptions()
        options.targetSize = OrientationMatrixTests.target(24, 24)
        options.allowsEmbeddedPreview = true
        let turned = expected.reversed().map { String($0.reversed()) }
        try OrientationMatrixTests.expect(session(file).decode(options), turned, "thumbnail")
        options.allowsEmbeddedPreview = false
        try OrientationMatrixTests.expect(session(file).decode(options), expected, "image")
    }

    @Test(arguments: 1...8)
    func `every frame of an animation is rotated once (F16)`(orientation: Int) throws {
        let expected = try #require(OrientationMatrixTests.shown[orientation])
        let turned = expected.reversed().map { String($0.reversed()) }
        for (name, file) in try OrientationMatrixTests.animations(orientation) {
            let decoder = ImageDecoder()
            try decoder.append(file)
            decoder.finish()
            for (index, labels) in [expected, turned].enumerated() {
                for target in [nil, OrientationMatrixTests.target(24, 24)] {
                    var options = DecodingOptions()
                    options.targetSize = target
                    let frame = try decoder.frame(at: index, options: options)
                    try OrientationMatrixTests.expect(frame.image(), labels, "\(name), frame \(index)")
                    #expect((frame.displaySize.width > frame.displaySize.height) == (labels[0].count == 3))
                }
            }
        }
    }

    #if HEIC
    /// The file's image is of another encoder, so that its pixels are compared with those without an orientation.
    @Test(arguments: 1...8)
    func `the container of HEIC rotates once (F16)`(orientation: Int) throws {
        let turns: [UInt8?] = [nil, 2, 2, nil, 1, 3, 3, 1]
        var file = HandmadeHEIC(columns: 1, rows: 1, width: 64, height: 48)
        let plain = try session(file.data).decode(DecodingOptions())
        file.turns = turns[orientation - 1]
        file.isMirrored = [2, 4, 5, 7].contains(orientation)
        let turned = try session(file.data).decode(DecodingOptions())
        let expected = try plain.oriented(#require(ImageOrientation(rawValue: orientation)))
        #expect(turned.size == expected.size && packed(turned) == packed(expected))
    }
    #endif

    /// Loads a file through its own pipeline.
    private static func load(
        _ file: Data, processors: [any ImageProcessing] = [], target: TargetSize? = nil
    ) async throws -> Bitmap {
        let pipeline = ImagePipeline(
            configuration: ImagePipeline.Configuration(dataLoader: ScriptedLoader(), decoders: ImageDecoders.standard))
        return try await pipeline.image(
            for: ImageRequest(id: "image", data: file, processors: processors, targetSize: target))
    }
}
