import FirnCodecs
import FirnImage
import FoundationEssentials

/// Compares what we make of a picture with what the manifest says.
struct PictureJudge {
    /// Formats whose frames the manifest counts as we do. Of icons it counts one picture.
    private static let framed: Set = ["gif", "apng", "webp", "avif", "tiff", "heic", "jxl"]

    /// What the manifest says of pixels that can be compared with; about others its decoders disagree.
    private static let agreed: Set = ["exact", "close", "majority", "single"]

    let picture: Corpus.Picture
    /// Whether pixels are decoded too.
    let comparesPixels: Bool
    private var judgement = PictureJudgement()

    init(_ picture: Corpus.Picture, comparesPixels: Bool) {
        self.picture = picture
        self.comparesPixels = comparesPixels
    }

    /// Judges one picture.
    static func judge(_ picture: Corpus.Picture, comparesPixels: Bool) -> PictureJudgement {
        var judge = PictureJudge(picture, comparesPixels: comparesPixels)
        judge.run()
        return judge.judgement
    }

    private mutating func run() {
        judgement.isExact = picture["pixels"] == "exact" && picture["rgba_sha256"].count == 64
        do {
            let session = try PictureJudge.session(picture.path)
            guard let properties = try session.properties() else { return miss("reading", "a picture", "no header") }
            describe(properties)
            if comparesPixels {
                try comparePixels(session)
                try compareFrames(session, properties)
            }
        } catch {
            miss("reading", "a picture", "\(error)")
            judgement.isDescribedRight = false
            if comparesPixels { judgement.pixels = .different }
        }
    }

    private mutating func miss(_ what: String, _ expected: String, _ got: String) {
        judgement.misses.append(.init(file: picture.name, what: what, expected: expected, got: got))
    }

    // MARK: What the file says of itself

    private mutating func describe(_ properties: ImageProperties) {
        compare("format", picture["format"], properties.format.rawValue)
        compare("size", "\(picture["width"])x\(picture["height"])", "\(properties.size)")
        compare(
            "displayed size", "\(picture["display_width"])x\(picture["display_height"])", "\(properties.displaySize)")
        compare("orientation", picture["orientation"], "\(properties.orientation.rawValue)")
        if PictureJudge.framed.contains(picture["format"]) {
            compare("frames", picture["frames"], "\(properties.frameCount)")
        }
        let durations = PictureJudge.durations(picture["durations_ms"])
        guard durations.count > 1, let ours = properties.frameDurations else { return }
        compare("durations", "\(durations)", "\(ours)")
        if let loops = properties.loopCount { compare("loops", picture["loop"], "\(loops)") }
    }

    private mutating func compare(_ what: String, _ expected: String, _ got: String) {
        guard !expected.isEmpty, expected != "-", !expected.hasPrefix("-x"), expected != got else { return }
        miss(what, expected, got)
        judgement.isDescribedRight = false
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
        // The manifest's first picture of an animated PNG is the default image, frame or not.
        options.prefersDefaultImage = true
        return options
    }

    private mutating func comparePixels(_ session: any ImageDecodingSession) throws {
        guard PictureJudge.agreed.contains(picture["pixels"]), let expected = QuarterColors(picture["quads_stored"])
        else { return }
        var options = PictureJudge.stored
        // The manifest's decoders show the picture that stands for the animation, where it is none of its frames.
        options.prefersDefaultImage = true
        let bitmap = try session.decode(options)
        if judgement.isExact, try bitmap.straightDigest() == picture["rgba_sha256"] {
            judgement.pixels = .same
            return
        }
        let colors = QuarterColors(bitmap)
        let isClose = colors.isClose(to: expected)
        judgement.pixels = isClose ? .close : .different
        if judgement.isExact {
            miss("pixels", "\(picture["rgba_sha256"].prefix(12))…", isClose ? "within tolerance" : colors.text)
        } else if !isClose {
            miss("colours", picture["quads_stored"], colors.text)
        }
    }

    private mutating func compareFrames(_ session: any ImageDecodingSession, _ properties: ImageProperties) throws {
        guard picture["frames_sha256"].count == 64, properties.frameDurations != nil else { return }
        var hash = SHA256()
        for frame in try session.frames().indices {
            var options = PictureJudge.stored
            options.frame = frame
            PictureJudge.add(try session.decode(options), to: &hash)
        }
        let isSame = hash.digest() == picture["frames_sha256"]
        judgement.hasSameFrames = isSame
        if !isSame { miss("frames' pixels", "\(picture["frames_sha256"].prefix(12))…", "others") }
    }

    /// Adds a picture of straight RGBA, with no colour where it is transparent.
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
        return ImageDecoders.standard.first { $0.recognises(head) != nil }
    }

    /// A session that has got the whole file.
    static func session(_ path: String) throws -> any ImageDecodingSession {
        let data = try Data(contentsOf: URL(filePath: path), options: .alwaysMapped)
        guard let decoder = decoder(data) else { throw UnknownFormat() }
        let session = decoder.makeSession(limits: DecodingLimits(), cancellation: CancellationFlag())
        try session.append(data)
        session.finish()
        return session
    }
}
