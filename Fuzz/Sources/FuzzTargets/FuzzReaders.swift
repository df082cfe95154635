@testable import FirnCodecs
import FirnImage
import FoundationEssentials

/// The readers of metadata, each without the files around them, which is much faster.
///
/// Besides a crash, broken promises of a reader stop the fuzzer.
enum FuzzReaders {
    /// The reader that the environment variable `FIRN_FUZZ_FORMAT` names; `nil` if it names a format.
    static let chosen = all[FuzzDecoder.format.rawValue]

    private static let all: [String: @Sendable (Data) -> Void] = [
        "xmp": xmp, "iptc": iptc, "exif": exif, "directories": directories, "light": light, "pngtext": pngText,
        "gainmap": gainMap,
    ]

    private static func properties() -> ImageProperties {
        ImageProperties(format: .jpeg, size: PixelSize(width: 1, height: 1))
    }

    private static func require(_ holds: Bool, _ promise: String) {
        if !holds { fatalError(promise) }
    }

    /// A packet, and its extension behind the first zero.
    private static func xmp(_ data: Data) {
        var properties = properties()
        let parts = data.split(separator: 0, maxSplits: 1)
        properties.xmp = parts.first ?? Data()
        properties.extendedXMP = parts.dropFirst().first
        let metadata = properties.metadata
        for name in ["DateTimeOriginal", "CreateDate", "ModifyDate"] { _ = metadata.time(name) }
        _ = (metadata.regions, metadata.takenText, GainMap.stated(in: data))
    }

    private static func iptc(_ data: Data) {
        var properties = properties()
        properties.iptc = IPTCRecords.block(inProfile: data)
        properties.iptcDigest = IPTCRecords.block(inPhotoshop: data, resource: 0x0425)
        _ = (properties.metadata.taken, CopyrightNotice(properties))
    }

    private static func exif(_ data: Data) {
        let metadata = ImageMetadata(exif: data)
        _ = (metadata.taken, metadata.camera, metadata.flashFired, CopyrightNotice(exif: data)?.exif)
        if let kept = EXIFPart.removing([.gps, .serials], from: data) {
            let rest = ImageMetadata(exif: kept)
            require(rest.latitude == nil && rest.altitude == nil, "a place is left")
            require(rest["SerialNumber"] == nil && rest["OwnerName"] == nil, "a serial number is left")
        }
        let size = PixelSize(width: 70_000, height: 3)
        let resolution = ImageResolution(horizontal: 72.5, vertical: 300)
        for adds in [false, true] {
            guard let upright = UprightEXIF.data(data, for: size, resolution, addsResolution: adds) else { continue }
            require(EXIFDirectories(upright)?.orientation == .up, "the orientation is not upright")
        }
    }

    private static func directories(_ data: Data) {
        guard let file = TIFFStructure(ByteChain(whole: data)) else { return }
        var next = TIFFDirectory(at: file.first, in: file)
        for _ in 0..<8 {
            guard let directory = next else { return }
            for tag in TIFFDirectory.Tag.allCases {
                _ = (directory.numbers(tag, most: 16), directory.text(tag), directory.bytes(tag), directory.has(tag))
            }
            if let exif = directory.exif { require(EXIFDirectories(exif) != nil, "not EXIF data") }
            next = TIFFDirectory(at: directory.next, in: file)
        }
    }

    /// Boxes of an ISO base media file.
    private static func light(_ data: Data) {
        let chain = ByteChain(whole: data)
        var light = ImageLight()
        light.take(boxesOf: chain)
        _ = (light.peak, GainMap.map(boxesOf: chain))
        for type: FourCharacterCode in ["colr", "clli", "cLLI", "mdcv", "mDCV"] {
            light.take(type, ISOFields([UInt8](data.prefix(32)), DecodingWatch()))
        }
    }

    /// The first byte chooses the type of a chunk.
    private static func pngText(_ data: Data) {
        let types = PNGMetadata.types.sorted { $0.rawValue < $1.rawValue }
        guard let type = data.first.map({ types[Int($0) % types.count] }) else { return }
        let content = data.dropFirst()
        var (metadata, properties) = (PNGMetadata(), properties())
        guard metadata.wants(type, content.prefix(PNGMetadata.headLength), length: content.count) else { return }
        try? metadata.take(type, content, ImageLimits(), ZlibStreams(), isBeforePixels: true)
        _ = metadata.describe(&properties)
        _ = (properties.metadata.taken, try? PNGText(type, content, most: 0, nil))
    }

    /// The numbers in both forms, written and read again.
    private static func gainMap(_ data: Data) {
        _ = GainMap.inSegment(Data(GainMap.Metadata.segmentName) + data)
        for numbers in [GainMap.Metadata(iso: data), GainMap.Metadata(xmp: data)] {
            guard let numbers else { continue }
            require(GainMap.Metadata(iso: Data(numbers.iso)) != nil, "the numbers are not read again")
            require(GainMap.Metadata(xmp: Data(numbers.xmp.utf8)) != nil, "the packet is not read again")
        }
    }
}
