import FirnCodecs
import FirnImage
import Testing

/// Decodes files that are damaged anywhere: no byte that the file does not give is ever shown.
@Suite struct DamagedImageTests {
    @Test(arguments: DamagedFiles.formats)
    func `images of damaged files do not depend on former memory contents`(format: ImageFormat) async throws {
        let files = DamagedFiles(format)
        var images = 0
        for number in 0..<2000 {
            // Other tests get the thread between two files.
            await Task.yield()
            let (file, options) = (files.file(number), DamagedFiles.options(number))
            let outcomes = try [UInt8(0x55), 0xAA].map { byte in
                try HeapPattern.with(byte) {
                    try Outcome.of(file, as: format, .none, options, limits: DamagedFiles.limits)
                }
            }
            images += outcomes[0].count { $0.isImage }
            #expect(outcomes[0] == outcomes[1], "file \(number)")
        }
        // Enough of them show something.
        #expect(images > 100)
    }

    @Test(arguments: DamagedFiles.formats)
    func `a worker gives the same result for a damaged file as this process`(format: ImageFormat) async throws {
        let files = DamagedFiles(format)
        for number in 0..<200 {
            await Task.yield()
            let (file, options) = (files.file(number), DamagedFiles.options(number))
            let outcomes = try [DecoderIsolation.none, .built(.all)].map {
                try Outcome.of(file, as: format, $0, options, limits: DamagedFiles.limits)
            }
            #expect(outcomes[0] == outcomes[1], "file \(number)")
        }
    }
}
