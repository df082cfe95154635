import FirnImage

@testable import FirnCodecs

/// A row source with rows that a test provides, in any layout, a few at a time.
final class GivenRows: RowSource {
    let size: PixelSize
    let layout: SampleLayout
    let isWhole: Bool
    private let bytes: [UInt8]
    private let step: Int
    private var next = 0

    /// - Parameter bytes: rows without padding.
    init(_ size: PixelSize, _ layout: SampleLayout, _ bytes: [UInt8], isWhole: Bool = false, step: Int = 7) {
        self.size = size
        self.layout = layout
        self.isWhole = isWhole
        self.bytes = bytes
        self.step = step
    }

    func read(_ chain: ByteChain, into memory: RowMemory) throws(ImageError) -> RowProgress {
        let row = size.width * layout.bytesPerPixel
        let first = next
        next = min(size.height, next + min(step, isWhole ? step : memory.rows))
        bytes.withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress else { return }
            for y in first..<next {
                let target = memory.base + (isWhole ? y : y - first) * memory.bytesPerRow
                target.copyMemory(from: start + y * row, byteCount: row)
            }
        }
        return RowProgress(rows: isWhole ? next : next - first, state: next == size.height ? .end : .more)
    }
}

/// A file of one frame whose rows a test makes once the requested layout is known.
final class GivenImage: FormatReader {
    var properties: ImageProperties?
    var frames: [StoredFrame]
    var isWhole = false
    private(set) var requested: RowRequest?
    private let bytes: (SampleLayout) -> [UInt8]

    init(_ properties: ImageProperties, bytes: @escaping (SampleLayout) -> [UInt8]) {
        self.properties = properties
        self.bytes = bytes
        var frame = StoredFrame(size: properties.size)
        frame.hasAlpha = properties.hasAlpha
        frame.isComplete = true
        frames = [frame]
    }

    var format: ImageFormat { .png }
    func scan(_ chain: inout ByteChain) throws(ImageError) {}
    func workingBytes(for request: RowRequest) -> Int { 0 }

    func openFrame(_ request: RowRequest, _ chain: ByteChain) throws(ImageError) -> (any RowSource)? {
        requested = request
        return GivenRows(frames[request.frame].size, request.layout, bytes(request.layout), isWhole: isWhole)
    }

    /// Decodes the image through a session.
    func decode(_ options: DecodingOptions) throws -> Bitmap {
        let session = FormatSession(self, limits: ImageLimits())
        session.finish()
        return try session.decode(options)
    }
}

/// Returns words as bytes in the machine's order.
func inMemory(_ words: [UInt16]) -> [UInt8] {
    words.flatMap { word in withUnsafeBytes(of: word, Array.init) }
}

extension Bitmap {
    /// The components of all pixels of an image with 16 bits a component.
    var words: [UInt16] {
        let bytes = packed(self)
        return stride(from: 0, to: bytes.count, by: 2).map { index in
            withUnsafeTemporaryAllocation(of: UInt16.self, capacity: 1) { word in
                UnsafeMutableRawBufferPointer(word).copyBytes(from: bytes[index..<index + 2])
                return word[0]
            }
        }
    }

    /// The components of all pixels of an image of half floats.
    var numbers: [Double] { words.map { Double(Float16(bitPattern: $0)) } }
}
