#if GTK
import CGTK4
import FirnBinding
import FirnGTK
import FirnImage
import FirnPipeline
import FirnTesting

/// Checks a custom transition: an image slides in from the right over the former content.
@MainActor
enum TransitionScene {
    static func play(_ checks: Checks) async {
        let white = SIMD4<UInt8>(255, 255, 255, 255)
        let dark = SIMD4<UInt8>(16, 16, 16, 255)
        var options = ImageLoadingOptions(placeholder: .color(SRGBColor(red: 255, green: 255, blue: 255)))
        // Slow, so that even a busy machine paints some frames of the transition.
        options.transition = .custom("slide", duration: .seconds(3)) { ImageTransition.Frame(x: 1 - $0) }
        options.isProgressiveRenderingEnabled = false
        let loading = SceneLoading(options: options)
        let image = FirnPicture(context: loading.context)
        let window = SceneWindow(width: 200, height: 200, image.widget)
        await window.present(checks)
        // The response is held back: one that arrives before the call returns is shown at once.
        loading.loader.hold(SceneLoading.url(0))
        loading.serve(0)
        image.request = loading.request(0)
        await checks.wait("the placeholder is shown") { window.shot()?.color(100, 100) == white }
        loading.loader.release(SceneLoading.url(0))
        var edges: [Int] = []
        await checks.wait("the image has come to rest") {
            guard let shot = window.shot(), shot.color(199, 100).w == 255 else { return false }
            let edge = (0..<200).first { shot.color($0, 100) == dark }
            // The content left of the edge is unchanged.
            if let edge, edge > 0 { checks.expect(shot.color(edge - 1, 100) != dark, "it has one edge") }
            if let edge, edge > 2 { checks.expect(shot.color(edge - 3, 100) == white, "what was shown is below it") }
            if let edge { edges.append(edge) }
            return edge == 0
        }
        checks.expect(Set(edges).count >= 3, "it is seen on its way: \(edges)")
        checks.expect(zip(edges, edges.dropFirst()).allSatisfy { $0 >= $1 }, "it moves to the left alone: \(edges)")
        window.close()
    }
}
#endif
