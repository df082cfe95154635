import FirnImage
import FoundationEssentials
import Testing

@testable import FirnCodecs

/// Tests reading and writing the gain maps of JPEG files, with files put together by the tests.
@Suite struct GainMapFileTests {
    /// The forms of a file's metadata.
    enum Form: CaseIterable { case iso, attributes, elements, lengths }

    private static let isoName = Data("urn:iso:std:iso:ts:21496:-1\0".utf8)
    private static let size = PixelSize(width: 6, height: 4)

    /// Different numbers everywhere, which binary fractions state exactly.
    private static var metadata: GainMap.Metadata {
        var metadata = GainMap.Metadata(maximum: SIMD3(2.5, 3, 3.5), alternateHeadroom: 3.25)
        metadata.minimum = SIMD3(-1, -0.5, 0.25)
        metadata.gamma = SIMD3(1, 0.75, 1.5)
        metadata.baseOffset = SIMD3(0.0625, 0.125, 0)
        metadata.alternateOffset = SIMD3(0.5, 0.25, 0.03125)
        metadata.baseHeadroom = 0.5
        return metadata
    }

    private func xmp(_ attributes: String, _ elements: String = "") -> (code: UInt8, content: Data) {
        let packet = "<x:xmpmeta><rdf:Description \(attributes)>\(elements)</rdf:Description></x:xmpmeta>"
        return (0xE1, Data("http://ns.adobe.com/xap/1.0/\0\(packet)".utf8))
    }

    /// The binary form with a denominator for each number.
    private func iso(_ metadata: GainMap.Metadata) -> [UInt8] {
        func fraction(_ number: Double) -> [UInt8] { HandmadePNG.big(Int(number * 64), 4) + [0, 0, 0, 64] }
        let channels = (0..<3).flatMap { index in
            [metadata.minimum, metadata.maximum, metadata.gamma, metadata.baseOffset, metadata.alternateOffset]
                .flatMap { fraction($0[index]) }
        }
        return [0, 0, 0, 0, 0xC0] + fraction(metadata.baseHeadroom) + fraction(metadata.alternateHeadroom) + channels
    }

    private func segments(_ form: Form) -> [(code: UInt8, content: Data)] {
        let metadata = Self.metadata
        let headrooms =
            "hdrgm:HDRCapacityMin='\(metadata.baseHeadroom)' hdrgm:HDRCapacityMax='\(metadata.alternateHeadroom)'"
        switch form {
        case .iso, .lengths: return [xmp("hdrgm:GainMapMax='9'"), (0xE2, Self.isoName + iso(metadata))]
        case .attributes: return [xmp("hdrgm:GainMapMax='1.5' " + headrooms)]
        case .elements:
            let lists = [
                ("GainMapMin", metadata.minimum), ("GainMapMax", metadata.maximum), ("Gamma", metadata.gamma),
                ("OffsetSDR", metadata.baseOffset), ("OffsetHDR", metadata.alternateOffset),
            ].map { name, numbers in
                let items = (0..<3).map { "<rdf:li>\(numbers[$0])</rdf:li>" }.joined(separator: "\n")
                return "<hdrgm:\(name)><rdf:Seq>\n\(items)</rdf:Seq></hdrgm:\(name)>"
            }
            return [xmp(headrooms, lists.joined())]
        }
    }

    /// Returns a little-endian index of two images.
    private func index(_ offset: Int) -> Data {
        func little(_ value: Int) -> [UInt8] { HandmadePNG.big(value, 4).reversed() }
        let directory: [UInt8] = [1, 0, 0x02, 0xB0, 7, 0] + little(32) + little(26) + little(0)
        let images = little(0x3_0000) + little(1) + little(0) + little(0) + little(0) + little(1) + little(offset)
        return Data(Array("MPF\0II*\0".utf8) + little(8) + directory + images + little(0))
    }

    private func file(_ form: Form, exif: [(code: UInt8, content: Data)] = []) throws -> Data {
        let waves = try JPEGEncoder(quality: 1).encode(JPEGImages.waves(width: 24, height: 16))
        let gray = try JPEGImages.plain(90, 90, 90, width: Self.size.width, height: Self.size.height)
        let map = JPEGImages.inserting(segments(form), into: try JPEGEncoder(quality: 1).encode(gray))
        func base(_ offset: Int) -> Data {
            let items = ["Item:Semantic='Primary'", "Item:Length='\(map.count)' Item:Semantic='GainMap'"].map {
                "<rdf:li rdf:parseType='Resource'><Container:Item \($0)/></rdf:li>"
            }
            let list = "<Container:Directory><rdf:Seq>\(items.joined())</rdf:Seq></Container:Directory>"
            let head = xmp("hdrgm:Version='1.0'", form == .lengths ? list : "")
            var segments = exif + [head]
            if form != .lengths { segments.append((code: 0xE2, content: index(offset))) }
            return JPEGImages.inserting(segments, into: waves)
        }
        let header = base(0).firstRange(of: Data("MPF\0".utf8))?.upperBound ?? 0
        return base(base(0).count - header) + map
    }

    private func map(_ file: Data) throws -> GainMap? { try session(file).gainMap() }

    @Test(arguments: Form.allCases)
    func `a map has the pixels and the numbers of its file`(form: Form) throws {
        let file = try file(form)
        let map = try #require(try map(file))
        #expect(map.image.size == Self.size && map.image.format == .rgb8)
        #expect(map.image.packedBytes.allSatisfy { abs(Int($0) - 90) <= 2 })
        if form == .attributes {
            var expected = GainMap.Metadata(maximum: SIMD3(repeating: 1.5), alternateHeadroom: 3.25)
            expected.baseHeadroom = 0.5
            #expect(map.metadata == expected)
        } else {
            #expect(map.metadata == Self.metadata)
        }
        // The base is decoded as without a map.
        let plain = try JPEGEncoder(quality: 1).encode(JPEGImages.waves(width: 24, height: 16))
        #expect(try session(file).decode(straight()).packedBytes == session(plain).decode(straight()).packedBytes)
        #expect(try session(plain).gainMap() == nil)
    }

    @Test func `an HDR base exchanges the numbers of XMP`() throws {
        let text = "hdrgm:GainMapMax='2' hdrgm:HDRCapacityMax='3' hdrgm:OffsetHDR='0.5' hdrgm:BaseRenditionIsHDR='True'"
        let metadata = try #require(GainMap.Metadata(xmp: Data("<x:xmpmeta \(text)/>".utf8)))
        #expect(metadata.baseHeadroom == 3 && metadata.alternateHeadroom == 0)
        #expect(metadata.baseOffset.x == 0.5 && metadata.alternateOffset.x == 1.0 / 64)
        #expect(GainMap.Metadata(xmp: Data(metadata.xmp.utf8)) == metadata)
        #expect(GainMap.Metadata(iso: Data(metadata.iso)) == metadata)
    }

    @Test(arguments: [Form.iso, .elements])
    func `a damaged file has its map, another one, or none`(form: Form) throws {
        let whole = try file(form)
        // The decoder is chosen by the first three bytes.
        for count in stride(from: 3, to: whole.count, by: 5) {
            let map = try? map(whole.prefix(count))
            if let map { #expect(map.image.size == Self.size) }
        }
        let second = try #require(whole.ranges(of: Data([0xFF, 0xD8, 0xFF])).last)
        let end = min(second.lowerBound + 500, whole.count)
        for place in Array(stride(from: 3, to: 400, by: 2)) + Array(stride(from: second.lowerBound, to: end, by: 2)) {
            for value: UInt8 in [0, 0xFF] {
                var changed = whole
                changed[place] = value
                _ = try? map(changed)
            }
        }
    }

    @Test func `numbers out of range make no map`() throws {
        let image = try JPEGImages.plain(9, 9, 9, width: 2, height: 2)
        #expect(GainMap(image: image, metadata: Self.metadata) != nil)
        let changes: [(inout GainMap.Metadata) -> Void] = [
            { $0.maximum.y = .nan }, { $0.maximum.x = -2 }, { $0.minimum.z = -.infinity }, { $0.gamma.x = 0 },
            { $0.gamma.y = .infinity }, { $0.baseOffset.x = 65 }, { $0.alternateOffset.z = .nan },
            { $0.baseHeadroom = -1 }, { $0.alternateHeadroom = 1e9 },
        ]
        for (index, change) in changes.enumerated() {
            var metadata = Self.metadata
            change(&metadata)
            #expect(GainMap(image: image, metadata: metadata) == nil, "\(index)")
        }
        let iso = iso(Self.metadata)
        for count in iso.indices { #expect(GainMap.Metadata(iso: Data(iso.prefix(count))) == nil, "\(count)") }
        // A later version, and a denominator of 0.
        #expect(GainMap.Metadata(iso: Data([0, 1] + iso.dropFirst(2))) == nil)
        #expect(GainMap.Metadata(iso: Data(iso.prefix(12) + [0] + iso.dropFirst(13))) == nil)
    }

    @Test(arguments: [true, false])
    func `a written map is read again, and its index is right`(isGray: Bool) throws {
        var metadata = Self.metadata
        if isGray { metadata = GainMap.Metadata(maximum: SIMD3(repeating: 2.25), alternateHeadroom: 2.5) }
        let pixels = try JPEGImages.plain(200, 60, 20, width: 50, height: 5)
        let map = try #require(GainMap(image: pixels, metadata: metadata))
        let waves = try JPEGImages.waves(width: 24, height: 16)
        let exif = HandmadeEXIF(orientation: 1).data
        let plain = try JPEGEncoder().encode(
            waves, metadata: EncodingMetadata(exif: exif), cancellation: CancellationFlag())
        let file = try JPEGEncoder().encode(
            waves, metadata: EncodingMetadata(exif: exif, gainMap: map), cancellation: CancellationFlag())
        let found = try #require(try self.map(file))
        #expect(found.metadata == metadata)
        // No more columns than the base has.
        #expect(found.image.size == PixelSize(width: 24, height: 5))
        let first = found.image.packedBytes.prefix(3).map { Int($0) }
        #expect(zip(first, [200, 60, 20]).allSatisfy { abs($0 - $1) <= 4 }, "\(first)")
        #expect(try session(file).decode(straight()).packedBytes == session(plain).decode(straight()).packedBytes)
        let properties = try #require(try session(file).properties())
        let kept = try session(plain).properties()?.exif
        #expect(properties.hasGainMap && properties.exif == kept)
        // The XMP packet alone, and the index alone.
        let second = try #require(file.ranges(of: Data([0xFF, 0xD8, 0xFF])).last)
        let name = try #require(file.firstRange(of: Data("MPF\0".utf8)))
        let entry = file[(name.upperBound + 50 + 16)...].prefix(12).map { Int($0) }
        func number(_ start: Int) -> Int { entry.dropFirst(start).prefix(4).reduce(0) { $0 << 8 | $1 } }
        #expect(number(4) == file.count - second.lowerBound)
        #expect(name.upperBound + number(8) == second.lowerBound)
        let packet = String(decoding: try #require(properties.xmp), as: UTF8.self)
        #expect(packet.contains(#"Item:Length="\#(file.count - second.lowerBound)""#))
        #expect(packet.contains(#"Item:Semantic="GainMap""#))
    }

    @Test func `a stripped copy keeps the map without other metadata`() throws {
        let exif = Data("Exif\0\0".utf8) + HandmadeEXIF(orientation: 1).data
        let file = try file(.elements, exif: [(0xE1, exif)])
        let copy = try #require(StrippedFile.copy(file, format: .jpeg, exif: nil))
        let properties = try #require(try session(copy).properties())
        #expect(properties.exif == nil && properties.hasGainMap)
        #expect(!GainMap.Metadata.hasOthers(properties.xmp))
        let (old, new) = (try #require(try map(file)), try #require(try map(copy)))
        #expect(new.metadata == Self.metadata && new.image.packedBytes == old.image.packedBytes)
        #expect(try session(copy).decode(straight()).packedBytes == session(file).decode(straight()).packedBytes)
    }

    @Test func `a map is upright like its image`() throws {
        let exif = Data("Exif\0\0".utf8) + HandmadeEXIF(orientation: 6).data
        let file = try file(.iso, exif: [(0xE1, exif)])
        #expect(try map(file)?.image.size == PixelSize(width: 4, height: 6))
    }

    @Test func `a map waits for the end of its file`() throws {
        let file = try file(.iso)
        let open = try openSession(file)
        try open.append(file)
        #expect(try open.gainMap() == nil)
        open.finish()
        #expect(try open.gainMap()?.metadata == Self.metadata)
    }

    @Test func `a converter keeps the map of a JPEG and names its loss`() async throws {
        let file = try file(.elements)
        let converter = try ImageConverter()
        let kept = try await converter.convert(
            file, to: .jpeg, processors: [.rotate(), .crop(x: 0, y: 0, width: 8, height: 24)])
        #expect(!kept.lost.contains(.gainMap))
        let map = try #require(try map(kept.data))
        #expect(map.metadata == Self.metadata && map.image.size == PixelSize(width: 2, height: 6))
        #expect(try await converter.convert(file, to: .png).lost.contains(.gainMap))
        #expect(try await converter.convert(file, to: .jpeg, processors: [.invert()]).lost.contains(.gainMap))
    }
}
