/// The brands of a file: the specifications that it follows.
///
/// - Source: ISO/IEC 14496-12 §4.3; ISO/IEC 23008-12 §10, §B.4.
struct ISOBrands {
    /// The most bytes that are examined: 16,384 brands. Files have about five.
    private static let maximumBytes = 64 << 10
    /// The brands of files whose tracks are image sequences, and the brands of stills that replace them.
    private static let sequences: [FourCharacterCode: FourCharacterCode] = [
        "msf1": "mif1", "hevc": "heic", "hevx": "heic", "hevm": "heic", "hevs": "heic",
    ]
    private static let codeLength = 4

    /// The examined bytes of the `ftyp` box, and their offset in the file.
    private let bytes: [UInt8]
    private let offset: Int

    /// Reads the brands; `nil` if the file states none.
    init?(_ boxes: [ISOBox], _ chain: ByteChain) {
        guard let content = boxes.first("ftyp")?.content, content.count >= ISOBrands.codeLength,
            let bytes = chain.bytes(at: content.lowerBound, count: min(content.count, ISOBrands.maximumBytes))
        else { return nil }
        self.bytes = [UInt8](bytes)
        offset = content.lowerBound
    }

    /// True if a brand says that the file is an image sequence.
    var areOfSequence: Bool { offsets.contains { ISOBrands.sequences[code(at: $0)] != nil } }

    /// Replaces the brands of image sequences by those of stills.
    func replaceSequences(in chain: inout ByteChain) {
        var replaced = bytes
        for offset in offsets {
            guard let still = ISOBrands.sequences[code(at: offset)] else { continue }
            replaced.replaceSubrange(offset..<offset + ISOBrands.codeLength, with: still.bytes)
        }
        // Order: one replacement for all of them, because each is searched for by every later read.
        if replaced != bytes { chain.replace(at: offset, with: replaced) }
    }

    /// The places of the brands in `bytes`: the major brand, and those behind its version.
    private var offsets: [Int] {
        [0] + Array(stride(from: 2 * ISOBrands.codeLength, through: bytes.count - ISOBrands.codeLength, by: 4))
    }

    private func code(at offset: Int) -> FourCharacterCode {
        FourCharacterCode(rawValue: UInt32(clamping: bytes.big(offset, ISOBrands.codeLength)))
    }
}
