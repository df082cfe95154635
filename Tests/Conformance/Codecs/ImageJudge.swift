import FirnCodecs
import FirnImage
import FirnDigest
import FirnReport
import FoundationEssentials

/// Compares our decode of an image with the manifest.
struct ImageJudge {
    /// Formats whose frames the manifest counts as we do. For icons it counts one image.
    private static let framed: Set = ["gif", "apng", "webp", "avif", "tiff", "heic", "jxl"]

    /// The manifest's values for pixels that are comparable; for others, its decoders disagree.
    private static let agreed: Set = ["exact", "close", "majority", "single"]

    let image: Corpus.Image
    /// True to decode and compare pixels.
    let comparesPixels: Bool
    private var judgment = ImageJudgment()

    init(_ image: Corpus.Image, comparesPixels: Bool) {
        self.image = image
        self.comparesPixels = comparesPixels
    }

    static func judge(_ image: Corpus.Image, comparesPixels: Bool) -> ImageJudgment {
        var judge = ImageJudge(image, comparesPixels: comparesPixels)
        judge.run()
        return judge.judgment
    }

    private mutating func run() {
        judgment.isExact = image["pixels"] == "exact" && image["rgba_sha256"].count == 64
        do {
            let session = try ImageJudge.session(image.path)
            guard let properties = try session.properties() else { return miss("reading", "an image", "no header") }
            describe(properties)
            if comparesPixels {
                try comparePixels(session)
                try compareFrames(session, properties)
            }
        } catch {
            miss("reading", "an image", "\(error)")
            judgment.isDescribedRight = false
            if comparesPixels { judgment.pixels = .different }
        }
    }

    private mutating func miss(_ what: String, _ expected: String, _ got: String) {
        judgment.misses.append(.init(file: image.name, what: what, expected: expected, got: got))
    }

    // MARK: Properties

    private mutating func describe(_ properties: ImageProperties) {
        compare("format", image["format"], properties.format.rawValue)
        compare("size", "\(image["width"])x\(image["height"])", "\(properties.size)")
        compare(
            "displayed size", "\(image["display_width"])x\(image["display_height"])", "\(properties.displaySize)")
        compare("orientation", image["orientation"], "\(properties.orientation.rawValue)")
        if ImageJudge.framed.contains(image["format"]) {
            compare("frames", image["frames"], "\(properties.frameCount)")
        }
        let durations = ImageJudge.durations(image["durations_ms"])
        guard durations.count > 1, let ours = properties.frameDurations else { return }
        compare("durations", "\(durations)", "\(ours.map { Int($0 / .milliseconds(1)) })")
        if let loops = properties.loopCount { compare("loops", image["loop"], "\(loops)") }
    }

    private mutating func compare(_ what: String, _ expected: String, _ got: String) {
        guard !expected.isEmpty, expected != "-", !expected.hasPrefix("-x"), expected != got else { return }
        miss(what, expected, got)
        judgment.isDescribedRight = false
    }

    /// Returns the durations in text such as `50x3,?`: 50, 50, 50, 0.
    private static func durations(_ text: String) -> [Int] {
        guard text != "-", !text.isEmpty else { return [] }
        return text.split(separator: ",").flatMap { part -> [Int] in
            let halves = part.split(separator: "x")
            let value = halves.first.flatMap { Double($0) }.map { Int($0.rounded()) } ?? 0
            return [Int](repeating: value, count: halves.count > 1 ? Int(halves[1]) ?? 1 : 1)
        }
    }

    // MARK: Pixels

    /// Decodes pixels as stored: neither oriented nor color-converted, like the manifest's pixels.
    private static var stored: DecodingOptions {
        var options = DecodingOptions()
        options.pixelFormat = .rgba8Straight
        options.appliesOrientation = false
        options.appliesColorProfile = false
        // For an animated PNG, the manifest's first image is the default image, even if it is not a frame.
        options.prefersDefaultImage = true
        return options
    }

    private mutating func comparePixels(_ session: any ImageDecodingSession) throws {
        guard ImageJudge.agreed.contains(image["pixels"]), let expected = QuarterColors(image["quads_stored"])
        else { return }
        var options = ImageJudge.stored
        // The manifest's decoders show the default image of an animation, even if it is not one of its frames.
        options.prefersDefaultImage = true
        let bitmap = try session.decode(options)
        if judgment.isExact, try bitmap.straightDigest() == image["rgba_sha256"] {
            judgment.pixels = .same
            return
        }
        let colors = QuarterColors(bitmap)
        let isClose = colors.isClose(to: expected)
        judgment.pixels = isClose ? .close : .different
        if judgment.isExact {
            miss("pixels", "\(image["rgba_sha256"].prefix(12))…", isClose ? "within tolerance" : colors.text)
        } else if !isClose {
            miss("colors", image["quads_stored"], colors.text)
        }
    }

    private mutating func compareFrames(_ session: any ImageDecodingSession, _ properties: ImageProperties) throws {
        guard image["frames_sha256"].count == 64, properties.frameDurations != nil else { return }
        let hash = SHA256()
        for frame in try session.frames().indices {
            var options = ImageJudge.stored
            options.frame = frame
            ImageJudge.add(try session.decode(options), to: hash)
        }
        let isSame = hash.digest() == image["frames_sha256"]
        judgment.hasSameFrames = isSame
        if !isSame { miss("frames' pixels", "\(image["frames_sha256"].prefix(12))…", "others") }
    }

    /// Adds an image of straight RGBA to a hash, with transparent pixels black.
    static func add(_ bitmap: Bitmap, to hash: SHA256) {
        var row = [UInt8](repeating: 0, count: bitmap.size.width * 4)
        bitmap.withUnsafeBytes { bytes in
            for y in 0..<bitmap.size.height {
                let start = y * bitmap.bytesPerRow
                row.withUnsafeMutableBytes { row in
                    row.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[start..<start + row.count]))
                    for alpha in stride(from: 3, to: row.count, by: 4) where row[alpha] == 0 {
                        for color in alpha - 3..<alpha { row[color] = 0 }
                    }
                    hash.update(UnsafeRawBufferPointer(row))
                }
            }
        }
    }

    // MARK: Files

    struct UnknownFormat: Error {}

    /// Returns the decoder that recognizes the first bytes of a file.
    static func decoder(_ data: Data) -> (any ImageDecoding)? {
        let head = Data(data.prefix(ImageFormat.sniffLength))
        return ImageDecoders.standard.first { $0.recognizes(head) != nil }
    }

    /// Returns a session that has received the whole file.
    static func session(_ path: String) throws -> any ImageDecodingSession {
        let data = try Data(contentsOf: URL(filePath: path), options: .alwaysMapped)
        guard let decoder = decoder(data) else { throw UnknownFormat() }
        let session = decoder.makeSession(limits: ImageLimits(), cancellation: CancellationFlag())
        try session.append(data)
        session.finish()
        return session
    }
}
