/// Processes the stripes of an image, in any order and on any threads.
package protocol StripeExecutor: Sendable {
    /// Calls `body` with each number from 0 to `count - 1`, once, and returns when all calls have returned.
    ///
    /// The calling thread takes part. `body` may be called on several threads at once.
    func perform(_ count: Int, _ body: @Sendable (Int) -> Void)

    /// The number of threads that would help the calling thread now. Work that costs more in stripes than in one piece
    /// is divided only if it is above 0.
    var idleThreads: Int { get }
}

extension StripeExecutor {
    /// The default has no threads but the calling one.
    package var idleThreads: Int { 0 }
}

/// Processes stripes on the calling thread, one after the other.
package struct SerialStripes: StripeExecutor {
    /// Creates an executor.
    package init() {}

    /// Calls `body` with each number, in order.
    package func perform(_ count: Int, _ body: @Sendable (Int) -> Void) {
        for index in 0..<max(0, count) { body(index) }
    }
}
