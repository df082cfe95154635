import CFirnCodecs
import FoundationEssentials

/// Reads WebP: walks over the chunks as they arrive, and passes libwebp the chunks of one image.
///
/// libwebp scales a still while it decodes it; frames of an animation are decoded at their stored size.
///
/// Invariant: every chunk before `offset` was parsed. A chunk is parsed only once its describing bytes have arrived, so
/// any split of the file gives the same result. `frameEnd` is the end of the frame whose chunks are being read.
///
/// - Source: RFC 9649 §2.
final class WebPReader: FileReader, FormatReader {
    let format = ImageFormat.webp
    /// The size that the VP8X chunk declares.
    private var canvas: PixelSize?
    private var isAnimated = false
    /// The images of the frames.
    private var images: [WebPImage] = []
    /// The frame being read, until its image is found.
    private var pending: StoredFrame?
    private var framesSeen = 0
    private var framePixels = 0
    /// True if a frame had no image, which hides all later ones.
    private var isBroken = false
    private var loopCount: Int?
    private var profile: Data?
    private var exif: Data?
    private var xmp: Data?
    /// True if the walk has ended.
    private var isEnded = false
    private var offset = 0
    private var end = 0
    private var frameEnd: Int?
    private var alpha: Range<Int>?
    /// True if the VP8X chunk declares that no pixel is transparent. It takes precedence over the images.
    private var isDeclaredOpaque = false

    var decodesAreas: Bool { true }

    func scan(_ chain: inout ByteChain) throws(ImageError) {
        guard !isEndSeen else { return }
        isEndSeen = chain.isFinished
        if offset == 0 {
            guard let riff = chain.code(at: 0), let length = chain.little(4, 4), let webp = chain.code(at: 8) else {
                return try chain.waiting(else: "the data is cut short")
            }
            guard riff == "RIFF", webp == "WEBP" else { throw .data("no WebP signature") }
            offset = 12
            end = length + 8
        }
        while !isEnded, try step(chain) { try chain.watch.step() }
        for index in frames.indices.reversed() {
            if frames[index].isComplete { break }
            frames[index].isComplete = images[index].end <= chain.count
        }
        if properties != nil {
            describe()
        } else if chain.isFinished || isEnded {
            throw .data(isAnimated ? "holds no whole frame" : "is damaged or cut short before its pixels")
        }
    }

    /// Adds the metadata found so far.
    private func describe() {
        if isAnimated { properties?.loopCount = loopCount }
        if properties?.colorProfile == nil {
            properties?.colorProfile = profile.flatMap { ColorProfile(icc: $0) }
        }
        if properties?.xmp == nil { properties?.xmp = xmp }
        guard properties?.exif == nil, let exif else { return }
        let data = exif.withoutEXIFName
        properties?.exif = data
        let directories = EXIFDirectories(data)
        properties?.orientation = directories?.orientation ?? .up
        properties?.resolution = directories?.resolution
    }

    /// Reads the next chunk.
    ///
    /// - Returns: whether enough of it has arrived.
    private func step(_ chain: ByteChain) throws(ImageError) -> Bool {
        if let frameEnd, offset + 8 > frameEnd {
            offset = frameEnd
            self.frameEnd = nil
            alpha = nil
        }
        guard offset + 8 <= end else { return stop() }
        guard let type = chain.code(at: offset), let length = chain.little(offset + 4, 4) else { return false }
        let content = offset + 8
        if let frameEnd, content + length > frameEnd { return stop() }
        let next = content + length + length & 1
        switch type {
        case "VP8X":
            guard let header = chain.bytes(at: content, count: 10), length >= 10 else { return length < 10 && stop() }
            try takeHeader([UInt8](header))
        case "ANIM":
            guard length >= 6 else { break }
            guard let loops = chain.little(content + 4, 2) else { return false }
            loopCount = loopCount ?? loops
        case "ANMF" where isAnimated && frameEnd == nil:
            guard length >= 16 else { return stop() }
            guard let header = chain.bytes(at: content, count: 16) else { return false }
            guard try takeFrame([UInt8](header)) else { return stop() }
            frameEnd = next
            alpha = nil
            offset = content + 16
            return true
        case "ALPH": alpha = offset..<next
        case "VP8 ", "VP8L":
            // The image of the still, or of the latest frame, is read once.
            guard isAnimated ? frameEnd != nil && pending != nil : frames.isEmpty else { break }
            let isLossless = type == "VP8L"
            let needed = isLossless ? 5 : 10
            guard length >= needed else { return stop() }
            guard let head = chain.bytes(at: content, count: needed) else { return false }
            let image = WebPImage(
                [UInt8](head), pixels: offset..<content + length, isLossless: isLossless, alpha: alpha,
                isDeclaredOpaque: isDeclaredOpaque)
            guard let image else { return stop() }
            try add(image)
        case "ICCP", "EXIF", "XMP ":
            guard let bytes = chain.bytes(at: content, count: length) else { return false }
            take(type, bytes)
        default: break
        }
        offset = next
        return true
    }

    private func stop() -> Bool {
        isEnded = true
        return false
    }

    private func takeHeader(_ header: [UInt8]) throws(ImageError) {
        guard canvas == nil, frames.isEmpty else { return }
        let size = PixelSize(width: header.little(4, 3) + 1, height: header.little(7, 3) + 1)
        try limits.check(size)
        canvas = size
        isAnimated = header[0] & 0x02 != 0
        isDeclaredOpaque = header[0] & 0x10 == 0
    }

    /// Starts a frame.
    ///
    /// - Returns: whether the frame is within the limits.
    private func takeFrame(_ header: [UInt8]) throws(ImageError) -> Bool {
        guard framesSeen < limits.maximumFrames else { throw limits.tooManyFrames }
        let size = PixelSize(width: header.little(6, 3) + 1, height: header.little(9, 3) + 1)
        // Sides have 24 bits and the number of frames is limited, so the sum cannot overflow.
        framePixels += size.area
        guard framePixels <= limits.maximumAnimationPixels || framesSeen == 0 else { return false }
        framesSeen += 1
        isBroken = isBroken || pending != nil
        pending = StoredFrame(
            x: header.little(0, 3) * 2, y: header.little(3, 3) * 2, size: size, duration: header.little(12, 3),
            disposal: header[15] & 0x01 == 0 ? .keep : .background, blends: header[15] & 0x02 == 0)
        return true
    }

    /// Adds a frame, or the still, whose image was found.
    private func add(_ image: WebPImage) throws(ImageError) {
        if !isAnimated {
            try limits.check(image.size)
            if let canvas, canvas != image.size {
                throw .data("its image of \(image.size) pixels is not as large as its canvas of \(canvas)")
            }
        }
        var frame = pending ?? StoredFrame(size: image.size)
        pending = nil
        guard !isBroken else { return }
        frame.hasAlpha = image.hasAlpha
        if frames.isEmpty {
            let canvas = canvas ?? image.size
            var described = ImageProperties(format: .webp, size: canvas)
            described.colorSpace = image.isLossless ? "rgb" : "ycbcr"
            described.hasAlpha = !isAnimated && image.hasAlpha
            if isAnimated {
                described.frameDurations = []
                order = FrameOrder(canvas: canvas)
            }
            properties = described
        }
        images.append(image)
        append(frame)
    }

    private func take(_ type: FourCharacterCode, _ bytes: Data) {
        switch type {
        case "ICCP": if profile == nil, bytes.count <= limits.maximumProfileBytes { profile = bytes }
        case "EXIF": exif = exif ?? bytes
        default: xmp = xmp ?? bytes
        }
    }

    // MARK: Pixels

    func workingBytes(for request: RowRequest) -> Int {
        guard let image = image(request.frame) else { return 0 }
        // Lossless decoding holds all pixels and the transforms; lossy decoding holds some rows and the alpha plane.
        // Compressed bytes are held twice more. Sides have 14 bits.
        let pixels = image.size.area
        let part = request.area.map {
            AreaRowSource.workingBytes(rows: $0.withMargin, request.layout, isWhole: true)
        }
        return (part ?? 0) + (256 << 10) + image.size.width * 64 + image.pixels.count * 2
            + (image.isLossless ? pixels * 4 : image.hasAlpha ? pixels * 5 : 0)
    }

    func rowSize(for request: RowRequest) -> PixelSize {
        guard let frame = frame(request.frame) else { return PixelSize(0) }
        let size = request.area?.size ?? frame.size
        // libwebp scales parts only if they begin at even pixels.
        let isScaled = request.area.map { $0.x % 2 == 0 && $0.y % 2 == 0 } ?? true
        return isAnimated || !isScaled ? size : request.least ?? size
    }

    func openFrame(_ request: RowRequest, _ chain: ByteChain) throws(ImageError) -> (any RowSource)? {
        guard let image = image(request.frame), let frame = frame(request.frame) else { return nil }
        guard image.size == frame.size else {
            throw .data("frame \(request.frame) has \(image.size) pixels and declares \(frame.size)")
        }
        let decoder = try LibraryDecoder(host.open(FIRN_CODEC_WEBP, limits), reading: image.stream)
        guard let output = try decoder.start(request, isOpaque: !image.hasAlpha, chain) else { return nil }
        let least = request.allowsPartial ? 0 : image.end
        return try LibraryRowSource(decoder, output, layout: request.layout, end: image.end, least: least)
            .part(output.area, limits)
    }

    private func image(_ index: Int) -> WebPImage? { images.indices.contains(index) ? images[index] : nil }
}

/// The chunks of one image of a WebP file: of a still, or of a frame.
///
/// - Source: RFC 9649 §2.5, §2.6, §2.7.1.2; RFC 6386 §9.1 (the lossy header); RFC 9649 §3.4 (the lossless one).
struct WebPImage {
    /// The range of the alpha chunk, including its header, if there is one.
    let alpha: Range<Int>?
    /// The range of the pixel chunk, including its header.
    let pixels: Range<Int>
    let isLossless: Bool
    let size: PixelSize
    let hasAlpha: Bool

    /// The first byte after the image.
    var end: Int { pixels.upperBound }

    /// The stream for the decoder.
    var stream: ByteStream {
        // A padding byte follows a chunk of odd length; ALPH's range includes it.
        ByteStream(parts: [alpha, pixels].compactMap { $0.map(ByteStream.Part.file) }, isComplete: true)
    }

    /// Reads the head of a pixel chunk; `nil` if it is damaged.
    ///
    /// - Parameters:
    ///   - head: the first bytes of the content: 5 if it is lossless, otherwise 10.
    ///   - isDeclaredOpaque: whether the file declares that alpha is to be ignored.
    init?(_ head: [UInt8], pixels: Range<Int>, isLossless: Bool, alpha: Range<Int>?, isDeclaredOpaque: Bool) {
        self.pixels = pixels
        self.isLossless = isLossless
        self.alpha = isDeclaredOpaque || isLossless ? nil : alpha
        if isLossless {
            let bits = head.little(1, 4)
            guard head[0] == 0x2F else { return nil }
            size = PixelSize(width: bits & 0x3FFF + 1, height: bits >> 14 & 0x3FFF + 1)
            hasAlpha = bits >> 28 & 1 == 1 && !isDeclaredOpaque
        } else {
            // A key frame, and its start code.
            guard head[0] & 1 == 0, head[3...5].elementsEqual([0x9D, 0x01, 0x2A]) else { return nil }
            size = PixelSize(width: head.little(6, 2) & 0x3FFF, height: head.little(8, 2) & 0x3FFF)
            hasAlpha = self.alpha != nil
        }
    }
}
