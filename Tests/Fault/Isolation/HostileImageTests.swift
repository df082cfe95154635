import FirnImage
import FirnSync
import FirnSystem
import FoundationEssentials
import Testing

@testable import FirnCodecs

@Suite("Hostile images in isolated decoders", .serialized)
struct HostileImageTests {
    @Test func `a library that crashes fails its image, and the next one decodes`() throws {
        let program = try NamedDecoder.crashing()
        defer { program.remove() }
        let isolation = program.isolation
        // Other versions of librsvg draw it.
        if let error = failure(of: IsolatedImages.crashing, isolation) { #expect(error.fault == .data) }
        let next = try IsolatedImages.decode(IsolatedImages.red, isolation)
        #expect(IsolatedImages.firstPixel(next) == [0, 0, 255, 255])
    }

    @Test func `a library that computes without end is stopped by the caller's time`() throws {
        let start = ContinuousClock.now
        var limits = ImageLimits()
        limits.maximumDecodingTime = .seconds(1)
        // Newer versions of librsvg limit the octaves themselves.
        if let error = failure(of: IsolatedImages.endless, limits: limits) {
            #expect(error.fault == .limit && error.setting == "ImageLimits.maximumDecodingTime")
        }
        #expect(ContinuousClock.now - start < .seconds(60))
        #expect(IsolatedImages.firstPixel(try IsolatedImages.decode(IsolatedImages.red)) == [0, 0, 255, 255])
    }

    @Test func `a library that needs more memory than the caller allows fails with a limit`() throws {
        var limits = ImageLimits()
        limits.maximumWorkingBytes = 256 << 20
        let error = try #require(failure(of: IsolatedImages.hungry, limits: limits))
        #expect(error.fault == .limit && error.setting == "ImageLimits.maximumWorkingBytes")
        #expect(IsolatedImages.firstPixel(try IsolatedImages.decode(IsolatedImages.red)) == [0, 0, 255, 255])
    }

    @Test func `a decode in another process ends when it is cancelled`() throws {
        let program = try NamedDecoder("firn-cancelled")
        defer { program.remove() }
        let flag = CancellationFlag()
        let isDone = CancellationFlag()
        let thread = try #require(
            WorkerThread.startJoinable {
                while !isDone.isCancelled, program.workers().isEmpty { sched_yield() }
                flag.cancel()
            })
        do {
            // Newer versions of librsvg limit the octaves themselves, and may be done before.
            _ = try IsolatedImages.decode(IsolatedImages.endless, program.isolation, cancellation: flag)
        } catch let error as ImageError {
            #expect(error.fault == .cancelled)
        }
        isDone.cancel()
        pthread_join(thread, nil)
    }

    @Test func `a required decoder that is missing is an error, not a decode in the program's process`() {
        var isolation = DecoderIsolation.complexFormats
        isolation.decoderPath = "/nonexistent/firn-decoder"
        #expect(throws: ImageError.self) { try isolation.check() }
        #expect(throws: ImageError.self) { try ImageDecoders.standard(isolation: isolation) }
        var decoder = FormatDecoder.svg
        decoder.isolation = isolation
        let session = decoder.makeSession(limits: ImageLimits(), cancellation: CancellationFlag())
        let error = #expect(throws: ImageError.self) {
            try session.append(IsolatedImages.red)
            session.finish()
            _ = try session.decode(DecodingOptions())
        }
        #expect(error?.fault == .unsupported)
    }

    @Test func `a decoder that is not required and missing leaves the decode to the program's process`() throws {
        var isolation = DecoderIsolation.automatic
        isolation.decoderPath = "/nonexistent/firn-decoder"
        #expect(
            IsolatedImages.firstPixel(try IsolatedImages.decode(IsolatedImages.red, isolation)) == [0, 0, 255, 255])
    }

    private func failure(
        of data: Data, _ isolation: DecoderIsolation = IsolatedImages.real, limits: ImageLimits = ImageLimits()
    ) -> ImageError? {
        do {
            _ = try IsolatedImages.decode(data, isolation, limits: limits)
            return nil
        } catch {
            return error as? ImageError
        }
    }
}
