#if GTK
import CGTK4
import FirnGTK

/// Lets the user draw and adjust a rectangle over the large image, which is saved as a new file.
///
/// The rectangle is stored in image pixels, so that it stays when the image is zoomed, moved or rotated.
@MainActor
final class CropTool {
    /// The bar with the size of the rectangle and the buttons.
    let widget: Widget
    /// Called when cropping starts or ends.
    var onChange: (() -> Void)?
    /// The part of the image in the rectangle; `nil` while nothing is cropped.
    private(set) var part: ImagePart? { didSet { if part != oldValue { changed(from: oldValue) } } }
    private let view: FirnZoomView
    private let size: Widget = gtk_label_new("")
    private var drag: Drag?

    private struct Drag {
        let x, y: Double
        let frame: CropFrame
        /// None to draw another rectangle.
        let sides: CropFrame.Sides
    }

    /// The distance at which a side is grabbed, the length of a handle, and the step of a key, in GTK's units.
    private static let (reach, handle, step) = (14.0, 18.0, 16.0)
    /// The height of the bar with its margins.
    private static let bar = 84.0
    /// The minimum width and height, in image pixels.
    private static let least = 1.0

    init(_ view: FirnZoomView) {
        self.view = view
        gtk_widget_add_css_class(size, "numeric")
        gtk_label_set_width_chars(size.opaque, 12)
        let save = Widget.button(text: tr("_Save"), action: "win.crop-save", classes: ["suggested-action"])
        let leave = Widget.button(text: tr("_Cancel"), action: "win.crop-leave")
        widget = .box(GTK_ORIENTATION_HORIZONTAL, spacing: 12, [leave, size, save])
        for name in ["osd", "toolbar"] { gtk_widget_add_css_class(widget, name) }
        widget.margin(12)
        widget.isVisible = false
        connect()
    }

    private func connect() {
        guard let gesture = gtk_gesture_drag_new() else { return }
        // Order: before the view's drag gesture, which moves the image.
        gtk_event_controller_set_propagation_phase(gesture, GTK_PHASE_CAPTURE)
        let object = UnsafeMutableRawPointer(gesture)
        SignalClosure.connectPoint(object, "drag-begin") { [weak self] x, y in
            guard let self, let frame = self.frame else { return }
            gtk_gesture_set_state(gesture, GTK_EVENT_SEQUENCE_CLAIMED)
            gtk_widget_grab_focus(self.view.widget)
            self.drag = Drag(x: x, y: y, frame: frame, sides: frame.sides(at: x, y, reach: CropTool.reach))
        }
        SignalClosure.connectPoint(object, "drag-update") { [weak self] x, y in
            if let self, let drag = self.drag { self.dragged(drag, x, y) }
        }
        SignalClosure.connectPoint(object, "drag-end") { [weak self] _, _ in self?.drag = nil }
        gtk_widget_add_controller(view.widget, gesture)
        guard let motion = gtk_event_controller_motion_new() else { return }
        SignalClosure.connectPoint(UnsafeMutableRawPointer(motion), "motion") { [weak self] x, y in
            guard let self, self.drag == nil, let frame = self.frame else { return }
            self.show(cursor: CropTool.cursor(frame.sides(at: x, y, reach: CropTool.reach)))
        }
        gtk_widget_add_controller(view.widget, motion)
    }

    // MARK: Begin and end

    /// True while a rectangle is shown.
    var isActive: Bool { part != nil }

    /// Shows a rectangle in the visible part of the image.
    func begin() {
        // The rectangle ends above the bar.
        let free = shown.moved(.bottom, by: 0, -CropTool.bar, in: shown, least: CropTool.bar)
        guard !isActive, let visible = room.flatMap({ free.clipped(to: $0) }) else { return }
        set(visible.inset(0.1))
        gtk_widget_grab_focus(view.widget)
    }

    /// Removes the rectangle.
    func end() {
        drag = nil
        part = nil
    }

    private func changed(from former: ImagePart?) {
        widget.isVisible = isActive
        let text = part.map { "\($0.width) × \($0.height)" } ?? ""
        gtk_label_set_text(size.opaque, text)
        AccessibleText.set(
            GTK_ACCESSIBLE_PROPERTY_DESCRIPTION,
            part.map { tr("Crop: %1 at %2, %3", text, String($0.x), String($0.y)) } ?? "", of: view.widget.opaque)
        if isActive != (former != nil) {
            view.overlay = isActive ? { [weak self] in self?.paint(into: $0) } : nil
            show(cursor: nil)
            onChange?()
        } else {
            gtk_widget_queue_draw(view.widget)
        }
    }

    // MARK: The rectangle in the view

    /// The view.
    private var shown: CropFrame {
        CropFrame((0, 0), (Double(gtk_widget_get_width(view.widget)), Double(gtk_widget_get_height(view.widget))))
    }

    /// The whole image.
    private var room: CropFrame? {
        view.imageSize.map {
            CropFrame(view.viewPoint(x: 0, y: 0), view.viewPoint(x: Double($0.width), y: Double($0.height)))
        }
    }

    /// The rectangle.
    private var frame: CropFrame? {
        part.map {
            CropFrame(
                view.viewPoint(x: Double($0.x), y: Double($0.y)),
                view.viewPoint(x: Double($0.x + $0.width), y: Double($0.y + $0.height)))
        }
    }

    /// The view units per image pixel.
    private var scale: Double { view.zoom / Double(max(1, gtk_widget_get_scale_factor(view.widget))) }

    /// Sets a rectangle of the view, rounded to whole pixels.
    private func set(_ frame: CropFrame) {
        guard let image = view.imageSize else { return }
        let (a, b) = (view.imagePoint(x: frame.left, y: frame.top), view.imagePoint(x: frame.right, y: frame.bottom))
        let part = ImagePart(of: image, from: (a.x.rounded(), a.y.rounded()), to: (b.x.rounded(), b.y.rounded()))
        if let part { self.part = part }
    }

    private func dragged(_ drag: Drag, _ x: Double, _ y: Double) {
        guard let room else { return }
        if drag.sides.isEmpty {
            // A press that hardly moves draws nothing.
            guard max(abs(x), abs(y)) > CropTool.reach / 2 else { return }
            CropFrame((drag.x, drag.y), (drag.x + x, drag.y + y)).clipped(to: room).map { set($0) }
        } else {
            set(drag.frame.moved(drag.sides, by: x, y, in: room, least: CropTool.least * scale))
        }
    }

    /// Moves the rectangle, or its right and lower sides, with an arrow key. Returns whether the key is an arrow.
    ///
    /// - Parameter isFine: true for a step of one image pixel.
    func press(_ key: Int32, resizes: Bool, isFine: Bool) -> Bool {
        let ways: [Int32: (Double, Double)] = [
            GDK_KEY_Left: (-1, 0), GDK_KEY_Right: (1, 0), GDK_KEY_Up: (0, -1), GDK_KEY_Down: (0, 1),
            GDK_KEY_KP_Left: (-1, 0), GDK_KEY_KP_Right: (1, 0), GDK_KEY_KP_Up: (0, -1), GDK_KEY_KP_Down: (0, 1),
        ]
        guard let way = ways[key], let frame, let room else { return false }
        let step = isFine ? scale : max(CropTool.step, scale)
        set(
            frame.moved(
                resizes ? [.right, .bottom] : .all, by: way.0 * step, way.1 * step, in: room,
                least: CropTool.least * scale))
        return true
    }

    private func show(cursor name: String?) {
        let cursor = name.flatMap { gdk_cursor_new_from_name($0, nil) }
        gtk_widget_set_cursor(view.widget, cursor)
        if let cursor { g_object_unref(UnsafeMutableRawPointer(cursor)) }
    }

    private static func cursor(_ sides: CropFrame.Sides) -> String {
        switch sides {
        case .all: "move"
        case .left, .right: "ew-resize"
        case .top, .bottom: "ns-resize"
        case [.left, .top], [.right, .bottom]: "nwse-resize"
        case [.left, .bottom], [.right, .top]: "nesw-resize"
        default: "crosshair"
        }
    }

    // MARK: Painting

    private func paint(into snapshot: OpaquePointer) {
        guard let frame else { return }
        let all = shown
        func fill(_ a: (Double, Double), _ b: (Double, Double), _ light: Float, _ alpha: Float) {
            guard b.0 > a.0, b.1 > a.1 else { return }
            var color = GdkRGBA(red: light, green: light, blue: light, alpha: alpha)
            var area = graphene_rect_t()
            graphene_rect_init(&area, Float(a.0), Float(a.1), Float(b.0 - a.0), Float(b.1 - a.1))
            gtk_snapshot_append_color(snapshot, &color, &area)
        }
        let (left, top) = (frame.left.rounded(), frame.top.rounded())
        let (right, bottom) = (frame.right.rounded(), frame.bottom.rounded())
        fill((0, 0), (all.right, top), 0, 0.6)
        fill((0, bottom), (all.right, all.bottom), 0, 0.6)
        fill((0, top), (left, bottom), 0, 0.6)
        fill((right, top), (all.right, bottom), 0, 0.6)
        for third in [1.0, 2.0] {
            let (x, y) = (left + (frame.width * third / 3).rounded(), top + (frame.height * third / 3).rounded())
            fill((x, top), (x + 1, bottom), 1, 0.4)
            fill((left, y), (right, y + 1), 1, 0.4)
        }
        fill((left - 1, top - 1), (right + 1, top + 1), 1, 0.9)
        fill((left - 1, bottom - 1), (right + 1, bottom + 1), 1, 0.9)
        fill((left - 1, top + 1), (left + 1, bottom - 1), 1, 0.9)
        fill((right - 1, top + 1), (right + 1, bottom - 1), 1, 0.9)
        let (across, along) = (min(CropTool.handle, frame.width / 3), min(CropTool.handle, frame.height / 3))
        for (x, inward) in [(left, 1.0), (right, -1)] {
            for (y, down) in [(top, 1.0), (bottom, -1)] {
                // A corner of two bars outside the border.
                let (outer, upper) = (x - inward * 4, y - down * 4)
                let (inner, lower) = (x + inward * across, y + down * along)
                fill((min(outer, inner), min(upper, y)), (max(outer, inner), max(upper, y)), 1, 1)
                fill((min(outer, x), min(upper, lower)), (max(outer, x), max(upper, lower)), 1, 1)
            }
        }
    }
}

/// The rectangle of a crop in view coordinates. A pure value.
struct CropFrame: Equatable {
    private(set) var left, top, right, bottom: Double

    /// The sides that a drag moves; all sides move the whole rectangle.
    struct Sides: OptionSet {
        let rawValue: Int
        static let (left, right) = (Sides(rawValue: 1), Sides(rawValue: 2))
        static let (top, bottom) = (Sides(rawValue: 4), Sides(rawValue: 8))
        static let all: Sides = [.left, .right, .top, .bottom]
    }

    /// Creates the rectangle between two corners, in any order.
    init(_ a: (x: Double, y: Double), _ b: (x: Double, y: Double)) {
        (left, top, right, bottom) = (min(a.x, b.x), min(a.y, b.y), max(a.x, b.x), max(a.y, b.y))
    }

    var width: Double { right - left }
    var height: Double { bottom - top }

    /// Returns the sides that a press at a point grabs; none outside the rectangle.
    ///
    /// - Parameter reach: the distance at which a side is grabbed.
    func sides(at x: Double, _ y: Double, reach: Double) -> Sides {
        guard x > left - reach, x < right + reach, y > top - reach, y < bottom + reach else { return [] }
        func side(_ value: Double, _ low: Double, _ high: Double, _ first: Sides, _ last: Sides) -> Sides {
            let (near, far) = (abs(value - low), abs(value - high))
            // The middle third moves even a small rectangle.
            let limit = value > low && value < high ? min(reach, (high - low) / 3) : reach
            return min(near, far) > limit ? [] : near < far ? first : last
        }
        let found = side(x, left, right, .left, .right).union(side(y, top, bottom, .top, .bottom))
        return found.isEmpty ? .all : found
    }

    /// Returns the rectangle with sides moved by a distance, inside `room` and no smaller than `least`.
    func moved(_ sides: Sides, by x: Double, _ y: Double, in room: CropFrame, least: Double) -> CropFrame {
        func axis(
            _ low: Double, _ high: Double, _ step: Double, _ moves: (low: Bool, high: Bool), _ first: Double,
            _ last: Double
        ) -> (Double, Double) {
            let least = min(least, last - first)
            switch moves {
            case (true, true):
                let step = max(first - low, min(last - high, step))
                return (low + step, high + step)
            case (true, false): return (max(first, min(high - least, low + step)), high)
            case (false, true): return (low, min(last, max(low + least, high + step)))
            case (false, false): return (low, high)
            }
        }
        var frame = self
        (frame.left, frame.right) = axis(
            left, right, x, (sides.contains(.left), sides.contains(.right)), room.left, room.right)
        (frame.top, frame.bottom) = axis(
            top, bottom, y, (sides.contains(.top), sides.contains(.bottom)), room.top, room.bottom)
        return frame
    }

    /// Returns the intersection with another rectangle; `nil` if it is empty.
    func clipped(to room: CropFrame) -> CropFrame? {
        var frame = self
        (frame.left, frame.right) = (max(left, room.left), min(right, room.right))
        (frame.top, frame.bottom) = (max(top, room.top), min(bottom, room.bottom))
        return frame.width > 0 && frame.height > 0 ? frame : nil
    }

    /// Returns the rectangle, inset by a share of its sides.
    func inset(_ share: Double) -> CropFrame {
        CropFrame(
            (left + width * share, top + height * share), (right - width * share, bottom - height * share))
    }
}

/// A part of an image in pixels, which can be saved as a file.
struct ImagePart: Equatable {
    var x, y, width, height: Int

    /// Creates the part with all pixels that are at least partly between two corners; `nil` if there are none.
    init?(of image: PixelSize, from first: (x: Double, y: Double), to last: (x: Double, y: Double)) {
        func pixels(_ side: Int, _ a: Double, _ b: Double) -> Range<Int>? {
            guard a.isFinite, b.isFinite else { return nil }
            func pixel(_ value: Double) -> Int { Int(max(0, min(Double(side), value))) }
            let (start, end) = (pixel(min(a, b).rounded(.down)), pixel(max(a, b).rounded(.up)))
            return start < end ? start..<end : nil
        }
        guard let columns = pixels(image.width, first.x, last.x), let rows = pixels(image.height, first.y, last.y)
        else { return nil }
        (x, y, width, height) = (columns.lowerBound, rows.lowerBound, columns.count, rows.count)
    }

    /// Returns the path of a new file beside another one, in its format if that can be written, otherwise PNG.
    ///
    /// - Parameter isTaken: whether there is a file at a path.
    static func path(beside path: String, isTaken: (String) -> Bool) -> String? {
        let (folder, name) = PathText.split(path)
        let stem = folder + PathText.stem(name)
        let own = String(path.dropFirst(stem.count + 1))
        let ending = ImageEncoders.formats.contains(ImageFormat(ending: own)) ? own : "png"
        return (1...10_000).lazy.map { $0 == 1 ? "\(stem)-part.\(ending)" : "\(stem)-part-\($0).\(ending)" }
            .first { !isTaken($0) }
    }
}
#endif
