#if GTK
import CFirnAdwaita
import FirnGTK

/// The widgets of the viewer: a header, the image with overlaid controls, and a sidebar.
@MainActor
final class ViewerPage {
    let widget: Widget
    private let header: Widget = adw_header_bar_new()
    private let title: Widget = adw_window_title_new("", nil)
    private let flap: Widget = adw_flap_new()
    private let overlay: Widget = gtk_overlay_new()
    private let controls: [Widget]
    private let spinner: Widget = gtk_spinner_new()
    private let failure = Widget.status(
        "image-missing-symbolic", button: .button(text: tr("_Try Again"), action: "win.retry", classes: ["pill"]))
    private let leave: Widget
    private var hiding: Task<Void, Never>? { didSet { oldValue?.cancel() } }

    /// - Parameters:
    ///   - image: the widget of the image.
    ///   - panel: the sidebar.
    init(image: Widget, panel: Widget) {
        leave = ViewerPage.control("view-restore-symbolic", tr("Leave Full Screen"), "fullscreen")
        let previous = ViewerPage.control("go-previous-symbolic", tr("Previous Image"), "previous")
        let next = ViewerPage.control("go-next-symbolic", tr("Next Image"), "next")
        let zoom = Widget.box(
            GTK_ORIENTATION_HORIZONTAL, spacing: 6,
            [
                ViewerPage.control("object-rotate-right-symbolic", tr("Rotate Right"), "rotate.right"),
                ViewerPage.control("zoom-out-symbolic", tr("Zoom Out"), "zoom.out"),
                ViewerPage.control("zoom-fit-best-symbolic", tr("Whole Image"), "zoom.fit"),
                ViewerPage.control("zoom-in-symbolic", tr("Zoom In"), "zoom.in"),
            ])
        controls = [previous, next, zoom, leave].map { child in
            let revealer: Widget = gtk_revealer_new()
            gtk_revealer_set_transition_type(revealer.opaque, GTK_REVEALER_TRANSITION_TYPE_CROSSFADE)
            gtk_revealer_set_child(revealer.opaque, child)
            child.margin(12)
            return revealer
        }
        widget = .box(GTK_ORIENTATION_VERTICAL, [header, flap])
        makeHeader()
        gtk_overlay_set_child(overlay.opaque, image)
        gtk_widget_add_css_class(overlay, "surround")
        // The sidebar covers the image in a window that is narrower than both.
        gtk_widget_set_size_request(overlay, 320, -1)
        add(controls[0], GTK_ALIGN_START, GTK_ALIGN_CENTER)
        add(controls[1], GTK_ALIGN_END, GTK_ALIGN_CENTER)
        add(controls[2], GTK_ALIGN_END, GTK_ALIGN_END)
        add(controls[3], GTK_ALIGN_END, GTK_ALIGN_START)
        gtk_widget_set_size_request(spinner, 32, 32)
        add(spinner, GTK_ALIGN_CENTER, GTK_ALIGN_CENTER)
        failure.isVisible = false
        add(failure, GTK_ALIGN_FILL, GTK_ALIGN_FILL)
        adw_flap_set_content(flap.opaque, overlay)
        adw_flap_set_flap(flap.opaque, panel)
        adw_flap_set_separator(flap.opaque, gtk_separator_new(GTK_ORIENTATION_VERTICAL))
        adw_flap_set_flap_position(flap.opaque, GTK_PACK_END)
        adw_flap_set_reveal_flap(flap.opaque, 0)
        // Swiping moves a zoomed image instead.
        adw_flap_set_swipe_to_open(flap.opaque, 0)
        gtk_widget_set_vexpand(flap, 1)
        leave.isVisible = false
        overlay.onMotion { [weak self] in self?.showControls() }
    }

    isolated deinit { hiding = nil }

    private func makeHeader() {
        let bar = header.opaque
        adw_header_bar_set_title_widget(bar, title)
        adw_header_bar_set_centering_policy(bar, ADW_CENTERING_POLICY_LOOSE)
        adw_header_bar_pack_start(bar, .button("go-previous-symbolic", tr("Back to the Grid"), action: "win.back"))
        adw_header_bar_pack_end(
            bar,
            GalleryMenu.button(
                "view-more-symbolic", tr("Image Menu"),
                [
                    [
                        (tr("Rotate _Right"), "rotate.right"), (tr("Rotate _Left"), "rotate.left"),
                        (tr("_Pixel by Pixel"), "zoom.pixels"),
                    ],
                    [(tr("Slide S_how"), "slides"), (tr("_Full Screen"), "fullscreen")],
                    [(tr("Open _With…"), "open-with"), (tr("Show in _Folder"), "show-in-folder")],
                    [(tr("Cr_op…"), "crop"), (tr("Save _Visible Part"), "save-part")],
                    [(tr("_Copy"), "copy"), (tr("P_rint…"), "print"), (tr("Move to _Trash"), "trash")],
                ]))
        adw_header_bar_pack_end(
            bar, .button("sidebar-show-right-symbolic", tr("Information"), action: "win.info", isToggle: true))
    }

    private static func control(_ icon: String, _ label: String, _ action: String) -> Widget {
        .button(icon, label, action: "win.\(action)", classes: ["osd", "circular"])
    }

    /// Adds a widget over the image.
    func add(_ child: Widget, _ across: GtkAlign, _ along: GtkAlign) {
        gtk_widget_set_halign(child, across)
        gtk_widget_set_valign(child, along)
        gtk_overlay_add_overlay(overlay.opaque, child)
    }

    // MARK: State

    /// Shows the name of the image and its position in the list.
    func describe(_ name: String, _ place: String) {
        adw_window_title_set_title(title.opaque, name)
        adw_window_title_set_subtitle(title.opaque, place)
    }

    /// Shows why there is no image; `nil` if there is one.
    func show(failure reason: String?, _ detail: String = "") {
        failure.isVisible = reason != nil
        adw_status_page_set_title(failure.opaque, reason ?? "")
        adw_status_page_set_description(failure.opaque, detail)
    }

    /// True if a spinner shows that the image is loading.
    var isBusy: Bool {
        get { spinner.isVisible }
        set {
            spinner.isVisible = newValue
            gtk_spinner_set_spinning(spinner.opaque, newValue ? 1 : 0)
        }
    }

    /// Opens or closes the sidebar.
    func showInfo(_ isShown: Bool) { adw_flap_set_reveal_flap(flap.opaque, isShown ? 1 : 0) }

    /// Full screen has no header, but a button to leave it.
    var isFullscreen = false {
        didSet {
            header.isVisible = !isFullscreen
            leave.isVisible = isFullscreen
        }
    }

    /// The time for which the controls stay after the pointer has moved.
    private static let rest = Duration.seconds(2)

    /// True while the image is cropped, when other controls are hidden.
    var isCropping = false { didSet { set(isRevealed: false) } }

    /// Shows the controls until the pointer rests.
    func showControls() {
        guard !isCropping else { return }
        set(isRevealed: true)
        hiding = Task { [weak self] in
            try? await Task.sleep(for: ViewerPage.rest)
            guard !Task.isCancelled else { return }
            self?.set(isRevealed: false)
        }
    }

    private func set(isRevealed: Bool) {
        for control in controls { gtk_revealer_set_reveal_child(control.opaque, isRevealed ? 1 : 0) }
        let cursor = isRevealed || isCropping || !isFullscreen ? nil : gdk_cursor_new_from_name("none", nil)
        gtk_widget_set_cursor(overlay, cursor)
        if let cursor { g_object_unref(UnsafeMutableRawPointer(cursor)) }
    }
}

/// Animates an image from its cell to the viewer and back, above both pages.
///
/// libadwaita skips the animation if the user's settings reduce motion.
@MainActor
final class CellTransition {
    /// The overlay over the pages.
    let widget: Widget = gtk_overlay_new()
    private var run: Run?

    private static let milliseconds: guint = 200

    /// A rectangle in the overlay.
    struct Place: Equatable {
        var (x, y, width, height) = (0.0, 0.0, 0.0, 0.0)

        /// Returns the rectangle of an image fitted into this one, no larger than the image's pixels.
        func fitted(_ image: ImageContainer, _ screenScale: Double) -> Place {
            let size = image.image.size
            guard !size.isEmpty else { return self }
            let own = Double(image.originalSize?.width ?? size.width) / Double(size.width) / screenScale
            let room = min(width / Double(size.width), height / Double(size.height))
            let scale = image.vectorSize == nil ? min(room, own) : room
            let (across, along) = (Double(size.width) * scale, Double(size.height) * scale)
            return Place(x: x + (width - across) / 2, y: y + (height - along) / 2, width: across, height: along)
        }
    }

    /// Retains the moving widget, because a replaced animation continues after the widget was removed.
    private final class Run {
        let moving: Widget
        let from: Place
        let to: Place

        init(_ moving: Widget, _ from: Place, _ to: Place) {
            (self.moving, self.from, self.to) = (moving, from, to)
            g_object_ref_sink(moving)
        }

        deinit { g_object_unref(moving) }
    }

    /// Returns the rectangle of a widget; `nil` before it is laid out.
    func place(of inner: Widget) -> Place? {
        var bounds = graphene_rect_t()
        guard gtk_widget_compute_bounds(inner, widget, &bounds) != 0, bounds.size.width > 0, bounds.size.height > 0
        else { return nil }
        return Place(
            x: Double(bounds.origin.x), y: Double(bounds.origin.y), width: Double(bounds.size.width),
            height: Double(bounds.size.height))
    }

    /// Moves an image from one place to another.
    func move(_ image: Bitmap, from: Place, to: Place) {
        end()
        guard from != to, let texture = try? ImageTexture.of(image) else { return }
        let moving: Widget = gtk_picture_new_for_paintable(texture.pointer)
        gtk_picture_set_content_fit(moving.opaque, GTK_CONTENT_FIT_COVER)
        gtk_widget_set_can_target(moving, 0)
        gtk_widget_set_halign(moving, GTK_ALIGN_START)
        gtk_widget_set_valign(moving, GTK_ALIGN_START)
        gtk_widget_set_overflow(moving, GTK_OVERFLOW_HIDDEN)
        let run = Run(moving, from, to)
        self.run = run
        CellTransition.show(run, 0)
        gtk_overlay_add_overlay(widget.opaque, moving)
        let call: @MainActor @convention(c) (Double, gpointer?) -> Void = { part, context in
            guard let context else { return }
            CellTransition.show(Unmanaged<Run>.fromOpaque(context).takeUnretainedValue(), part)
        }
        let target = adw_callback_animation_target_new(
            unsafeBitCast(call, to: AdwAnimationTargetFunc.self), Unmanaged.passRetained(run).toOpaque(),
            { context in if let context { Unmanaged<Run>.fromOpaque(context).release() } })
        guard let animation = adw_timed_animation_new(widget, 0, 1, CellTransition.milliseconds, target) else { return }
        let object = UnsafeMutableRawPointer(animation)
        SignalClosure.connect(object, "done") { [weak self, weak run] in
            if let self, self.run === run { self.end() }
            g_object_unref(object)
        }
        adw_animation_play(animation)
    }

    private func end() {
        guard let run else { return }
        self.run = nil
        gtk_overlay_remove_overlay(widget.opaque, run.moving)
    }

    private static func show(_ run: Run, _ part: Double) {
        func mixed(_ side: KeyPath<Place, Double>) -> gint {
            let (from, to) = (run.from[keyPath: side], run.to[keyPath: side])
            return gint(max(0, from + (to - from) * part))
        }
        gtk_widget_set_margin_start(run.moving, mixed(\.x))
        gtk_widget_set_margin_top(run.moving, mixed(\.y))
        gtk_widget_set_size_request(run.moving, mixed(\.width), mixed(\.height))
    }
}
#endif
