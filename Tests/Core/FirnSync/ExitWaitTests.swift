import FirnSync
import FirnSystem
import Testing

@Suite(.timeLimit(.minutes(2))) struct ExitWaitTests {
    /// Unparked when `exit` has begun.
    private static let exiting = ThreadParker()

    /// Writes to standard error without a lock or a buffer.
    private static func note(_ text: StaticString) { _ = write(STDERR_FILENO, text.utf8Start, text.utf8CodeUnitCount) }

    @Test func `exit waits for work that another thread ends meanwhile`() async throws {
        let result = await #expect(processExitsWith: .exitCode(0), observing: [\.standardErrorContent]) {
            ExitWait.begin()
            // Order: registered last, so it runs before the wait.
            atexit { ExitWaitTests.exiting.unpark() }
            WorkerThread.start {
                _ = ExitWaitTests.exiting.park(until: nil)
                ExitWaitTests.note("done")
                ExitWait.end()
            }
            exit(0)
        }
        #expect(String(decoding: try #require(result).standardErrorContent, as: UTF8.self).contains("done"))
    }

    @Test func `exit does not wait longer than its limit for work that does not end`() async {
        await #expect(processExitsWith: .exitCode(0)) {
            ExitWait.begin()
            exit(0)
        }
    }
}
