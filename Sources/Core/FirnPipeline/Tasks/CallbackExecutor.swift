package import Dispatch

/// The thread or queue on which completion handlers are called.
package struct CallbackExecutor: Sendable {
    let run: @Sendable (@escaping @Sendable () -> Void) -> Void

    /// Creates an executor that passes calls to `run`, in order.
    package init(_ run: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void) { self.run = run }

    /// Creates an executor that calls handlers on a dispatch queue.
    package init(_ queue: DispatchQueue) { self.init { queue.async(execute: $0) } }

    /// Calls handlers on the main queue, which is the main actor's.
    package static let main = CallbackExecutor(DispatchQueue.main)

    /// Calls handlers on the engine's thread where the event happens, without a hop. A handler must return quickly.
    package static let immediate = CallbackExecutor { $0() }
}
