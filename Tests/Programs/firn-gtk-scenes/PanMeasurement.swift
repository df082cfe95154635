#if GTK
import CGTK4
import Firn
import FirnGTK
import FirnImage
import FirnReport
import FirnSync

/// Measures a pan through a large image: `firn-gtk-scenes pan FILE ZOOM SECONDS`, or the same movement of one texture
/// with `-` as the file. Prints one line of JSON.
///
/// The window has 1,280 × 800 pixels. The pan moves by two of its widths a second, and turns around at the edges.
@MainActor
final class PanMeasurement {
    private static let room = PixelSize(width: 1_280, height: 800)

    private let view: FirnZoomView
    private let window: SceneWindow
    private var gaps: [Int64] = []
    private var last: Int64 = 0
    private var sharpFrames = 0
    private var offset = 0.0

    /// Measures, prints, and returns.
    static func run(_ file: String, zoom: Double, seconds: Double, shot: String?) async {
        let start = MonotonicClock.now()
        let pipeline = ImagePipeline {
            $0.dataCache = nil
            $0.imageCache = ImageCache()
            $0.limits.maximumPixels = 1 << 31
        }
        let measurement = PanMeasurement(BindingContext.gtk(pipeline: pipeline))
        if file == "-" { measurement.paintTexture() } else { measurement.view.request = ImageRequest(path: file) }
        measurement.window.show()
        if file != "-" {
            while !measurement.view.isSharp { await Turn.next() }
        }
        await Turn.frames(1, of: measurement.window)
        let opened = MonotonicClock.now() - start
        if let shot { measurement.window.shot()?.save("\(shot)-opened.png") }
        PeakMemory.reset()
        measurement.view.zoom = zoom
        await measurement.pan(for: seconds, isPlain: file == "-")
        let stop = MonotonicClock.now()
        if file != "-" {
            while !measurement.view.isSharp { await Turn.next() }
        }
        let sharp = MonotonicClock.now() - stop
        await Turn.frames(1, of: measurement.window)
        if let shot { measurement.window.shot()?.save("\(shot)-stopped.png") }
        measurement.report(opened, sharp)
    }

    private init(_ context: BindingContext) {
        view = FirnZoomView(context: context)
        window = SceneWindow(width: PanMeasurement.room.width, height: PanMeasurement.room.height, view.widget)
    }

    /// Moves according to the elapsed time in each frame.
    private func pan(for seconds: Double, isPlain: Bool) async {
        guard let clock = gtk_widget_get_frame_clock(window.widget) else { return }
        let start = MonotonicClock.now()
        let object = UnsafeMutableRawPointer(clock)
        let speed = Double(PanMeasurement.room.width) * 2
        let handlers = [
            SignalClosure.connect(object, "before-paint") { [weak self] in
                self?.move(to: Double(MonotonicClock.now() - start) / 1e9 * speed, isPlain: isPlain)
            },
            SignalClosure.connect(object, "after-paint") { [weak self] in self?.painted() },
        ]
        gdk_frame_clock_begin_updating(clock)
        while Double(MonotonicClock.now() - start) / 1e9 < seconds { await Turn.next() }
        gdk_frame_clock_end_updating(clock)
        for handler in handlers { g_signal_handler_disconnect(object, handler) }
    }

    private func move(to way: Double, isPlain: Bool) {
        gtk_widget_queue_draw(view.widget)
        if isPlain { return offset = PanMeasurement.bounced(way, PanMeasurement.room.width) }
        guard let size = view.imageSize else { return }
        let room = PanMeasurement.room
        let (x, y) = (way / view.zoom, way * 0.3 / view.zoom)
        let (columns, rows) = (Double(room.width) / view.zoom, Double(room.height) / view.zoom)
        view.center = (
            columns / 2 + PanMeasurement.bounced(x, size.width - Int(columns)),
            rows / 2 + PanMeasurement.bounced(y, size.height - Int(rows))
        )
        if view.isSharp { sharpFrames += 1 }
    }

    /// Returns a position that turns around at 0 and at a length.
    private static func bounced(_ way: Double, _ length: Int) -> Double {
        let (most, place) = (Double(max(1, length)), way.truncatingRemainder(dividingBy: Double(max(1, length)) * 2))
        return place > most ? 2 * most - place : place
    }

    private func painted() {
        let now = MonotonicClock.now()
        if last > 0 { gaps.append(now - last) }
        last = now
    }

    /// Paints one texture of two widths of the window, which is moved by ``offset``.
    private func paintTexture() {
        let size = PixelSize(width: PanMeasurement.room.width * 2, height: PanMeasurement.room.height)
        let image = try? Bitmap(size: size, format: .rgb8, isOpaque: true) { pixels in
            for y in 0..<size.height {
                let row = pixels.row(y)
                for x in 0..<size.width * 3 {
                    row.storeBytes(of: UInt8(truncatingIfNeeded: x &* 7 &+ y), toByteOffset: x, as: UInt8.self)
                }
            }
        }
        guard let texture = image.flatMap({ try? ImageTexture.of($0) }) else { return }
        view.overlay = { [weak self] snapshot in
            guard let self else { return }
            var bounds = graphene_rect_t(
                origin: graphene_point_t(x: Float(-self.offset.rounded()), y: 0),
                size: graphene_size_t(width: Float(size.width), height: Float(size.height)))
            gtk_snapshot_append_texture(snapshot, texture.pointer, &bounds)
        }
    }

    private func report(_ opened: Int64, _ sharp: Int64) {
        let sorted = gaps.sorted()
        func gap(_ percent: Int) -> Double { Double(sorted.isEmpty ? 0 : sorted[sorted.count * percent / 100]) / 1e6 }
        let share = gaps.isEmpty ? 0 : Double(sharpFrames) / Double(gaps.count)
        print(
            """
            {"frames": \(gaps.count), "gapP50Ms": \(gap(50)), "gapP99Ms": \(gap(99)), \
            "openedMs": \(Double(opened) / 1e6), "sharpMs": \(Double(sharp) / 1e6), "sharpShare": \(share), \
            "peakMiB": \(Double(PeakMemory.sinceReset) / 1_048_576)}
            """)
    }
}
#endif
