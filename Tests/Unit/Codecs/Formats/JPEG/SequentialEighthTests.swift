import FirnImage
import FirnSync
import Foundation
import Testing

@testable import FirnCodecs

/// Tests that a sequential JPEG at an eighth has the library's pixels, although only part of it is decoded.
@Suite struct SequentialEighthTests {
    /// What a decode ends in: pixels, or the fault of its error.
    enum End: Equatable {
        case pixels([UInt8])
        case failed(ImageDecodingError.Fault)
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
                factors: SequentialEighthTests.samplings[sampling], restartInterval: restartInterval,
                density: density, seed: UInt64(seed)
            ).data
            let library = decode(file, usesLibrary: true)
            #expect(library.pixels?.count == 8 * 6 * 4)
            #expect(decode(file, usesLibrary: false).pixels == library.pixels, "density \(density)")
        }
    }

    @Test func `bytes may arrive in pieces of any size`() {
        for restartInterval in [0, 5] {
            let file = SequentialJPEG(width: 150, height: 90, restartInterval: restartInterval, density: 3).data
            let whole = decode(file, usesLibrary: false)
            #expect(whole.pixels != nil)
            for piece in [1, 2, 3, 7, 64, 1000] {
                #expect(decode(file, usesLibrary: false, piece: piece) == whole, "pieces of \(piece)")
            }
        }
    }

    @Test func `rows are there before the file is`() throws {
        let file = SequentialJPEG(width: 640, height: 640, density: 3).data
        var rows = 0
        _ = decode(file.prefix(file.count / 2), usesLibrary: false, isFinished: false) { rows = $0 }
        #expect((30..<50).contains(rows), "\(rows) of 80 rows")
    }

    @Test func `a damaged byte gives what the library gives`() {
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

    @Test func `a file cut short gives what the library gives`() {
        let file = SequentialJPEG(width: 100, height: 80, density: 2).data
        for count in stride(from: 1, to: file.count, by: 13) {
            let library = decode(file.prefix(count), usesLibrary: true)
            #expect(decode(file.prefix(count), usesLibrary: false) == library, "\(count) bytes")
        }
    }

    @Test(arguments: samplings.indices, [1, 3, 5, 48])
    func `threads that share a file at its restart markers give the same`(sampling: Int, restartInterval: Int) {
        var file = SequentialJPEG(
            width: 203, height: 155, factors: SequentialEighthTests.samplings[sampling],
            restartInterval: restartInterval)
        for (seed, density) in [(1, 0), (2, 1), (3, 4)] {
            (file.seed, file.density) = (UInt64(seed), density)
            let threads = Threads()
            let shared = decode(file.data, usesLibrary: false, threads: threads)
            #expect(shared.pixels != nil)
            #expect(shared == decode(file.data, usesLibrary: false))
            #expect(threads.stripes.withLock { $0 } > 1)
        }
    }

    @Test func `damage that one of several threads finds gives what the library gives`() {
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
        for chroma in [JPEGEncoder.Chroma.quarter, .full] {
            let file = try JPEGEncoder(quality: 0.9, chroma: chroma, optimized: true).encode(image)
            let open = try session(file)
            var options = straight()
            options.subsamplingLevel = 8
            #expect(try packed(open.decode(options)) == decode(file, usesLibrary: true).pixels)
            #expect(open.bytesNeeded == file.count)
        }
    }

    /// Decodes a file at an eighth, in pieces.
    private func decode(
        _ file: Data, usesLibrary: Bool, piece: Int = .max, isFinished: Bool = true, threads: Threads? = nil,
        rows report: (Int) -> Void = { _ in }
    ) -> End {
        let reader = JPEGReader(
            limits: ImageLimits(), leastSequentialPixels: usesLibrary ? Int.max : 0, bytesOfStripe: 40)
        if let threads { reader.stripes = threads }
        let watch = DecodingWatch(CancellationFlag(), limit: nil)
        var chain = ByteChain()
        var source: (any RowSource)?
        var pixels: [UInt8] = []
        var rows = 0
        var offset = file.startIndex
        do throws(ImageDecodingError) {
            while true {
                if offset < file.endIndex {
                    let end = file.endIndex - offset > piece ? offset + piece : file.endIndex
                    chain.append(file[offset..<end])
                    offset = end
                    if threads != nil { chain.finish() }
                } else if isFinished {
                    chain.finish()
                }
                try reader.scan(&chain, watch)
                if source == nil, let properties = reader.properties {
                    let size = properties.size
                    let least = PixelSize(width: (size.width + 7) / 8, height: (size.height + 7) / 8)
                    source = try reader.openFrame(0, RowRequest(layout: .rgba8, least: least), chain)
                }
                var state = RowProgress.State.more
                while let source, state == .more {
                    let row = source.size.width * 4
                    if pixels.isEmpty { pixels = [UInt8](repeating: 0, count: row * source.size.height) }
                    var progress: RowProgress?
                    var failure: ImageDecodingError?
                    pixels.withUnsafeMutableBytes { bytes in
                        guard let base = bytes.baseAddress else { return }
                        do throws(ImageDecodingError) {
                            progress = try source.read(
                                chain, into: base + rows * row, bytesPerRow: row, rows: source.size.height - rows)
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
