#if HEIC
import FirnCodecs
import FirnImage
import FirnSync
import FirnSystem
import Testing

/// Tests programs that exit while libraries decode.
@Suite struct ExitTests {
    /// Decodes in this process; false if that failed.
    private static func decodes() -> Bool {
        var decoder = FormatDecoder.heic
        decoder.isolation = DecoderIsolation.none
        let session = decoder.makeSession(limits: ImageLimits(), cancellation: CancellationFlag())
        do {
            try session.append(ModernSamples.twoHEIC)
            session.finish()
            return try session.decode(DecodingOptions()).size.width > 0
        } catch {
            return false
        }
    }

    @Test func `the end of the process waits for libraries, refuses further calls and keeps the status`() async {
        await #expect(processExitsWith: .exitCode(7)) {
            // Order: runs after what is registered later, so after the wait that the first decode registers.
            atexit { if ExitTests.decodes() { _exit(1) } }
            let hasDecoded = ThreadParker()
            WorkerThread.start {
                while true {
                    if ExitTests.decodes() { hasDecoded.unpark() }
                }
            }
            _ = hasDecoded.park(until: nil)
            exit(7)
        }
    }
}
#endif
