package import CGTK4

/// Connects Swift closures as signal handlers.
@MainActor
package enum SignalClosure {
    private final class Handler {
        let body: @MainActor () -> Void
        init(_ body: @escaping @MainActor () -> Void) { self.body = body }
    }

    /// Calls `body` for each emission of a signal, with any arguments, until the object is gone.
    @discardableResult
    package static func connectAny(
        _ object: UnsafeMutableRawPointer, _ signal: String, _ body: @escaping @MainActor () -> Void
    ) -> gulong {
        // Swapped: the context comes first, and the arguments after it are ignored.
        let call: @MainActor @convention(c) (gpointer?) -> Void = { context in
            guard let context else { return }
            Unmanaged<Handler>.fromOpaque(context).takeUnretainedValue().body()
        }
        return g_signal_connect_data(
            object, signal, unsafeBitCast(call, to: GCallback.self), Unmanaged.passRetained(Handler(body)).toOpaque(),
            { context, _ in if let context { Unmanaged<Handler>.fromOpaque(context).release() } }, G_CONNECT_SWAPPED)
    }

    private final class ObjectHandler {
        let body: @MainActor (OpaquePointer) -> Void
        init(_ body: @escaping @MainActor (OpaquePointer) -> Void) { self.body = body }
    }

    /// Calls `body` for each emission of a signal without arguments of its own, until the object is gone.
    @discardableResult
    package static func connect(
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

    /// Calls `body` for each emission of a signal with one argument, an object, until the object is gone.
    @discardableResult
    package static func connect(
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

    private final class NumberHandler {
        let body: @MainActor (UInt32) -> Void
        init(_ body: @escaping @MainActor (UInt32) -> Void) { self.body = body }
    }

    /// Calls `body` for each emission of a signal with one argument, a number, until the object is gone.
    @discardableResult
    package static func connect(
        _ object: UnsafeMutableRawPointer, _ signal: String, number body: @escaping @MainActor (UInt32) -> Void
    ) -> gulong {
        let call: @MainActor @convention(c) (gpointer?, guint, gpointer?) -> Void = { _, number, context in
            guard let context else { return }
            Unmanaged<NumberHandler>.fromOpaque(context).takeUnretainedValue().body(number)
        }
        return g_signal_connect_data(
            object, signal, unsafeBitCast(call, to: GCallback.self),
            Unmanaged.passRetained(NumberHandler(body)).toOpaque(),
            { context, _ in if let context { Unmanaged<NumberHandler>.fromOpaque(context).release() } },
            GConnectFlags(0))
    }

    private final class KeyHandler {
        let body: @MainActor (UInt32, Bool) -> Bool
        init(_ body: @escaping @MainActor (UInt32, Bool) -> Bool) { self.body = body }
    }

    /// Calls `body` for each key press, with the key's value and whether Control is held; `true` consumes the key.
    @discardableResult
    package static func connectKey(
        _ object: UnsafeMutableRawPointer, _ signal: String, _ body: @escaping @MainActor (UInt32, Bool) -> Bool
    ) -> gulong {
        let call: @MainActor @convention(c) (gpointer?, guint, guint, GdkModifierType, gpointer?) -> gboolean = {
            _, key, _, modifiers, context in
            guard let context else { return 0 }
            let isControl = modifiers.rawValue & GDK_CONTROL_MASK.rawValue != 0
            return Unmanaged<KeyHandler>.fromOpaque(context).takeUnretainedValue().body(key, isControl) ? 1 : 0
        }
        return g_signal_connect_data(
            object, signal, unsafeBitCast(call, to: GCallback.self),
            Unmanaged.passRetained(KeyHandler(body)).toOpaque(),
            { context, _ in if let context { Unmanaged<KeyHandler>.fromOpaque(context).release() } }, GConnectFlags(0))
    }

    private final class DropHandler {
        let body: @MainActor (UnsafePointer<GValue>) -> Void
        init(_ body: @escaping @MainActor (UnsafePointer<GValue>) -> Void) { self.body = body }
    }

    /// Calls `body` for each value that is dropped on a widget; every drop is accepted.
    @discardableResult
    package static func connectDrop(
        _ object: UnsafeMutableRawPointer, _ signal: String,
        _ body: @escaping @MainActor (UnsafePointer<GValue>) -> Void
    ) -> gulong {
        let call: @MainActor @convention(c) (gpointer?, UnsafePointer<GValue>?, Double, Double, gpointer?) -> gboolean =
            {
                _, value, _, _, context in
                guard let context, let value else { return 0 }
                Unmanaged<DropHandler>.fromOpaque(context).takeUnretainedValue().body(value)
                return 1
            }
        return g_signal_connect_data(
            object, signal, unsafeBitCast(call, to: GCallback.self),
            Unmanaged.passRetained(DropHandler(body)).toOpaque(),
            { context, _ in if let context { Unmanaged<DropHandler>.fromOpaque(context).release() } }, GConnectFlags(0))
    }
}
