#if GTK
import CGTK4
import Firn
import FirnGTK
import FirnImage
import FirnPipeline

/// Checks that images appear and animations play in a program that has not installed `GLibMainExecutor`. Nothing here
/// may wait with `await`.
@MainActor
enum BareScene {
    static func play(_ checks: Checks) {
        do {
            let stage = try MovingStage()
            for file in stage.files { show(file, stage, checks) }
        } catch { checks.expect(false, "\(error)") }
        checks.expect(!GLibMainExecutor.isInstalled, "the main actor does not run on GLib's loop")
    }

    private static func show(_ file: MovingFile, _ stage: MovingStage, _ checks: Checks) {
        let image = FirnPicture(context: BindingContext.gtk(pipeline: stage.pipeline(.network)))
        image.request = stage.request(file, .network)
        let window = SceneWindow(width: 120, height: 120, image.widget)
        window.show()
        var missing: Set<Int> = [0, 1, 2]
        let start = ContinuousClock.now
        while !missing.isEmpty, start.duration(to: .now) < .seconds(60) {
            g_main_context_iteration(nil, 1)
            guard image.binding.phase.response != nil, let shot = window.shot() else { continue }
            if let frame = MovingStage.frame(shot, image.widget, window) { missing.remove(frame) }
        }
        checks.expect(missing.isEmpty, "\(file.rawValue) plays; frames \(missing.sorted()) are missing")
        window.close()
    }
}
#endif
