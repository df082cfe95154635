import CFirnCodecs
import FirnImage
import FirnSystem
import FoundationEssentials
import Testing

@testable import FirnCodecs

@Suite("Encoders in other processes", .serialized)
struct RemoteEncoderTests {
    private func frame(_ shade: UInt8) throws -> Bitmap {
        try Bitmap(size: PixelSize(width: 40, height: 30), format: .bgra8Premultiplied) { pixels in
            for y in 0..<30 {
                let row = pixels.row(y)
                for x in 0..<160 {
                    let value = x % 4 == 3 ? 255 : UInt8((x + y * 3) % 200) / 8 + shade
                    row.storeBytes(of: value, toByteOffset: x, as: UInt8.self)
                }
            }
        }
    }

    /// Starts an AVIF animation in a worker of a program.
    private func remote(_ program: String) -> LibraryAnimation.Opening {
        { canvas, cancellation, encoded in
            var plain = firn_worker_canvas(canvas)
            plain.options.avif = firn_avif_options(
                quantizer: 20, lossless: false, full_chroma: false, speed: 9, depth: 8)
            let service = DecoderService.service(of: BuiltProgram.folder + "/" + program)
            return RemoteEncoder(
                service, FIRN_CODEC_AVIF, plain, profile: UnsafeRawBufferPointer(start: nil, count: 0), cancellation,
                &encoded)
        }
    }

    private func animation(
        _ open: LibraryAnimation.Opening, _ cancellation: CancellationFlag = CancellationFlag()
    ) throws -> LibraryAnimation {
        let source = EncodingSource(format: .avif, maximumSide: 65_536, cancellation: cancellation)
        return try LibraryAnimation(
            source, size: PixelSize(width: 40, height: 30), repetitions: .forever, isOpaque: true, colorProfile: nil,
            open: open)
    }

    @Test func `an encoder that ends its process is an error that says how, and the next file is written`() throws {
        let crashing = try animation(remote("firn-lying-decoder"))
        let error = #expect(throws: ImageError.self) {
            try crashing.append(try frame(1), duration: .milliseconds(13))
        }
        #expect(error?.fault == .library && error?.message == "the encoder crashed by signal 6")
        #expect(throws: ImageError.self) { try crashing.finish() }
        let next = try animation(remote("firn-decoder"))
        try next.append(try frame(1), duration: .milliseconds(50))
        #expect(try !next.finish().isEmpty)
    }

    @Test func `an encoder that claims a file of a terabyte is an error`() throws {
        let lying = try animation(remote("firn-lying-decoder"))
        try lying.append(try frame(1), duration: .milliseconds(50))
        let error = #expect(throws: ImageError.self) { try lying.finish() }
        #expect(error?.message == "the encoder gave a result that makes no sense")
    }

    @Test func `files from another process are those of this one`() throws {
        let frames = try (0..<40).map { try frame(UInt8($0)) }
        let local: LibraryAnimation.Opening = { canvas, _, encoded in
            var canvas = canvas
            var options = firn_avif_options(quantizer: 20, lossless: false, full_chroma: false, speed: 9, depth: 8)
            return firn_animation_avif(&canvas, &options, &encoded).map { LocalEncoder($0) }
        }
        let files = try [local, remote("firn-decoder")].map { open in
            let animation = try animation(open)
            for frame in frames { try animation.append(frame, duration: .milliseconds(50)) }
            return try animation.finish()
        }
        #expect(files[0] == files[1])
    }

    @Test func `an encode in another process ends when it is cancelled`() throws {
        let flag = CancellationFlag()
        let animation = try animation(remote("firn-decoder"), flag)
        flag.cancel()
        let error = #expect(throws: ImageError.self) {
            try animation.append(try frame(1), duration: .milliseconds(50))
        }
        #expect(error?.fault == .cancelled)
    }
}
