#if HEIC
import FirnImage
import FirnSystem
import FoundationEssentials
import Testing

/// Tests files with each coding tool of HEVC that photographs have, with each depth and subsampling.
@Suite(.serialized) struct CodingToolTests {
    @Test func `there is a file of each kind`() throws {
        #expect(CodingToolSample.all.count > 50)
        for bits in [8, 10, 12] {
            for chroma in ["400", "420", "422", "444"] {
                for filter in ["plain", "sao"] { _ = try CodingToolSample.named("\(bits)_\(chroma)_\(filter).heic") }
            }
        }
    }

    @Test(arguments: CodingToolSample.all)
    func `planes are those of ffmpeg, bit by bit`(sample: CodingToolSample) throws {
        let found = try sample.decodedPlanes()
        #expect(found.frames == sample.frames)
        #expect(found.checksum == sample.checksum)
    }

    @Test(arguments: CodingToolSample.all.filter(\.isStill))
    func `a still image shows the drawn content`(sample: CodingToolSample) throws {
        let session = try session(sample.data)
        let properties = try #require(try session.properties())
        #expect(properties.size == sample.size && properties.bitDepth == sample.bits)
        let pixels = try packed(session.decode(straight()))
        guard sample.chroma != "400", !sample.file.hasPrefix("cropped_all"), sample.file != "pcm.heic" else { return }
        // The lower left corner is a gradient: red to the right, green downwards.
        let (width, height) = (sample.size.width, sample.size.height)
        for y in stride(from: height * 7 / 8, to: height, by: 1) {
            for x in 0..<width / 8 {
                let pixel = pixels[(y * width + x) * 4..<(y * width + x) * 4 + 3].map { Int($0) }
                #expect(abs(pixel[0] - x * 190 / width) < 24 && abs(pixel[1] - y * 190 / height) < 24)
                #expect(abs(pixel[2] - 128) < 24)
            }
        }
    }

    /// Fills new memory with a byte in the way of glibc's `MALLOC_PERTURB_`.
    private static func perturb(_ byte: Int32) {
        typealias Option = @convention(c) (Int32, Int32) -> Int32
        guard let symbol = dlsym(nil, "mallopt") else { return }
        _ = unsafeBitCast(symbol, to: Option.self)(-6, byte)
    }

    @Test func `a damaged image with sample adaptive offset shows no freed memory`() async throws {
        var file = try CodingToolSample.named("slices_sao.heic").data
        let first = try #require(file.firstRange(of: Data("mdat".utf8))?.upperBound)
        defer { CodingToolTests.perturb(0) }
        var shown = 0
        for number in 0..<700 {
            // Other tests get the thread between two files.
            await Task.yield()
            let place = first + number % (file.count - first)
            file[place] ^= 1 << UInt8(number % 8)
            let images = [Int32(0), 85, 170].map { byte -> [UInt8]? in
                CodingToolTests.perturb(byte)
                return try? packed(session(file).decode(straight()))
            }
            file[place] ^= 1 << UInt8(number % 8)
            #expect(images[0] == images[1] && images[0] == images[2], "mutation \(number)")
            shown += images[0] == nil ? 0 : 1
        }
        #expect(shown > 20)
    }
}
#endif
