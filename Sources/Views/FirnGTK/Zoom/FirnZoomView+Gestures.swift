#if GTK
import CGTK4

// Mouse, touchpad and touch screen.
extension FirnZoomView {
    /// The zoom factor of a wheel step.
    private static let wheelStep = 1.25
    /// The distance at which a press becomes a drag, in GTK's units.
    private static let dragThreshold = 6.0

    func connectGestures() {
        if let drag = connectDrag(), let pinch = connectPinch() { gtk_gesture_group(pinch, drag) }
        connectWheel()
        connectSwipe()
        connectClick()
    }

    private func add(_ controller: OpaquePointer) -> UnsafeMutableRawPointer {
        gtk_widget_add_controller(widget, controller)
        return UnsafeMutableRawPointer(controller)
    }

    private func connectDrag() -> OpaquePointer? {
        guard let gesture = gtk_gesture_drag_new() else { return nil }
        let drag = add(gesture)
        SignalClosure.connectPoint(drag, "drag-begin") { [weak self] _, _ in
            if let self { self.state.beginDrag(at: self.now) }
        }
        SignalClosure.connectPoint(drag, "drag-update") { [weak self] x, y in
            // The pointer may move a little during a click.
            guard let self, self.state.canPan, self.isDragging || max(abs(x), abs(y)) >= FirnZoomView.dragThreshold
            else { return }
            if !self.isDragging { gtk_gesture_set_state(gesture, GTK_EVENT_SEQUENCE_CLAIMED) }
            self.isDragging = true
            self.state.drag(to: ZoomState.Point(x, y) * self.screenScale, at: self.now)
            self.changed()
        }
        SignalClosure.connectPoint(drag, "drag-end") { [weak self] _, _ in
            guard let self else { return }
            self.isDragging = false
            self.move { $0.endDrag(at: self.now) }
        }
        return gesture
    }

    private func connectPinch() -> OpaquePointer? {
        guard let gesture = gtk_gesture_zoom_new() else { return nil }
        let pinch = add(gesture)
        SignalClosure.connect(pinch, "begin") { [weak self] in self?.state.beginPinch() }
        SignalClosure.connect(pinch, "end") { [weak self] in self?.state.endPinch() }
        SignalClosure.connect(pinch, "cancel") { [weak self] in self?.state.endPinch() }
        SignalClosure.connectDouble(pinch, "scale-changed") { [weak self] scale in
            guard let self else { return }
            var (x, y) = (0.0, 0.0)
            let center =
                gtk_gesture_is_active(gesture) != 0 && gtk_gesture_get_bounding_box_center(gesture, &x, &y) != 0
                ? ZoomState.Point(x, y) * self.screenScale : self.state.room / 2
            self.state.pinch(by: scale, at: center)
            self.changed()
        }
        return gesture
    }

    private func connectWheel() {
        guard let motion = gtk_event_controller_motion_new() else { return }
        let pointer = add(motion)
        for signal in ["enter", "motion"] {
            SignalClosure.connectPoint(pointer, signal) { [weak self] x, y in
                if let self { self.pointer = ZoomState.Point(x, y) * self.screenScale }
            }
        }
        let flags = GtkEventControllerScrollFlags(
            rawValue: GTK_EVENT_CONTROLLER_SCROLL_BOTH_AXES.rawValue | GTK_EVENT_CONTROLLER_SCROLL_KINETIC.rawValue)
        guard let scroll = gtk_event_controller_scroll_new(flags) else { return }
        let wheel = add(scroll)
        SignalClosure.connectScroll(wheel, "scroll") { [weak self] x, y in
            self?.scroll(ZoomState.Point(x, y), scroll) ?? false
        }
        SignalClosure.connectPoint(wheel, "decelerate") { [weak self] x, y in
            guard let self else { return }
            guard self.state.canPan else { return self.swipe(-x, -y) }
            guard FirnZoomView.isTouchpad(scroll) else { return }
            self.state.coast(-ZoomState.Point(x, y) * self.screenScale, time: self.now)
            self.changed()
        }
    }

    private func connectSwipe() {
        guard let gesture = gtk_gesture_swipe_new() else { return }
        gtk_gesture_single_set_touch_only(gesture, 1)
        SignalClosure.connectPoint(add(gesture), "swipe") { [weak self] in self?.swipe($0, $1) }
    }

    /// The velocity at which a movement to the side is a swipe, in GTK's units per second.
    private static let swipeVelocity = 300.0

    /// Handles the end of a movement with the velocity of the fingers.
    private func swipe(_ x: Double, _ y: Double) {
        guard state.isReady, !state.canPan, abs(x) > FirnZoomView.swipeVelocity, abs(x) > abs(y) * 2 else { return }
        let isForward = (x < 0) == (gtk_widget_get_direction(widget) != GTK_TEXT_DIR_RTL)
        onSwipe?(isForward ? 1 : -1)
    }

    private func scroll(_ distance: ZoomState.Point, _ controller: OpaquePointer) -> Bool {
        let modifiers = gtk_event_controller_get_current_event_state(controller)
        let isControl = modifiers.rawValue & GDK_CONTROL_MASK.rawValue != 0
        if FirnZoomView.isTouchpad(controller), !isControl {
            guard state.canPan else { return false }
            change { $0.setCenter($0.center + $0.imageVector(distance * screenScale)) }
        } else {
            guard state.isReady, distance.y != 0 else { return false }
            change { $0.zoom(by: exp2(-distance.y * log2(FirnZoomView.wheelStep)), at: pointer) }
        }
        return true
    }

    private static func isTouchpad(_ controller: OpaquePointer) -> Bool {
        guard let device = gtk_event_controller_get_current_event_device(controller) else { return false }
        return gdk_device_get_source(device) == GDK_SOURCE_TOUCHPAD
    }

    private func connectClick() {
        guard let gesture = gtk_gesture_click_new() else { return }
        SignalClosure.connectClick(add(gesture), "pressed") { [weak self] count, x, y in
            guard let self else { return }
            if count == 1 { gtk_widget_grab_focus(self.widget) }
            if count == 2 { self.toggle(at: ZoomState.Point(x, y) * self.screenScale) }
        }
    }

    /// Zooms from the whole image to one screen pixel per image pixel, or back.
    private func toggle(at point: ZoomState.Point) {
        let fitted = state.minimumScale
        let target = !state.isFitted ? fitted : fitted < 0.99 ? 1 : fitted * 2
        move { $0.fly(to: target, at: point, time: now) }
    }
}

/// Actions of a ``FirnZoomView`` for keys and assistive technology, by the names of GTK's actions.
@MainActor
package enum ZoomAction: String, CaseIterable {
    case zoomIn = "zoom.in"
    case zoomOut = "zoom.out"
    case fit = "zoom.fit"
    case fill = "zoom.fill"
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

    /// The keys, in the syntax of `gtk_shortcut_trigger_parse_string`.
    private var keys: String {
        switch self {
        case .zoomIn: "plus|equal|KP_Add|<Control>plus|<Control>equal|<Control>KP_Add"
        case .zoomOut: "minus|KP_Subtract|<Control>minus|<Control>KP_Subtract"
        case .fit: "0|KP_0|<Control>0"
        case .fill: "2|KP_2|<Control>2"
        case .pixels: "1|KP_1|<Control>1"
        case .rotateRight: "<Control>r"
        case .rotateLeft: "<Control><Shift>r"
        case .left: "Left|KP_Left"
        case .right: "Right|KP_Right"
        case .up: "Up|KP_Up"
        case .down: "Down|KP_Down"
        case .start: "Home|KP_Home"
        case .end: "End|KP_End"
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
            let shortcut = gtk_shortcut_new(
                gtk_shortcut_trigger_parse_string(action.keys), gtk_named_action_new(action.rawValue))
            gtk_widget_class_add_shortcut(widgetClass, shortcut)
            if let shortcut { g_object_unref(UnsafeMutableRawPointer(shortcut)) }
        }
    }
}
#endif
