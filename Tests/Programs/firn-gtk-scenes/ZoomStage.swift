#if GTK
import CGTK4
import FirnBinding
import FirnGTK
import FirnImage
import FirnPipeline

/// A ``FirnZoomView`` in a window.
@MainActor
struct ZoomStage {
    let view: FirnZoomView
    let window: SceneWindow
    let checks: Checks
    static let size = PixelSize(width: 640, height: 480)

    init(_ request: ImageRequest?, context: BindingContext, _ checks: Checks) async {
        view = FirnZoomView(context: context)
        window = SceneWindow(width: ZoomStage.size.width, height: ZoomStage.size.height, view.widget)
        self.checks = checks
        view.request = request
        await window.present(checks)
    }

    /// Waits until nothing moves and everything that is visible is sharp, and painted.
    func settle(_ text: String) async {
        var shown: (x: Double, y: Double)
        repeat {
            shown = view.center
            await checks.wait("\(text): everything is sharp") { view.isSharp }
            await Turn.frames(2, of: window)
        } while view.center != shown
    }

    /// Returns the present content of the window. There is none between a change and the frame that paints it.
    func shot() async -> Shot? {
        var shot: Shot?
        await checks.wait("a screenshot") {
            shot = window.shot()
            return shot != nil
        }
        return shot
    }

    /// Performs an action as a key or assistive technology does.
    func act(_ name: String) async {
        checks.expect(gtk_widget_activate_action_variant(view.widget, name, nil) != 0, "there is an action \(name)")
        // Longer than the movement takes.
        let start = ContinuousClock.now
        while start.duration(to: .now) < .milliseconds(400) { await Turn.next() }
    }

    /// Checks the colors at a grid of places in the window.
    ///
    /// - Parameter expected: the color at a point of the image; `nil` for a point that is not checked.
    func hasColors(_ text: String, tolerance: Int = 4, _ expected: (Double, Double) -> SIMD3<UInt8>?) async {
        guard let shot = await shot() else { return }
        var (compared, wrong) = (0, 0)
        var first = ""
        for y in stride(from: 7, to: ZoomStage.size.height, by: 23) {
            for x in stride(from: 5, to: ZoomStage.size.width, by: 19) {
                let point = view.imagePoint(x: Double(x) + 0.5, y: Double(y) + 0.5)
                guard let color = expected(point.x, point.y) else { continue }
                compared += 1
                let found = shot.color(x, y)
                if (0..<3).contains(where: { abs(Int(found[$0]) - Int(color[$0])) > tolerance }) {
                    wrong += 1
                    if first.isEmpty { first = "at \(x), \(y): \(found), expected \(color)" }
                }
            }
        }
        checks.expect(compared > 100, "\(text): \(compared) places were compared")
        checks.expect(wrong == 0, "\(text): \(wrong) of \(compared) places are wrong, \(first)")
    }

    /// Returns the color at a point of a ``PlaceImage``; `nil` near the edge of a square, and outside of the image.
    func placeColor(_ x: Double, _ y: Double) -> SIMD3<UInt8>? {
        guard let size = view.imageSize, x >= 0, y >= 0, x < Double(size.width), y < Double(size.height) else {
            return nil
        }
        let side = Double(PlaceImage.cell)
        let margin = min(side / 2.5, 3 / min(view.zoom, 1))
        for value in [x, y] {
            let inside = value.truncatingRemainder(dividingBy: side)
            if inside < margin || inside > side - margin { return nil }
        }
        return PlaceImage.color(Int(x), Int(y))
    }
}
#endif
