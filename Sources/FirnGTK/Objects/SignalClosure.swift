import CGTK4

/// Swift closures as handlers of signals.
@MainActor
enum SignalClosure {
    private final class Handler {
        let body: @MainActor () -> Void
        init(_ body: @escaping @MainActor () -> Void) { self.body = body }
    }

    private final class ObjectHandler {
        let body: @MainActor (OpaquePointer) -> Void
        init(_ body: @escaping @MainActor (OpaquePointer) -> Void) { self.body = body }
    }

    /// Calls `body` for each emission of a signal without arguments of its own, until the object is gone.
    @discardableResult
    static func connect(
        _ object: UnsafeMutableRawPointer, _ signal: String, _ body: @escaping @MainActor () -> Void
    ) -> gulong {
        let call: @MainActor @convention(c) (gpointer?, gpointer?) -> Void = { _, context in
            guard let context else { return }
            Unmanaged<Handler>.fromOpaque(context).takeUnretainedValue().body()
        }
        return g_signal_connect_data(
            object, signal, unsafeBitCast(call, to: GCallback.self), Unmanaged.passRetained(Handler(body)).toOpaque(),
            { context, _ in if let context { Unmanaged<Handler>.fromOpaque(context).release() } }, GConnectFlags(0))
    }

    /// The same for a signal with one argument, an object.
    @discardableResult
    static func connect(
        _ object: UnsafeMutableRawPointer, _ signal: String, object body: @escaping @MainActor (OpaquePointer) -> Void
    ) -> gulong {
        let call: @MainActor @convention(c) (gpointer?, OpaquePointer?, gpointer?) -> Void = { _, argument, context in
            guard let context, let argument else { return }
            Unmanaged<ObjectHandler>.fromOpaque(context).takeUnretainedValue().body(argument)
        }
        return g_signal_connect_data(
            object, signal, unsafeBitCast(call, to: GCallback.self),
            Unmanaged.passRetained(ObjectHandler(body)).toOpaque(),
            { context, _ in if let context { Unmanaged<ObjectHandler>.fromOpaque(context).release() } },
            GConnectFlags(0))
    }
}
