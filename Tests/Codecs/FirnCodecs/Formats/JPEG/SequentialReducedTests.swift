import FirnImage
import FirnSync
import Foundation
import Testing

@testable import FirnCodecs

/// Tests that a sequential JPEG at an eighth has the library's pixels, and at a quarter nearly so, although only part
/// of it is decoded.
@Suite struct SequentialReducedTests {
    /// The end of a decode: pixels, or the fault of its error.
    enum End: Equatable {
        case pixels([UInt8])
        case failed(ImageError.Fault)
        case noSource

        var pixels: [UInt8]? { if case .pixels(let pixels) = self { pixels } else { nil } }
    }

    private static let samplings: [[(Int, Int)]] = [
        [(1, 1)], [(2, 2)], [(1, 1), (1, 1), (1, 1)], [(2, 2), (1, 1), (1, 1)], [(2, 1), (1, 1), (1, 1)],
        [(1, 2), (1, 1), (1, 1)], [(4, 1), (1, 1), (1, 1)], [(4, 1), (1, 1), (2, 1)], [(2, 2), (2, 1), (1, 2)],
        [(1, 1), (2, 2), (1, 1)],
    ]

    @Test(arguments: samplings.indices, [0, 1, 3])
    func `an eighth equals the library's in every sampling`(sampling: Int, restartInterval: Int) {
        for (seed, density) in [(1, 0), (2, 1), (3, 4), (4, 8)] {
            let file = SequentialJPEG(
                factors: SequentialReducedTests.samplings[sampling], restartInterval: restartInterval,
                density: density, seed: UInt64(seed)
            ).data
            let library = decode(file, usesLibrary: true)
            #expect(library.pixels?.count == 8 * 6 * 4)
            #expect(decode(file, usesLibrary: false).pixels == library.pixels, "density \(density)")
        }
    }

    /// Both compute the same means if there are only low coefficients.
    @Test(arguments: samplings.indices, [0, 1, 3])
    func `a quarter of low coefficients equals the library's within two levels`(sampling: Int, restartInterval: Int) {
        let factors = SequentialReducedTests.samplings[sampling]
        let most = (factors.map(\.0).max() ?? 1, factors.map(\.1).max() ?? 1)
        for (seed, density) in [(1, 0), (2, 1), (3, 4), (4, 8)] {
            let file = SequentialJPEG(
                factors: factors, restartInterval: restartInterval, density: density, seed: UInt64(seed),
                sides: factors.map { factors.count > 1 && 2 * $0.0 <= most.0 && 2 * $0.1 <= most.1 ? 4 : 2 }
            ).data
            let library = decode(file, usesLibrary: true, parts: 2)
            #expect(library.pixels?.count == 16 * 12 * 4)
            let own = decode(file, usesLibrary: false, parts: 2)
            #expect(difference(own, library).largest <= 2, "density \(density)")
        }
    }

    @Test(arguments: [nil, 64, 130, 400] as [Int?])
    func `a table with a code of all ones is refused at every size, as by the library`(side: Int?) throws {
        var file = try JPEGEncoder().encode(.scene(PixelSize(width: 800, height: 600)))
        let table = try #require(file.firstRange(of: Data([0xFF, 0xC4]))).upperBound
        // The first table has one code of eight bits and one of nine.
        #expect(file[table + 2] == 0 && file[table + 10] == 1 && file[table + 11] == 1)
        file[table + 10] = 2
        file[table + 11] = 0
        var options = straight()
        options.targetSize = side.map { TargetSize($0) }
        #expect(decodingError { _ = try session(file).decode(options) }?.fault == .data)
    }

    @Test(arguments: [ChromaSubsampling.quarter, .full])
    func `a quarter of a photograph is like the library's`(chroma: ChromaSubsampling) throws {
        // The second is full of noise, whose high frequencies do not quite cancel out.
        let images: [(Bitmap, Double)] = [
            (try JPEGImages.waves(width: 637, height: 475), 0.5), (try .scene(PixelSize(width: 800, height: 600)), 3),
        ]
        for (image, mean) in images {
            let file = try JPEGEncoder(quality: 0.9, chroma: chroma).encode(image.converted(to: .rgb8))
            let difference = difference(
                decode(file, usesLibrary: false, parts: 2), decode(file, usesLibrary: true, parts: 2))
            #expect(difference.mean < mean && difference.largest < 60, "\(difference) \(image.size)")
        }
    }

    /// Returns the largest and the mean difference of two images; very large ones if either is missing.
    private func difference(_ first: End, _ second: End) -> (largest: Int, mean: Double) {
        guard let first = first.pixels, let second = second.pixels, first.count == second.count else {
            return (.max, .infinity)
        }
        let differences = zip(first, second).map { abs(Int($0) - Int($1)) }
        return (differences.max() ?? 0, Double(differences.reduce(0, +)) / Double(differences.count))
    }

    @Test(arguments: [1, 2])
    func `bytes may arrive in pieces of any size`(parts: Int) {
        for restartInterval in [0, 5] {
            let file = SequentialJPEG(width: 150, height: 90, restartInterval: restartInterval, density: 3).data
            let whole = decode(file, usesLibrary: false, parts: parts)
            #expect(whole.pixels != nil)
            for piece in [1, 2, 3, 7, 64, 1000] {
                #expect(decode(file, usesLibrary: false, parts: parts, piece: piece) == whole, "pieces of \(piece)")
            }
        }
    }

    @Test func `rows are there before the file is`() throws {
        let file = SequentialJPEG(width: 640, height: 640, density: 3).data
        var rows = 0
        _ = decode(file.prefix(file.count / 2), usesLibrary: false, isFinished: false) { rows = $0 }
        #expect((30..<50).contains(rows), "\(rows) of 80 rows")
    }

    @Test func `a damaged byte gives the library's result`() {
        for factors in [[(2, 2), (1, 1), (1, 1)], [(1, 1), (1, 1), (1, 1)], [(1, 1)]] {
            let file = SequentialJPEG(width: 50, height: 40, factors: factors, restartInterval: 4, density: 2).data
            // Other quantization steps (bytes 7 to 70) are not damage, but give values far outside of 8 bits, where the
            // library's vector code and its C code differ.
            for index in 2..<file.count where !(7..<71).contains(index) {
                // One change a byte, or these decodes would take a tenth of the time of all tests.
                let change: UInt8 = [0x01, 0x40, 0xFF][index % 3]
                var damaged = file
                damaged[index] ^= change
                #expect(
                    decode(damaged, usesLibrary: false) == decode(damaged, usesLibrary: true),
                    "byte \(index) changed by \(change)")
            }
        }
    }

    /// At a quarter, both accept the same files.
    @Test func `a damaged byte at a quarter is damage where it is for the library`() {
        for factors in [[(2, 2), (1, 1), (1, 1)], [(2, 1), (1, 1), (1, 1)], [(1, 1)]] {
            let file = SequentialJPEG(width: 50, height: 40, factors: factors, restartInterval: 4, density: 2).data
            for index in 2..<file.count {
                var damaged = file
                damaged[index] ^= [0x01, 0x40, 0xFF][index % 3]
                let own = decode(damaged, usesLibrary: false, parts: 2)
                let library = decode(damaged, usesLibrary: true, parts: 2)
                #expect(own.pixels?.count == library.pixels?.count, "byte \(index)")
                if own.pixels == nil { #expect(own == library, "byte \(index)") }
            }
        }
    }

    @Test func `a truncated file gives the library's result`() {
        let file = SequentialJPEG(width: 100, height: 80, density: 2).data
        for count in stride(from: 1, to: file.count, by: 13) {
            let library = decode(file.prefix(count), usesLibrary: true)
            #expect(decode(file.prefix(count), usesLibrary: false) == library, "\(count) bytes")
        }
    }

    @Test(arguments: samplings.indices, [1, 3, 5, 48])
    func `threads that share a file at its restart markers give the same`(sampling: Int, restartInterval: Int) {
        var file = SequentialJPEG(
            width: 203, height: 155, factors: SequentialReducedTests.samplings[sampling],
            restartInterval: restartInterval)
        for (seed, density) in [(1, 0), (2, 1), (3, 4)] {
            (file.seed, file.density) = (UInt64(seed), density)
            let threads = Threads()
            let shared = decode(file.data, usesLibrary: false, threads: threads)
            #expect(shared.pixels != nil)
            #expect(shared == decode(file.data, usesLibrary: false))
            #expect(threads.stripes.withLock { $0 } > 1)
            let quarter = decode(file.data, usesLibrary: false, parts: 2, threads: threads)
            #expect(quarter.pixels != nil && quarter == decode(file.data, usesLibrary: false, parts: 2))
        }
    }

    @Test func `damage found by one of several threads gives the library's result`() {
        let file = SequentialJPEG(
            width: 70, height: 40, factors: [(2, 2), (1, 1), (1, 1)], restartInterval: 2, density: 2
        ).data
        for index in stride(from: 71, to: file.count, by: 11) {
            for change: UInt8 in [0x01, 0x40, 0xFF] {
                var damaged = file
                damaged[index] ^= change
                #expect(
                    decode(damaged, usesLibrary: false, threads: Threads()) == decode(damaged, usesLibrary: true),
                    "byte \(index) changed by \(change)")
            }
        }
        for count in stride(from: 1, to: file.count, by: 41) {
            let library = decode(file.prefix(count), usesLibrary: true)
            #expect(decode(file.prefix(count), usesLibrary: false, threads: Threads()) == library, "\(count) bytes")
        }
    }

    @Test func `a file at rest is read by each thread`() throws {
        let file = SequentialJPEG(width: 1600, height: 1200, restartInterval: 7, density: 3).data
        let session = try openSession(file)
        let threads = Threads()
        let sharing = try #require(session as? any WorkSharing)
        sharing.stripes = threads
        try #require(session as? any ByteSourceReading).read(from: MemoryByteSource(file))
        session.finish()
        var options = straight()
        options.subsamplingLevel = 8
        #expect(try packed(session.decode(options)) == decode(file, usesLibrary: true).pixels)
        // Stripes of at least 256 KiB, the last one excepted.
        #expect((2...file.count / (256 << 10) + 1).contains(threads.stripes.withLock { $0 }))
    }

    /// Threads that process stripes, in any order.
    private final class Threads: StripeExecutor {
        let stripes = Locked(0)
        let idleThreads = 3

        func perform(_ count: Int, _ body: @Sendable (Int) -> Void) {
            stripes.withLock { $0 += count }
            DispatchQueue.concurrentPerform(iterations: count) { body(count - 1 - $0) }
        }
    }

    @Test func `large files take this way by default`() throws {
        let image = try JPEGImages.waves(width: 640, height: 480)
        for chroma in [ChromaSubsampling.quarter, .full] {
            let file = try JPEGEncoder(quality: 0.9, chroma: chroma, optimized: true).encode(image)
            let open = try session(file)
            var options = straight()
            options.subsamplingLevel = 8
            #expect(try packed(open.decode(options)) == decode(file, usesLibrary: true).pixels)
            #expect(open.bytesNeeded == file.count)
        }
    }

    /// Decodes a file at an eighth, or with `parts` 2 at a quarter, in pieces.
    private func decode(
        _ file: Data, usesLibrary: Bool, parts: Int = 1, piece: Int = .max, isFinished: Bool = true,
        threads: Threads? = nil, rows report: (Int) -> Void = { _ in }
    ) -> End {
        let reader = JPEGReader(
            limits: ImageLimits(), minimumSequentialPixels: usesLibrary ? Int.max : 0, bytesOfStripe: 40)
        if let threads { reader.stripes = threads }
        var chain = ByteChain()
        var source: (any RowSource)?
        var pixels: [UInt8] = []
        var rows = 0
        var offset = file.startIndex
        do throws(ImageError) {
            while true {
                if offset < file.endIndex {
                    let end = file.endIndex - offset > piece ? offset + piece : file.endIndex
                    chain.append(file[offset..<end])
                    offset = end
                    if threads != nil { chain.finish() }
                } else if isFinished {
                    chain.finish()
                }
                try reader.scan(&chain)
                if source == nil, let properties = reader.properties {
                    let size = properties.size
                    let least = PixelSize(
                        width: (size.width * parts + 7) / 8, height: (size.height * parts + 7) / 8)
                    source = try reader.openFrame(RowRequest(layout: .rgba8, least: least), chain)
                }
                var state = RowProgress.State.more
                while let source, state == .more {
                    let row = source.size.width * 4
                    if pixels.isEmpty { pixels = [UInt8](repeating: 0, count: row * source.size.height) }
                    var progress: RowProgress?
                    var failure: ImageError?
                    pixels.withUnsafeMutableBytes { bytes in
                        guard let base = bytes.baseAddress else { return }
                        do throws(ImageError) {
                            let rest = RowMemory(
                                base + rows * row, bytesPerRow: row, rowBytes: row, rows: source.size.height - rows)
                            progress = try source.read(chain, into: rest)
                        } catch {
                            failure = error
                        }
                    }
                    if let failure { throw failure }
                    rows += progress?.rows ?? 0
                    state = progress?.state ?? .end
                    report(rows)
                    if state == .end { return .pixels(pixels) }
                }
                if offset == file.endIndex, chain.isFinished || !isFinished { return .noSource }
            }
        } catch {
            return .failed(error.fault)
        }
    }
}
