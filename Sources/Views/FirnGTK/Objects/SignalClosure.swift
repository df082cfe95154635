#if GTK
package import CGTK4

/// Connects Swift closures as signal handlers.
@MainActor
package enum SignalClosure {
    /// Calls `body` for each emission of a signal, with any arguments, until the object is freed.
    @discardableResult
    package static func connect(
        _ object: UnsafeMutableRawPointer, _ signal: String, _ body: @escaping @MainActor () -> Void
    ) -> gulong {
        // Swapped: the context comes first, and the arguments after it are ignored. A number, because the name of the
        // constant in Swift changes with GLib 2.88.
        let swapped = GConnectFlags(rawValue: 1 << 1)
        let call: @MainActor @convention(c) (gpointer?) -> Void = { context in
            (SignalClosure.body(context) as (@MainActor () -> Void)?)?()
        }
        return connect(object, signal, calling: call, with: body, swapped)
    }

    /// Calls `body` for each emission of a signal with one argument, an object, until the object is freed.
    package static func connectObject(
        _ object: UnsafeMutableRawPointer, _ signal: String, _ body: @escaping @MainActor (OpaquePointer) -> Void
    ) {
        let call: @MainActor @convention(c) (gpointer?, OpaquePointer?, gpointer?) -> Void = { _, argument, context in
            if let argument { (SignalClosure.body(context) as (@MainActor (OpaquePointer) -> Void)?)?(argument) }
        }
        connect(object, signal, calling: call, with: body)
    }

    /// Calls `body` for each emission of a signal with one argument, a number, until the object is freed.
    package static func connectNumber(
        _ object: UnsafeMutableRawPointer, _ signal: String, _ body: @escaping @MainActor (UInt32) -> Void
    ) {
        let call: @MainActor @convention(c) (gpointer?, guint, gpointer?) -> Void = { _, number, context in
            (SignalClosure.body(context) as (@MainActor (UInt32) -> Void)?)?(number)
        }
        connect(object, signal, calling: call, with: body)
    }

    /// Calls `body` for each emission of a signal with one argument, a floating-point number, until the object is
    /// freed.
    package static func connectDouble(
        _ object: UnsafeMutableRawPointer, _ signal: String, _ body: @escaping @MainActor (Double) -> Void
    ) {
        let call: @MainActor @convention(c) (gpointer?, Double, gpointer?) -> Void = { _, number, context in
            (SignalClosure.body(context) as (@MainActor (Double) -> Void)?)?(number)
        }
        connect(object, signal, calling: call, with: body)
    }

    /// Calls `body` for each click, with the number of clicks in a row and the position.
    package static func connectClick(
        _ object: UnsafeMutableRawPointer, _ signal: String,
        _ body: @escaping @MainActor (Int, Double, Double) -> Void
    ) {
        let call: @MainActor @convention(c) (gpointer?, gint, Double, Double, gpointer?) -> Void = {
            (SignalClosure.body($4) as (@MainActor (Int, Double, Double) -> Void)?)?(Int($1), $2, $3)
        }
        connect(object, signal, calling: call, with: body)
    }

    /// Calls `body` for each emission of a signal with two numbers, such as those of a drag.
    package static func connectPoint(
        _ object: UnsafeMutableRawPointer, _ signal: String, _ body: @escaping @MainActor (Double, Double) -> Void
    ) {
        connectScroll(object, signal) { x, y in
            body(x, y)
            return false
        }
    }

    /// Calls `body` for each scroll of a wheel or touchpad; `true` consumes it.
    package static func connectScroll(
        _ object: UnsafeMutableRawPointer, _ signal: String, _ body: @escaping @MainActor (Double, Double) -> Bool
    ) {
        let call: @MainActor @convention(c) (gpointer?, Double, Double, gpointer?) -> gboolean = {
            (SignalClosure.body($3) as (@MainActor (Double, Double) -> Bool)?)?($1, $2) == true ? 1 : 0
        }
        connect(object, signal, calling: call, with: body)
    }

    /// Connects a C function with the signal's arguments, whose last one is the context that ``body(_:)`` takes.
    @discardableResult
    package static func connect<Function, Body>(
        _ object: UnsafeMutableRawPointer, _ signal: String, calling function: Function, with body: Body,
        _ flags: GConnectFlags = GConnectFlags(rawValue: 0)
    ) -> gulong {
        g_signal_connect_data(
            object, signal, unsafeBitCast(function, to: GCallback.self),
            Unmanaged.passRetained(Handler(body)).toOpaque(),
            { context, _ in if let context { Unmanaged<AnyObject>.fromOpaque(context).release() } }, flags)
    }

    /// Returns the closure of a context. `Body` must be the type that was connected.
    package static func body<Body>(_ context: gpointer?) -> Body? {
        context.map { Unmanaged<Handler<Body>>.fromOpaque($0).takeUnretainedValue().body }
    }

    /// Retains a closure as the context of a signal handler.
    private final class Handler<Body> {
        let body: Body
        init(_ body: Body) { self.body = body }
    }

    /// Sets a function of a class, which GTK calls on the main thread. It has the type of `slot`, except for the actor.
    static func assign<Function, Slot>(_ function: Function, to slot: inout Slot) {
        slot = unsafeBitCast(function, to: Slot.self)
    }
}

/// A connected signal handler of an object. Retains the object, and disconnects the handler at its end.
@MainActor
package final class SignalHandler {
    private let object: UnsafeMutableRawPointer
    private let handler: gulong

    package init(_ object: UnsafeMutableRawPointer, _ handler: gulong) {
        (self.object, self.handler) = (object, handler)
        g_object_ref(object)
    }

    isolated deinit {
        g_signal_handler_disconnect(object, handler)
        g_object_unref(object)
    }
}
#endif
