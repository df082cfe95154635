import FirnCodecs
import FirnImage
import FoundationEssentials
import Testing

/// Tests the metadata that encoders write.
@Suite struct MetadataEncodingTests {
    /// One encoder for each format in this build; lossless where that is cheap.
    static let encoders: [any ImageEncoding] = ImageEncoders.formats.compactMap { format in
        switch format {
        // Without libtiff, nothing here reads what is written.
        case .tiff where ImageDecoders.standard.allSatisfy { $0.recognizes(Data([0x49, 0x49, 42, 0])) == nil }: nil
        case .avif: AVIFEncoder(speed: 10)
        case .jxl: JXLEncoder(lossless: true, effort: 3)
        default: ImageEncoders.encoder(for: format)
        }
    }

    private static let size = PixelSize(width: 24, height: 10)

    private func image(_ profile: ColorProfile? = nil) throws -> Bitmap {
        try Bitmap(size: Self.size, format: .rgb8, colorProfile: profile) { pixels in
            for y in 0..<Self.size.height {
                pixels.row(y).initializeMemory(as: UInt8.self, repeating: UInt8(20 * y), count: 72)
            }
        }
    }

    @Test(arguments: encoders.indices)
    func `EXIF data are written only if requested, and do not rotate the copy`(index: Int) throws {
        let encoder = Self.encoders[index]
        let exif = HandmadeEXIF(orientation: 6).data
        for metadata in [
            EncodingMetadata(keepsColorProfile: false), EncodingMetadata(), EncodingMetadata(exif: exif),
        ] {
            let file = try encoder.encode(image(), metadata: metadata, cancellation: CancellationFlag())
            let read = try EncodedImage(file).properties
            #expect(read.orientation == .up && read.displaySize == Self.size, "\(metadata)")
            let isKept = metadata.exif != nil && ![.gif, .bmp, .ico].contains(encoder.format)
            #expect((file.firstRange(of: Data("Me\0".utf8)) != nil) == isKept, "\(metadata)")
            guard isKept else {
                #expect(read.exif == nil, "\(metadata)")
                continue
            }
            // A page of a TIFF states its size itself.
            if encoder.format == .tiff { continue }
            var expected = HandmadeEXIF(orientation: 1)
            expected.size = (Self.size.width, Self.size.height)
            expected.thumbnail = Data()
            let exif = try #require(read.exif)
            #expect(exif.count == expected.data.count && !exif.contains(0xAB))
        }
    }

    @Test(arguments: encoders.indices)
    func `a profile is kept unless none is to be, and beside EXIF data too`(index: Int) throws {
        let encoder = Self.encoders[index]
        let profile = try #require(ColorProfile(icc: DecoderSamples.swappedProfile))
        let exif = HandmadeEXIF().data
        for metadata in [
            EncodingMetadata(), EncodingMetadata(exif: exif), EncodingMetadata(keepsColorProfile: false),
            EncodingMetadata(keepsColorProfile: false, exif: exif),
        ] {
            let file = try encoder.encode(image(profile), metadata: metadata, cancellation: CancellationFlag())
            let read = try EncodedImage(file).properties
            let isKept = metadata.keepsColorProfile && ![.gif, .ico].contains(encoder.format)
            #expect((read.colorProfile?.icc == profile.icc) == isKept)
        }
    }

    @Test(arguments: encoders.indices)
    func `metadata change no pixel`(index: Int) throws {
        let encoder = Self.encoders[index]
        let plain = try EncodedImage(encoder.encode(image())).frame(as: .rgba8Straight)
        let file = try encoder.encode(
            image(), metadata: EncodingMetadata(exif: HandmadeEXIF(isBig: true, orientation: 8).data),
            cancellation: CancellationFlag())
        #expect(try EncodedImage(file).frame(as: .rgba8Straight).packedBytes == plain.packedBytes)
    }

    @Test func `EXIF data too long for a JPEG segment are left out but for the copyright, and damaged ones too`() throws
    {
        let notice = try #require(CopyrightNotice(creator: "Ada", rights: "(c) Ada"))
        var large = HandmadeEXIF().data
        large.insert(contentsOf: Data(count: 65_600), at: large.endIndex - 41)
        let long = notice.exif + Data(count: JPEGEncoder.longestEXIF)
        let cases: [(exif: Data, kept: Data?)] = [(large, nil), (long, notice.exif), (notice.exif, notice.exif)]
        for (exif, kept) in cases {
            #expect(JPEGEncoder.leavesOut(exif, of: PixelSize(width: 1, height: 1)) == (exif.count > 65_527))
            let file = try JPEGEncoder().encode(
                image(), metadata: EncodingMetadata(exif: exif), cancellation: CancellationFlag())
            let read = try #require(try session(file).properties())
            #expect(read.exif == kept)
        }
        // The thumbnail at the end is not written, and what remains fits.
        var camera = HandmadeEXIF()
        camera.thumbnail = Data(repeating: 0xAB, count: 65_500)
        #expect(!JPEGEncoder.leavesOut(camera.data, of: PixelSize(width: 1, height: 1)))
        let file = try JPEGEncoder().encode(
            image(), metadata: EncodingMetadata(exif: Data("no TIFF".utf8)), cancellation: CancellationFlag())
        #expect(try file == JPEGEncoder().encode(image()))
    }

    @Test(arguments: encoders.indices)
    func `several threads at once write the same bytes as one alone`(index: Int) async throws {
        let encoder = Self.encoders[index]
        let image = try Bitmap.scene(PixelSize(width: 190, height: 130), format: .rgb8)
        let alone = try encoder.encode(image)
        try await sameOnThreads(alone) { try encoder.encode(image) }
    }

    @Test(arguments: ImageEncoders.formats)
    func `animations written by several threads at once are the same bytes`(format: ImageFormat) async throws {
        guard let encoder = ImageEncoders.encoder(for: format) as? any AnimationEncoding else { return }
        let size = PixelSize(width: 40, height: 30)
        let frames = try (0..<3).map { try Bitmap.noise(size, format: .rgb8, seed: UInt64($0)) }
        let file: @Sendable () throws -> Data = {
            let session = try encoder.makeAnimation(size: size, repetitions: .plays(2))
            for frame in frames { try session.append(frame, duration: .milliseconds(70)) }
            return try session.finish()
        }
        let alone = try file()
        try await sameOnThreads(alone, file)
    }

    /// Runs `body` on four threads at once.
    private func sameOnThreads(_ alone: Data, _ body: @escaping @Sendable () throws -> Data) async throws {
        try await withThrowingTaskGroup(of: Data.self) { group in
            for _ in 0..<4 { group.addTask { try await onThread(body) } }
            for try await file in group { #expect(file == alone) }
        }
    }
}
