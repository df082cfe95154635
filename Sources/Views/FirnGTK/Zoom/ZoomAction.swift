#if GTK
import CGTK4

/// Actions of a ``FirnZoomView`` for keys and assistive technology, by the names of GTK's actions.
@MainActor
package enum ZoomAction: String, CaseIterable {
    case zoomIn = "zoom.in"
    case zoomOut = "zoom.out"
    case fit = "zoom.fit"
    case pixels = "zoom.pixels"
    case rotateRight = "rotate.right"
    case rotateLeft = "rotate.left"
    case left = "pan.left"
    case right = "pan.right"
    case up = "pan.up"
    case down = "pan.down"
    case start = "pan.start"
    case end = "pan.end"

    static let pans: [ZoomAction] = [.left, .right, .up, .down, .start, .end]

    /// The keys without modifiers, and with Control.
    private var keys: (plain: [Int32], control: [Int32]) {
        switch self {
        case .zoomIn: ([GDK_KEY_plus, GDK_KEY_equal, GDK_KEY_KP_Add], [GDK_KEY_plus, GDK_KEY_equal, GDK_KEY_KP_Add])
        case .zoomOut: ([GDK_KEY_minus, GDK_KEY_KP_Subtract], [GDK_KEY_minus, GDK_KEY_KP_Subtract])
        case .fit: ([GDK_KEY_0, GDK_KEY_KP_0], [GDK_KEY_0])
        case .pixels: ([GDK_KEY_1, GDK_KEY_KP_1], [GDK_KEY_1])
        case .rotateRight: ([], [GDK_KEY_r])
        case .rotateLeft: ([], [GDK_KEY_R])
        case .left: ([GDK_KEY_Left, GDK_KEY_KP_Left], [])
        case .right: ([GDK_KEY_Right, GDK_KEY_KP_Right], [])
        case .up: ([GDK_KEY_Up, GDK_KEY_KP_Up], [])
        case .down: ([GDK_KEY_Down, GDK_KEY_KP_Down], [])
        case .start: ([GDK_KEY_Home, GDK_KEY_KP_Home], [])
        case .end: ([GDK_KEY_End, GDK_KEY_KP_End], [])
        }
    }

    /// Adds all actions and their keys to the class of the widget.
    static func install(in widgetClass: UnsafeMutablePointer<GtkWidgetClass>) {
        let activate:
            @MainActor @convention(c) (UnsafeMutablePointer<GtkWidget>?, UnsafePointer<CChar>?, OpaquePointer?) ->
                Void = { widget, name, _ in
                    guard let name, let action = ZoomAction(rawValue: String(cString: name)) else { return }
                    (PaintedWidgetClass.owner(of: widget) as? FirnZoomView)?.perform(action)
                }
        let function = unsafeBitCast(activate, to: GtkWidgetActionActivateFunc.self)
        for action in allCases {
            gtk_widget_class_install_action(widgetClass, action.rawValue, nil, function)
            for key in action.keys.plain { action.bind(key, GdkModifierType(rawValue: 0), in: widgetClass) }
            for key in action.keys.control { action.bind(key, GDK_CONTROL_MASK, in: widgetClass) }
        }
    }

    private func bind(
        _ key: Int32, _ modifiers: GdkModifierType, in widgetClass: UnsafeMutablePointer<GtkWidgetClass>
    ) {
        let shortcut = gtk_shortcut_new(
            gtk_keyval_trigger_new(guint(bitPattern: key), modifiers), gtk_named_action_new(rawValue))
        gtk_widget_class_add_shortcut(widgetClass, shortcut)
        if let shortcut { g_object_unref(UnsafeMutableRawPointer(shortcut)) }
    }
}
#endif
