#if GTK
import CGTK4
import FirnBinding
import FirnGTK
import FirnImage
import FirnPipeline

/// Checks that round corners belong to the image: where it is fitted into the widget with space above and below, and
/// where it fills the widget.
@MainActor
enum CornerScene {
    static func play(_ checks: Checks) async {
        let loading = SceneLoading()
        let image = FirnPicture(context: loading.context)
        image.cornerRadius = 30
        image.options = ImageLoadingOptions().forGTK
        let window = SceneWindow(width: 200, height: 200, image.widget)
        await window.present(checks)
        // Number 0 has the darkest color in all places.
        let dark = SIMD4<UInt8>(16, 16, 16, 255)
        loading.serve(0, size: PixelSize(width: 400, height: 200))
        image.request = loading.request(0)
        await checks.wait("the fitted image is shown") { window.shot()?.color(100, 100) == dark }
        // The image covers rows 50 to 149 of the widget.
        isRound(left: 0, top: 50, right: 199, bottom: 149, dark, window, checks)
        checks.expect(window.shot()?.color(100, 40) != dark, "nothing is painted above the image")
        if let path = checks.shot { window.shot()?.save(path) }

        var fill = ImageLoadingOptions()
        fill.contentMode = .fill
        image.options = fill.forGTK
        await checks.wait("the image fills the widget") { window.shot()?.color(100, 10) == dark }
        isRound(left: 0, top: 0, right: 199, bottom: 199, dark, window, checks)

        image.cornerRadius = 0
        await checks.wait("corners that are not round are painted") { window.shot()?.color(0, 0) == dark }
        window.close()
    }

    /// Checks that the corners of a rectangle are cut, and the middles of its edges are not.
    private static func isRound(
        left: Int, top: Int, right: Int, bottom: Int, _ color: SIMD4<UInt8>, _ window: SceneWindow, _ checks: Checks
    ) {
        guard let shot = window.shot() else {
            checks.expect(false, "a shot")
            return
        }
        for (x, y) in [(left, top), (right, top), (left, bottom), (right, bottom)] {
            checks.expect(shot.color(x, y) != color, "the corner at \(x), \(y) is cut: \(shot.color(x, y))")
        }
        let (middleX, middleY) = ((left + right) / 2, (top + bottom) / 2)
        for (x, y) in [(left, middleY), (right, middleY), (middleX, top), (middleX, bottom)] {
            checks.expect(shot.color(x, y) == color, "the edge at \(x), \(y) is whole: \(shot.color(x, y))")
        }
    }
}
#endif
