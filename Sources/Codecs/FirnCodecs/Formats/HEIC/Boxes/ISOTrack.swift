import FoundationEssentials

/// A track of a movie whose samples are HEVC images.
///
/// - Source: ISO/IEC 14496-12 §8.3 to §8.6; ISO/IEC 14496-15 §8; ISO/IEC 23008-12 §7.
struct ISOTrack {
    /// The purpose of a track.
    enum Role: Equatable {
        /// Its images are shown.
        case shown
        /// Its images are the alpha of the tracks that it names.
        case alpha(of: [Int])
        /// Thumbnails, depth, anything else that is not shown.
        case other
    }

    /// The track's number, from 1.
    var number = 0
    var isEnabled = false
    /// The rotation of the track for display.
    var orientation = ImageOrientation.up
    /// The duration in units of the movie; `nil` if the track has no end.
    var duration: Int? = 0
    /// The units per second of the track's times.
    var timescale = 0
    var handler = FourCharacterCode(rawValue: 0)
    /// The tracks that this one refers to, by the kind of reference.
    var references: [FourCharacterCode: [Int]] = [:]
    var edits: EditList?
    var configuration: HEVCConfiguration?
    /// The type of auxiliary images that `auxi` states.
    var auxiliaryType = ""
    var light: ImageLight?
    var profile: Data?
    /// The boxes of the sample table.
    var table: [ISOBox] = []

    /// The purpose of the track.
    var role: Role {
        if let masters = references["auxl"] {
            return auxiliaryType.isEmpty || ISOTrack.alphaTypes.contains(auxiliaryType) ? .alpha(of: masters) : .other
        }
        guard handler == "pict" || handler == "vide", references["thmb"] == nil, references["cdsc"] == nil else {
            return .other
        }
        return .shown
    }

    private static let alphaTypes: Set = [
        "urn:mpeg:hevc:2015:auxid:1", "urn:mpeg:mpegB:cicp:systems:auxiliary:alpha",
    ]

    /// Parses a `trak` box; `nil` if it is damaged, or holds something other than HEVC.
    init?(_ box: ISOBox, of chain: ByteChain, limits: ImageLimits) {
        let boxes = box.children(of: chain)
        guard let header = boxes.first("tkhd"), readHeader(header, chain), let media = boxes.first("mdia") else {
            return nil
        }
        for reference in boxes.first("tref")?.children(of: chain) ?? [] {
            guard var fields = reference.fields(of: chain) else { continue }
            while let number = fields.number(4) { references[reference.type, default: []].append(number) }
        }
        edits = boxes.first("edts")?.children(of: chain).first("elst").flatMap { EditList($0, of: chain) }
        let inside = media.children(of: chain)
        guard let timescale = inside.timescale("mdhd", of: chain), var fields = inside.table("hdlr", of: chain),
            fields.pass(4) != nil, let handler = fields.code(),
            let tables = inside.first("minf")?.children(of: chain).first("stbl")
        else { return nil }
        self.timescale = timescale
        self.handler = handler
        table = tables.children(of: chain)
        guard let description = table.first("stsd"), readDescription(description, chain, limits) else { return nil }
    }

    private mutating func readHeader(_ box: ISOBox, _ chain: ByteChain) -> Bool {
        guard var fields = box.fields(of: chain), let (version, flags) = fields.versionAndFlags() else { return false }
        isEnabled = flags & 1 != 0
        let size = version == 1 ? 8 : 4
        fields.skip(size * 2)
        guard let number = fields.number(4) else { return false }
        self.number = number
        fields.skip(4)
        guard let duration = fields.unsigned(size) else { return false }
        self.duration = duration == (size == 8 ? UInt64.max : UInt64(UInt32.max)) ? nil : Int(clamping: duration)
        fields.skip(16)
        let matrix = (0..<9).compactMap { _ in fields.signed(4) }
        guard matrix.count == 9 else { return true }
        // The matrix leads from stored to displayed pixels. One that is no rotation or reflection is ignored.
        let steps = SIMD4([0, 1, 3, 4].map { matrix[$0].signum() })
        orientation = ImageOrientation.allCases.first { $0.inverse.steps == steps } ?? .up
        return true
    }

    /// Reads the first sample entry, which must be HEVC.
    private mutating func readDescription(_ box: ISOBox, _ chain: ByteChain, _ limits: ImageLimits) -> Bool {
        guard let entry = box.children(of: chain, after: 8).first, ["hvc1", "hev1"].contains(entry.type) else {
            return false
        }
        let boxes = entry.children(of: chain, after: 78)
        guard let found = boxes.first("hvcC").flatMap({ HEVCConfiguration($0, of: chain) }) else { return false }
        configuration = found
        if var auxiliary = boxes.table("auxi", of: chain) {
            let bytes = auxiliary.take(min(auxiliary.rest, 256)) ?? []
            auxiliaryType = String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        for box in boxes where box.type == "colr" { readColors(box, chain, limits) }
        return true
    }
    /// Reads a `colr` box; the first of each kind counts.
    ///
    /// - Source: ISO/IEC 14496-12 §12.1.5.
    private mutating func readColors(_ box: ISOBox, _ chain: ByteChain, _ limits: ImageLimits) {
        guard var fields = box.fields(of: chain) else { return }
        var found = ImageLight()
        found.take(box.type, fields)
        if light == nil, found != ImageLight() { light = found }
        guard profile == nil, let type = fields.code(), type == "prof" || type == "rICC",
            fields.rest <= limits.maximumProfileBytes
        else { return }
        profile = fields.take(fields.rest).map { Data($0) }
    }
}

extension ColorDescription {
    /// Creates a description by code points of ITU-T H.273, of which 2 states nothing; `nil` if both are 2.
    init?(primaries: Int, transfer: Int) {
        guard primaries != 2 || transfer != 2 else { return nil }
        self.init()
        primariesCode = primaries == 2 ? nil : primaries
        transferCode = transfer == 2 ? nil : transfer
    }
}

/// The tracks of a file that hold an image sequence.
///
/// - Source: ISO/IEC 14496-12 §8.2; ISO/IEC 23008-12 §7, §B.4.
struct ISOMovie {
    /// The limit of tracks that are examined.
    private static let maximumTracks = 64

    /// The units per second of edit lists and of the tracks' durations.
    let timescale: Int
    /// The track that is shown.
    let shown: ISOTrack
    /// The alpha track.
    let alpha: ISOTrack?
    /// True if colors are already multiplied by alpha.
    let isPremultiplied: Bool

    /// Parses the movie of a complete file; `nil` if it has no track of HEVC images, or if its brands say that it is
    /// not an image sequence.
    init?(of chain: ByteChain, limits: ImageLimits) {
        let boxes = ISOBox.boxes(in: 0..<chain.count, of: chain)
        guard let movie = boxes.first("moov") else { return nil }
        let inside = movie.children(of: chain)
        guard let timescale = inside.timescale("mvhd", of: chain) else { return nil }
        self.timescale = timescale
        let tracks = inside.filter { $0.type == "trak" }.prefix(ISOMovie.maximumTracks)
            .compactMap { ISOTrack($0, of: chain, limits: limits) }
        let isSequence = ISOBrands(boxes, chain)?.areOfSequence ?? false
        let candidates = tracks.filter { $0.role == .shown && ($0.handler == "pict" || isSequence) }
        guard let shown = candidates.first(where: \.isEnabled) ?? candidates.first else { return nil }
        self.shown = shown
        alpha = tracks.first { track in
            guard case .alpha(let masters) = track.role else { return false }
            return masters.contains(shown.number)
        }
        isPremultiplied = alpha.map { shown.references["prem"]?.contains($0.number) == true } ?? false
    }
}

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
