#if GTK
import CFirnAdwaita
import FirnGTK

/// The widgets of the viewer: a header, the image with controls over it, and the panel.
@MainActor
final class ViewerPage {
    let widget: Widget
    private let header: Widget = adw_header_bar_new()
    private let title: Widget = adw_window_title_new("", nil)
    private let flap: Widget = adw_flap_new()
    private let image: Widget
    private let panel: Widget
    private let separator: Widget = gtk_separator_new(GTK_ORIENTATION_VERTICAL)
    private let enter = Widget.button("view-fullscreen-symbolic", tr("Full Screen"), action: "win.fullscreen")
    /// The overlay over the image.
    let overlay: Widget = gtk_overlay_new()
    private let controls: [Widget]
    private let spinner: Widget = gtk_spinner_new()
    private let failure = Widget.status(
        "image-missing-symbolic", button: .button(text: tr("_Try Again"), action: "win.retry", classes: ["pill"]))
    private let leave: Widget
    private var hiding: Task<Void, Never>? { didSet { oldValue?.cancel() } }

    /// - Parameters:
    ///   - image: the box of the widgets that show images.
    ///   - panel: the panel with information.
    init(image: Widget, panel: Widget) {
        (self.image, self.panel) = (image, panel)
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
        overlay.add(controls[0], GTK_ALIGN_START, GTK_ALIGN_CENTER)
        overlay.add(controls[1], GTK_ALIGN_END, GTK_ALIGN_CENTER)
        overlay.add(controls[2], GTK_ALIGN_END, GTK_ALIGN_END)
        overlay.add(controls[3], GTK_ALIGN_END, GTK_ALIGN_START)
        gtk_widget_set_size_request(spinner, 32, 32)
        overlay.add(spinner, GTK_ALIGN_CENTER, GTK_ALIGN_CENTER)
        failure.isVisible = false
        overlay.add(failure, GTK_ALIGN_FILL, GTK_ALIGN_FILL)
        adw_flap_set_content(flap.opaque, overlay)
        adw_flap_set_flap(flap.opaque, panel)
        adw_flap_set_separator(flap.opaque, separator)
        adw_flap_set_flap_position(flap.opaque, GTK_PACK_END)
        // The panel never covers the image.
        adw_flap_set_fold_policy(flap.opaque, ADW_FLAP_FOLD_POLICY_NEVER)
        adw_flap_set_reveal_flap(flap.opaque, 0)
        // A swipe moves a zoomed image instead.
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
                        (tr("Flip _Horizontally"), "flip.across"), (tr("Flip _Vertically"), "flip.down"),
                    ],
                    [
                        (tr("_Pixel by Pixel"), "zoom.pixels"), (tr("Fi_ll the Window"), "zoom.fill"),
                        (tr("_Keep Zoom"), "keep-zoom"), (tr("S_harp Pixels"), "pixels"),
                        (tr("Pa_use Animations"), "pause"), (tr("Compare with Ne_xt"), "compare"),
                    ],
                    [
                        (tr("Slide S_how"), "slides"), (tr("Ran_dom Order"), "shuffle"),
                        (tr("Slide _Time"), "slide-time"), (tr("_Full Screen"), "fullscreen"),
                    ],
                    [(tr("Ren_ame…"), "rename"), (tr("_Move to…"), "move"), (tr("Copy t_o…"), "copy-to")],
                    [(tr("Open _With…"), "open-with"), (tr("Show in _Folder"), "show-in-folder")],
                    [(tr("Cr_op…"), "crop"), (tr("Save _Visible Part"), "save-part")],
                    [(tr("_Copy"), "copy"), (tr("P_rint…"), "print"), (tr("Move to _Trash"), "trash")],
                ]))
        adw_header_bar_pack_end(
            bar, .button("sidebar-show-right-symbolic", tr("Information"), action: "win.info", isToggle: true))
        adw_header_bar_pack_end(bar, enter)
        adw_header_bar_pack_end(bar, .button("user-trash-symbolic", tr("Move to the trash"), action: "win.trash"))
    }

    private static func control(_ icon: String, _ label: String, _ action: String) -> Widget {
        .button(icon, label, action: "win.\(action)", classes: ["osd", "circular"])
    }

    // MARK: State

    /// Shows the name of the image, and its place in the list.
    func describe(_ name: String, _ place: String) {
        adw_window_title_set_title(title.opaque, name)
        adw_window_title_set_subtitle(title.opaque, place)
    }

    /// Shows the reason of a failure; `nil` if there is none.
    func show(failure reason: String?, _ detail: String = "") {
        failure.isVisible = reason != nil
        adw_status_page_set_title(failure.opaque, reason ?? "")
        adw_status_page_set_description(failure.opaque, detail)
    }

    /// True while a spinner is shown.
    var isBusy: Bool {
        get { spinner.isVisible }
        set {
            spinner.isVisible = newValue
            gtk_spinner_set_spinning(spinner.opaque, newValue ? 1 : 0)
        }
    }

    /// True if the panel is open.
    var showsInfo = false { didSet { revealPanel() } }

    /// True while a slide show runs. Hides the panel.
    var isSliding = false { didSet { revealPanel() } }

    private func revealPanel() { adw_flap_set_reveal_flap(flap.opaque, showsInfo && !isSliding ? 1 : 0) }

    /// Places the panel below the image, and compared images one below the other, in a window that is too narrow for
    /// both side by side.
    func fit(width: gint, height: gint) {
        let isNarrow = width < 660
        header.fitHeader(width: width)
        enter.isVisible = !isNarrow
        let (across, along) = (GTK_ORIENTATION_HORIZONTAL, GTK_ORIENTATION_VERTICAL)
        for pair in [flap, image] { gtk_orientable_set_orientation(pair.opaque, isNarrow ? along : across) }
        gtk_orientable_set_orientation(separator.opaque, isNarrow ? across : along)
        gtk_widget_set_size_request(panel, isNarrow ? -1 : 320, isNarrow ? height * 2 / 5 : -1)
    }

    /// True in full screen, which has a button to leave instead of the header.
    var isFullscreen = false {
        didSet {
            header.isVisible = !isFullscreen
            leave.isVisible = isFullscreen
        }
    }

    /// The time for which the controls stay after a movement of the pointer.
    private static let rest = Duration.seconds(2)

    /// True while the image is cropped. Hides the controls.
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
        gtk_widget_set_cursor_from_name(overlay, isRevealed || isCropping || !isFullscreen ? nil : "none")
    }
}

/// Animates an image from its cell to the viewer and back, above both pages.
///
/// libadwaita skips the animation if the user prefers reduced motion.
@MainActor
final class CellTransition {
    /// The overlay over the pages.
    let widget: Widget = gtk_overlay_new()
    private var run: Run?

    private static let milliseconds: guint = 200

    /// A rectangle in the overlay.
    struct Place: Equatable {
        var (x, y, width, height) = (0.0, 0.0, 0.0, 0.0)

        /// The rectangle of an image that fits into this one, and is not larger than the image's own pixels.
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

    /// Retains the moving widget, because an animation continues after another one has replaced it and removed the
    /// widget.
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

    /// Returns the rectangle of a widget in the overlay; `nil` before its first layout.
    func place(of inner: Widget) -> Place? {
        inner.bounds(in: widget).map {
            Place(
                x: Double($0.origin.x), y: Double($0.origin.y), width: Double($0.size.width),
                height: Double($0.size.height))
        }
    }

    /// Animates an image from one rectangle to another.
    func move(_ image: Bitmap, from: Place, to: Place) {
        end()
        guard from != to, let texture = try? ImageTexture.of(image) else { return }
        let moving: Widget = gtk_picture_new_for_paintable(texture.pointer)
        gtk_picture_set_content_fit(moving.opaque, GTK_CONTENT_FIT_COVER)
        gtk_widget_set_can_target(moving, 0)
        gtk_widget_set_overflow(moving, GTK_OVERFLOW_HIDDEN)
        let run = Run(moving, from, to)
        self.run = run
        CellTransition.show(run, 0)
        widget.add(moving, GTK_ALIGN_START, GTK_ALIGN_START)
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
