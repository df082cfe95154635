import CFirnCodecs
import FirnImage
import FoundationEssentials
import Synchronization
import Testing
import FirnSync

@testable import FirnCodecs

/// Tests the work on the tables of a file in this process: it grows with their length, and ends with the call.
@Suite struct FileWorkTests {
    /// Returns a session that has received no byte yet, and decodes in this process.
    private func openSession(
        _ file: Data, limits: ImageLimits, cancellation: CancellationFlag = CancellationFlag()
    ) throws -> FormatSession {
        let decoders = ImageDecoders.standard.compactMap { $0 as? FormatDecoder }
        var decoder = try #require(decoders.first { $0.recognizes(file) != nil })
        decoder.isolation = DecoderIsolation.none
        return try #require(decoder.makeSession(limits: limits, cancellation: cancellation) as? FormatSession)
    }

    /// The limits without those of frames and time.
    private var unlimited: ImageLimits {
        var limits = ImageLimits()
        limits.maximumFrames = Int(Int32.max)
        limits.maximumDecodingTime = nil
        return limits
    }

    /// Does everything that a program asks of a file.
    private func use(_ session: FormatSession, decodes: Bool) throws {
        _ = try session.properties()
        _ = try session.frames()
        if decodes { _ = try session.decode(straight()) }
    }

    // MARK: Growth

    @Test(arguments: FileTable.all)
    func `the steps grow with the length of a table, not with its square (F29)`(table: FileTable) throws {
        var before = 0
        for count in table.lengths {
            let file = table.file(count)
            let session = try openSession(file, limits: unlimited)
            try session.append(file)
            session.finish()
            // The file may still be unusable.
            try? use(session, decodes: table.decodes)
            let steps = session.chain.watch.steps
            #expect(table.isBounded || steps >= count / 4_096, "\(count) entries: \(steps) steps, not all are counted")
            if before > 0 { #expect(steps <= before * 11 + 10_000, "\(count) entries took \(steps) steps") }
            before = steps
        }
    }

    @Test func `samples that share their bytes too often are refused`() throws {
        let count = 1_000
        var file = HandmadeSequence(
            samples: count, sampleBytes: 4_000, chunks: [Int](repeating: 0, count: count),
            media: [UInt8](repeating: 0, count: 4_000))
        file.chunks = [Int](repeating: file.head.count, count: count)
        let session = try session(file.data)
        #expect(decodingError { _ = try session.properties() }?.fault == .data)
    }

    @Test func `an image that is held for ever is shown for the longest duration`() throws {
        let edit = HandmadeSequence.Edit(duration: Int.max, start: 0, dwells: true)
        let session = try session(HandmadeSequence(edits: [edit], timescale: 1).data)
        #expect(try session.properties()?.frameDurations == [.milliseconds(Int(UInt32.max))])
        #expect(try session.frames().map(\.duration) == [.milliseconds(Int(UInt32.max))])
    }

    // MARK: Ends

    @Test(arguments: FileTable.all)
    func `cancelling ends the description of a file at once`(table: FileTable) throws {
        // Long enough for two blocks of a file at rest.
        let file = table.file(min(table.most, 200_000))
        let flag = CancellationFlag()
        let session = try openSession(file, limits: unlimited, cancellation: flag)
        let source = CancellingSource(file, flag, session.chain.watch)
        try session.read(from: source)
        session.finish()
        let error = decodingError { try use(session, decodes: true) }
        #expect(error?.fault == .cancelled)
        let steps = session.chain.watch.steps - source.stepsBefore
        // The steps to the next look, one read that counts as many, and what was under way.
        #expect(steps <= 4 * DecodingWatch.stepsPerLook, "\(steps) steps after the cancellation")
    }

    @Test(arguments: FileTable.all)
    func `the limit of time ends the description of a file`(table: FileTable) throws {
        let file = table.file(min(table.most, 100_000))
        var limits = unlimited
        limits.maximumDecodingTime = .nanoseconds(-1)
        let session = try openSession(file, limits: limits)
        try session.append(file)
        session.finish()
        #expect(decodingError { try use(session, decodes: true) }?.fault == .limit)
    }

    @Test func `a session whose call ended at its limit starts over with the same bytes`() throws {
        let file = HandmadePNG(width: 2, height: 2, colorType: 0, rows: [[1, 2], [3, 4]]).data
        let session = try openSession(file, limits: unlimited)
        try session.append(file)
        session.finish()
        let reader = session.reader
        let error = decodingError {
            _ = try session.timed { () throws(ImageError) in
                session.chain.watch.start(limit: .nanoseconds(-1))
                // The loops of a reader that overlook the end get no further bytes.
                for _ in 0..<DecodingWatch.stepsPerLook { _ = session.chain.byte(at: 0) }
                return session.chain.byte(at: 0)
            }
        }
        #expect(error?.fault == .limit)
        #expect(session.reader !== reader)
        #expect(session.chain.byte(at: 0) == nil)
        #expect(try packed(session.decode(straight())).prefix(4) == [1, 1, 1, 255])
    }
}

/// A file at rest whose second read sets a flag.
private final class CancellingSource: ByteSource {
    private let data: Data
    private let flag: CancellationFlag
    private let watch: DecodingWatch
    private let reads = Atomic<Int>(0)
    private let steps = Atomic<Int>(0)

    init(_ data: Data, _ flag: CancellationFlag, _ watch: DecodingWatch) {
        self.data = data
        self.flag = flag
        self.watch = watch
    }

    var count: Int { data.count }

    /// The steps counted before the flag was set.
    var stepsBefore: Int { steps.load(ordering: .relaxed) }

    func read(at offset: Int, count: Int) -> Data {
        if reads.wrappingAdd(1, ordering: .relaxed).newValue == 2 {
            steps.store(watch.steps, ordering: .relaxed)
            flag.cancel()
        }
        return data.dropFirst(offset).prefix(count)
    }
}
