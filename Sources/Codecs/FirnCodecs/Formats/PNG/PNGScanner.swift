import FirnSync
import FoundationEssentials

/// Walks over the chunks of a PNG as its bytes arrive, without decoding pixels.
///
/// Invariant: every chunk before `offset` was parsed. A relevant chunk is parsed only once it is complete, any other is
/// skipped by its header, so any split of the file gives the same result. If the file ends in the middle of a chunk,
/// that chunk is ignored unless it holds pixels.
///
/// - Source: PNG (third edition) §5.3, §5.6, and §11.3.6 for animations.
struct PNGScanner {
    private(set) var header: PNGHeader?
    /// The ranges of the palette and the transparency, including chunk header and checksum.
    private(set) var palette: Range<Int>?
    private(set) var transparency: Range<Int>?
    /// The start of the first chunk of pixels.
    private(set) var pixels: Int?
    /// True if all chunks of the default image have arrived.
    private(set) var isDefaultImageComplete = false
    /// The frames of the animation; none in a still.
    private(set) var frames: [PNGFrame] = []
    /// True if the last of `frames` has all its chunks.
    private(set) var isLastFrameComplete = false
    /// The frames and repetitions that an animated file declares.
    private(set) var animation: (frames: Int, loops: Int)?
    /// The reader changes it only to mark the metadata as described.
    var metadata = PNGMetadata()
    /// The content of uncompressed text chunks that are not needed to show the image.
    private(set) var texts: [(type: FourCharacterCode, content: Range<Int>)] = []
    private static let maximumTexts = 100
    /// True if the walk has ended.
    private(set) var isEnded = false
    /// The offset of the next chunk.
    private(set) var offset = 0
    /// The expected sequence number of the animation's next chunk.
    private var nextNumber: UInt32 = 0
    private var isAnimationEnded = false
    /// The control chunk of the default image if it precedes the acTL chunk; some writers use this order.
    private var earlyControl: [UInt8]?
    private var framePixels = 0

    /// - Throws: ``ImageError/Fault/data``, ``ImageError/Fault/limit`` or
    ///   ``ImageError/Fault/unsupported`` for errors before the pixels; damage after their start ends the walk.
    mutating func scan(
        _ chain: ByteChain, _ limits: ImageLimits, _ streams: ZlibStreams = ZlibStreams()
    ) throws(ImageError) {
        if offset == 0 {
            guard let signature = chain.bytes(at: 0, count: 8) else {
                return try chain.waiting(else: "cut short before its size")
            }
            guard signature.elementsEqual([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) else {
                throw .data("no PNG signature")
            }
            offset = 8
        }
        while !isEnded, try step(chain, limits, streams) { try chain.watch.step() }
        if chain.isFinished { isEnded = true }
    }

    /// Reads or skips the next chunk.
    ///
    /// - Returns: whether it has arrived.
    private mutating func step(
        _ chain: ByteChain, _ limits: ImageLimits, _ streams: ZlibStreams
    ) throws(ImageError) -> Bool {
        guard let length = chain.big(offset, 4), let type = chain.code(at: offset + 4) else { return false }
        guard length < 1 << 31 else {
            guard pixels == nil else { return end() }
            throw .data("a chunk has an impossible length")
        }
        let chunk = offset..<offset + length + 12
        func content() -> Data? {
            chunk.upperBound <= chain.count ? chain.bytes(at: offset + 8, count: length) : nil
        }
        if type != "IDAT", pixels != nil { isDefaultImageComplete = true }
        switch type {
        case "IDAT":
            guard header != nil else { throw .data("pixels come before the size") }
            if pixels == nil { pixels = offset }
        case "IEND": return end()
        case "fdAT":
            guard length >= 4 else { return end() }
            guard let number = chain.big(offset + 8, 4) else { return false }
            takeData(UInt32(truncatingIfNeeded: number), offset + 12, length - 4)
        case _ where PNGMetadata.types.contains(type):
            let headLength = min(length, PNGMetadata.headLength)
            guard let head = chain.bytes(at: offset + 8, count: headLength) else { return false }
            if metadata.wants(type, head, length: length) {
                guard let content = content() else { return false }
                try metadata.take(type, content, limits, streams, isBeforePixels: pixels == nil)
            } else if type == "tEXt" || type == "iTXt", length <= 64 << 10, texts.count < PNGScanner.maximumTexts {
                texts.append((type, offset + 8..<offset + 8 + length))
            }
        case "IHDR", "PLTE", "tRNS", "acTL", "fcTL":
            guard let content = content() else { return false }
            try take(type, content, chunk, limits)
        default:
            // Bit 5 of the first letter marks a chunk that is not needed to show the file.
            guard type.rawValue & 0x2000_0000 != 0 || pixels != nil else {
                throw .unsupported("has the chunk \(String(decoding: type.bytes, as: UTF8.self)), which is not known")
            }
        }
        offset = chunk.upperBound
        return true
    }

    private mutating func end() -> Bool {
        isEnded = true
        isDefaultImageComplete = pixels != nil
        isLastFrameComplete = true
        return false
    }

    /// Parses a relevant chunk.
    private mutating func take(
        _ type: FourCharacterCode, _ content: Data, _ chunk: Range<Int>, _ limits: ImageLimits
    ) throws(ImageError) {
        let isBeforePixels = pixels == nil
        switch type {
        case "IHDR":
            guard header == nil else { return }
            let found = try PNGHeader([UInt8](content))
            try limits.check(found.size)
            header = found
        case "PLTE": if isBeforePixels, palette == nil { palette = chunk }
        case "tRNS": if isBeforePixels, transparency == nil { transparency = chunk }
        case "acTL":
            guard isBeforePixels, animation == nil, content.count >= 8 else { return }
            animation = (content.big(0, 4), content.big(4, 4))
            if let control = earlyControl { try takeControl(control, limits) }
            earlyControl = nil
        default: try takeControl([UInt8](content), limits)
        }
    }

    // MARK: Animation

    /// Reads an fcTL chunk: the start of a frame.
    private mutating func takeControl(_ content: [UInt8], _ limits: ImageLimits) throws(ImageError) {
        guard let animation else {
            if pixels == nil { earlyControl = earlyControl ?? content }
            return
        }
        guard let header, !isAnimationEnded, content.count >= 24 else { return }
        guard takeNumber(UInt32(clamping: content.big(0, 4))) else { return }
        var frame = PNGFrame(Array(content.dropFirst(4)))
        if pixels == nil {
            // The default image is the first frame, and as large as the image.
            guard frames.isEmpty else { return }
            frame.isDefaultImage = true
            frame.stored.size = header.size
            frame.stored.x = 0
            frame.stored.y = 0
            frames.append(frame)
            framePixels = header.size.area
            return
        }
        isLastFrameComplete = true
        let total = framePixels.saturatingAdd(frame.stored.size.area)
        guard frames.count < animation.frames, total < Int.max, total <= limits.maximumAnimationPixels else {
            isAnimationEnded = true
            return
        }
        guard frames.count < limits.maximumFrames else { throw limits.tooManyFrames }
        framePixels = total
        frames.append(frame)
        isLastFrameComplete = false
    }

    /// Reads an fdAT chunk: pixels of the latest frame.
    private mutating func takeData(_ number: UInt32, _ offset: Int, _ count: Int) {
        guard !isAnimationEnded, animation != nil, pixels != nil, count >= 0, takeNumber(number),
            let last = frames.indices.last, !frames[last].isDefaultImage
        else { return }
        frames[last].data.append((offset, count, number))
    }

    /// Returns whether the chunk is the next of its animation; a missing or misplaced one ends the animation.
    private mutating func takeNumber(_ number: UInt32) -> Bool {
        guard number == nextNumber else {
            isAnimationEnded = true
            return false
        }
        nextNumber &+= 1
        return true
    }
}

/// One frame of an animated PNG.
struct PNGFrame {
    /// The place, duration, disposal and blending.
    var stored: StoredFrame
    /// The `fdAT` chunks that hold the frame's pixels, each with the offset and the count of the bytes after its
    /// sequence number; none if the default image is the frame.
    var data: [(pixels: Int, count: Int, number: UInt32)] = []
    /// True if the IDAT chunks hold the frame's pixels.
    var isDefaultImage = false

    /// Parses an fcTL chunk, without its sequence number.
    ///
    /// - Source: PNG (third edition) §11.3.6.2.
    init(_ content: [UInt8]) {
        func number(_ offset: Int, _ size: Int) -> Int {
            offset + size <= content.count ? content.big(offset, size) : 0
        }
        let denominator = number(18, 2) == 0 ? 100 : number(18, 2)
        stored = StoredFrame(
            x: number(8, 4), y: number(12, 4), size: PixelSize(width: number(0, 4), height: number(4, 4)),
            duration: (number(16, 2) * 1000 + denominator / 2) / denominator,
            disposal: [1: StoredFrame.Disposal.background, 2: .previous][number(20, 1)] ?? .keep,
            blends: number(21, 1) == 1)
    }
}

/// The content of the IHDR chunk.
///
/// - Source: PNG (third edition) §11.2.1.
struct PNGHeader {
    let size: PixelSize
    let depth: Int
    /// 0 gray, 2 color, 3 indexed, 4 gray and alpha, 6 color and alpha.
    let colorType: Int
    let isInterlaced: Bool
    /// The 13 bytes.
    let content: [UInt8]

    /// - Throws: ``ImageError/Fault/data`` if PNG does not allow the declared values.
    init(_ content: [UInt8]) throws(ImageError) {
        guard content.count == 13 else { throw .data("the header's length is wrong") }
        self.content = content
        size = PixelSize(width: content.big(0, 4), height: content.big(4, 4))
        depth = Int(content[8])
        colorType = Int(content[9])
        isInterlaced = content[12] == 1
        let depths: [Int] =
            switch colorType {
            case 0: [1, 2, 4, 8, 16]
            case 3: [1, 2, 4, 8]
            case 2, 4, 6: [8, 16]
            default: []
            }
        guard depths.contains(depth) else {
            throw .data("has samples of \(depth) bits in color type \(colorType), which PNG does not know")
        }
        guard content[10] == 0, content[11] == 0, content[12] < 2 else {
            throw .data("declares a compression, filter or interlace method that PNG does not know")
        }
        guard size.width < 1 << 31, size.height < 1 << 31 else {
            throw .data("declares \(size) pixels, more than PNG allows")
        }
    }

    /// True if pixels are palette indices.
    var isIndexed: Bool { colorType == 3 }

    /// Returns the same header for an image of another size.
    func content(for size: PixelSize) -> [UInt8] {
        size.width.bigEndianBytes(4) + size.height.bigEndianBytes(4) + content.dropFirst(8)
    }
}
