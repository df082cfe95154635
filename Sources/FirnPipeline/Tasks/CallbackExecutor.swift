public import Dispatch

/// Where a completion handler is called.
public struct CallbackExecutor: Sendable {
    let run: @Sendable (@escaping @Sendable () -> Void) -> Void

    /// Calls are made by `run`, in the order they are handed to it.
    public init(_ run: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void) { self.run = run }

    /// On a dispatch queue.
    public init(_ queue: DispatchQueue) { self.init { queue.async(execute: $0) } }

    /// On the main queue, which is the main actor's; the default.
    public static let main = CallbackExecutor(DispatchQueue.main)

    /// On whichever thread of the engine's the event happens, without a hop. The handler must be quick.
    public static let immediate = CallbackExecutor { $0() }
}
