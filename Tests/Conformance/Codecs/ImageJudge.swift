import FirnCodecs
import FirnImage
import FoundationEssentials

/// Compares what we make of an image with what the manifest says.
struct ImageJudge {
    /// Formats whose frames the manifest counts as we do. Of icons it counts one image.
    private static let framed: Set = ["gif", "apng", "webp", "avif", "tiff", "heic", "jxl"]

    /// What the manifest says of pixels that can be compared with; about others its decoders disagree.
    private static let agreed: Set = ["exact", "close", "majority", "single"]

    let image: Corpus.Image
    /// Whether pixels are decoded too.
    let comparesPixels: Bool
    private var judgment = ImageJudgment()

    init(_ image: Corpus.Image, comparesPixels: Bool) {
        self.image = image
        self.comparesPixels = comparesPixels
    }

    /// Judges one image.
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

    // MARK: What the file says of itself

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
        compare("durations", "\(durations)", "\(ours)")
        if let loops = properties.loopCount { compare("loops", image["loop"], "\(loops)") }
    }

    private mutating func compare(_ what: String, _ expected: String, _ got: String) {
        guard !expected.isEmpty, expected != "-", !expected.hasPrefix("-x"), expected != got else { return }
        miss(what, expected, got)
        judgment.isDescribedRight = false
    }

    /// `50x3,?` as 50, 50, 50, 0.
    private static func durations(_ text: String) -> [Int] {
        guard text != "-", !text.isEmpty else { return [] }
        return text.split(separator: ",").flatMap { part -> [Int] in
            let halves = part.split(separator: "x")
            let value = halves.first.flatMap { Double($0) }.map { Int($0.rounded()) } ?? 0
            return [Int](repeating: value, count: halves.count > 1 ? Int(halves[1]) ?? 1 : 1)
        }
    }

    // MARK: Pixels

    /// Pixels as stored: neither turned nor converted, which the manifest's are not either.
    private static var stored: DecodingOptions {
        var options = DecodingOptions()
        options.pixelFormat = .rgba8Straight
        options.appliesOrientation = false
        options.appliesColorProfile = false
        // The manifest's first image of an animated PNG is the default image, frame or not.
        options.prefersDefaultImage = true
        return options
    }

    private mutating func comparePixels(_ session: any ImageDecodingSession) throws {
        guard ImageJudge.agreed.contains(image["pixels"]), let expected = QuarterColors(image["quads_stored"])
        else { return }
        var options = ImageJudge.stored
        // The manifest's decoders show the image that stands for the animation, where it is none of its frames.
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
        var hash = SHA256()
        for frame in try session.frames().indices {
            var options = ImageJudge.stored
            options.frame = frame
            ImageJudge.add(try session.decode(options), to: &hash)
        }
        let isSame = hash.digest() == image["frames_sha256"]
        judgment.hasSameFrames = isSame
        if !isSame { miss("frames' pixels", "\(image["frames_sha256"].prefix(12))…", "others") }
    }

    /// Adds an image of straight RGBA, with no color where it is transparent.
    private static func add(_ bitmap: Bitmap, to hash: inout SHA256) {
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

    /// The decoder of a file, by its beginning.
    static func decoder(_ data: Data) -> (any ImageDecoding)? {
        let head = Data(data.prefix(ImageFormat.sniffLength))
        return ImageDecoders.standard.first { $0.recognizes(head) != nil }
    }

    /// A session that has got the whole file.
    static func session(_ path: String) throws -> any ImageDecodingSession {
        let data = try Data(contentsOf: URL(filePath: path), options: .alwaysMapped)
        guard let decoder = decoder(data) else { throw UnknownFormat() }
        let session = decoder.makeSession(limits: ImageLimits(), cancellation: CancellationFlag())
        try session.append(data)
        session.finish()
        return session
    }
}
