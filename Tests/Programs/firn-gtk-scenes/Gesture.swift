#if GTK
import CGTK4

/// Emits the signals of a widget's controllers, as their events do.
@MainActor
enum Gesture {
    enum Argument {
        case number(Double)
        case count(Int32)
        /// A sequence of events.
        case sequence
    }

    /// Emits a signal of the first controller of a type, which is an own one of the widget.
    ///
    /// - Returns: whether there is one.
    @discardableResult
    static func emit(
        _ signal: String, of type: GType, on widget: UnsafeMutablePointer<GtkWidget>, _ arguments: Argument...
    ) -> Bool {
        let controllers = gtk_widget_observe_controllers(widget)
        defer { g_object_unref(UnsafeMutableRawPointer(controllers)) }
        for place in 0..<g_list_model_get_n_items(controllers) {
            guard let object = g_list_model_get_item(controllers, place) else { continue }
            defer { g_object_unref(object) }
            let instance = object.assumingMemoryBound(to: GTypeInstance.self)
            guard g_type_check_instance_is_a(instance, type) != 0 else { continue }
            emit(g_signal_lookup(signal, type), type, object, arguments)
            return true
        }
        return false
    }

    private static func emit(_ signal: guint, _ type: GType, _ object: gpointer, _ arguments: [Argument]) {
        var values = [GValue](repeating: GValue(), count: arguments.count + 1)
        g_value_init(&values[0], type)
        g_value_set_object(&values[0], object)
        for (place, argument) in arguments.enumerated() {
            // The fundamental types are numbered in steps of four: 6 is an integer, 15 a double.
            switch argument {
            case .number(let number):
                g_value_init(&values[place + 1], GType(15 << 2))
                g_value_set_double(&values[place + 1], number)
            case .count(let count):
                g_value_init(&values[place + 1], GType(6 << 2))
                g_value_set_int(&values[place + 1], count)
            case .sequence: g_value_init(&values[place + 1], gdk_event_sequence_get_type())
            }
        }
        var query = GSignalQuery()
        g_signal_query(signal, &query)
        var result = GValue()
        // G_TYPE_NONE.
        if query.return_type == GType(1 << 2) {
            g_signal_emitv(values, signal, 0, nil)
        } else {
            g_value_init(&result, query.return_type)
            g_signal_emitv(values, signal, 0, &result)
        }
        for place in values.indices { g_value_unset(&values[place]) }
    }
}
#endif
