#if GTK
package import CGTK4

/// Connects Swift closures as signal handlers.
@MainActor
package enum SignalClosure {
    private typealias Plain = @MainActor () -> Void

    /// Calls `body` for each emission of a signal, with any arguments, until the object is freed.
    @discardableResult
    package static func connectAny(
        _ object: UnsafeMutableRawPointer, _ signal: String, _ body: @escaping @MainActor () -> Void
    ) -> gulong {
        // Swapped: the context comes first, and the arguments after it are ignored. The constant has another name in
        // Swift from GLib 2.88 on, so the flag is its number.
        let swapped = GConnectFlags(rawValue: 1 << 1)
        let call: @MainActor @convention(c) (gpointer?) -> Void = { context in
            guard let context else { return }
            (SignalClosure.body(context) as Plain)()
        }
        return connect(object, signal, unsafeBitCast(call, to: GCallback.self), body, swapped)
    }

    /// Calls `body` for each emission of a signal without arguments of its own, until the object is freed.
    @discardableResult
    package static func connect(
        _ object: UnsafeMutableRawPointer, _ signal: String, _ body: @escaping @MainActor () -> Void
    ) -> gulong {
        let call: @MainActor @convention(c) (gpointer?, gpointer?) -> Void = { _, context in
            guard let context else { return }
            (SignalClosure.body(context) as Plain)()
        }
        return connect(object, signal, unsafeBitCast(call, to: GCallback.self), body)
    }

    /// Calls `body` for each emission of a signal with one argument, an object, until the object is freed.
    @discardableResult
    package static func connect(
        _ object: UnsafeMutableRawPointer, _ signal: String, object body: @escaping @MainActor (OpaquePointer) -> Void
    ) -> gulong {
        let call: @MainActor @convention(c) (gpointer?, OpaquePointer?, gpointer?) -> Void = { _, argument, context in
            guard let context, let argument else { return }
            (SignalClosure.body(context) as @MainActor (OpaquePointer) -> Void)(argument)
        }
        return connect(object, signal, unsafeBitCast(call, to: GCallback.self), body)
    }

    /// Calls `body` for each emission of a signal with one argument, a number, until the object is freed.
    @discardableResult
    package static func connect(
        _ object: UnsafeMutableRawPointer, _ signal: String, number body: @escaping @MainActor (UInt32) -> Void
    ) -> gulong {
        let call: @MainActor @convention(c) (gpointer?, guint, gpointer?) -> Void = { _, number, context in
            guard let context else { return }
            (SignalClosure.body(context) as @MainActor (UInt32) -> Void)(number)
        }
        return connect(object, signal, unsafeBitCast(call, to: GCallback.self), body)
    }

    /// Calls `body` for each click, with the number of clicks in a row and the place.
    @discardableResult
    package static func connect(
        _ object: UnsafeMutableRawPointer, _ signal: String,
        click body: @escaping @MainActor (Int, Double, Double) -> Void
    ) -> gulong {
        let call: @MainActor @convention(c) (gpointer?, gint, Double, Double, gpointer?) -> Void = {
            _, count, x, y, context in
            guard let context else { return }
            (SignalClosure.body(context) as @MainActor (Int, Double, Double) -> Void)(Int(count), x, y)
        }
        return connect(object, signal, unsafeBitCast(call, to: GCallback.self), body)
    }

    /// Calls `body` for each key press, with the key's value and the modifiers; `true` consumes the key.
    @discardableResult
    package static func connectKey(
        _ object: UnsafeMutableRawPointer, _ signal: String,
        _ body: @escaping @MainActor (UInt32, GdkModifierType) -> Bool
    ) -> gulong {
        let call: @MainActor @convention(c) (gpointer?, guint, guint, GdkModifierType, gpointer?) -> gboolean = {
            _, key, _, modifiers, context in
            guard let context else { return 0 }
            return (SignalClosure.body(context) as @MainActor (UInt32, GdkModifierType) -> Bool)(key, modifiers) ? 1 : 0
        }
        return connect(object, signal, unsafeBitCast(call, to: GCallback.self), body)
    }

    /// Calls `body` for each signal with two numbers, and with the last two numbers of one with three: clicks, drags
    /// and turns of a wheel. The result counts if the signal has one.
    @discardableResult
    package static func connectPoint(
        _ object: UnsafeMutableRawPointer, _ signal: String, afterCount: Bool = false,
        _ body: @escaping @MainActor (Double, Double) -> Bool
    ) -> gulong {
        if afterCount { return connect(object, signal, click: { _, x, y in _ = body(x, y) }) }
        let call: @MainActor @convention(c) (gpointer?, Double, Double, gpointer?) -> gboolean = { _, x, y, context in
            guard let context else { return 0 }
            return (SignalClosure.body(context) as @MainActor (Double, Double) -> Bool)(x, y) ? 1 : 0
        }
        return connect(object, signal, unsafeBitCast(call, to: GCallback.self), body)
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
                (SignalClosure.body(context) as @MainActor (UnsafePointer<GValue>) -> Void)(value)
                return 1
            }
        return connect(object, signal, unsafeBitCast(call, to: GCallback.self), body)
    }

    /// Sets a function of a class, which GTK calls on the main thread. Its type is that of `slot`, but for the actor.
    static func assign<Function, Slot>(_ function: Function, to slot: inout Slot) {
        slot = unsafeBitCast(function, to: Slot.self)
    }

    /// Retains a closure as the context of a signal handler.
    private final class Handler<Body> {
        let body: Body
        init(_ body: Body) { self.body = body }
    }

    /// Returns the closure of a context. `Body` must be the type that it was connected with.
    private static func body<Body>(_ context: gpointer) -> Body {
        Unmanaged<Handler<Body>>.fromOpaque(context).takeUnretainedValue().body
    }

    private static func connect<Body>(
        _ object: UnsafeMutableRawPointer, _ signal: String, _ call: @escaping GCallback, _ body: Body,
        _ flags: GConnectFlags = GConnectFlags(rawValue: 0)
    ) -> gulong {
        g_signal_connect_data(
            object, signal, call, Unmanaged.passRetained(Handler(body)).toOpaque(),
            { context, _ in if let context { Unmanaged<AnyObject>.fromOpaque(context).release() } }, flags)
    }
}
#endif
