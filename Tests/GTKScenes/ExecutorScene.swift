import CGTK4
import FirnGTK

/// The main actor on GLib's loop.
@MainActor
enum ExecutorScene {
    static func play(_ checks: Checks) async {
        checks.expect(GLibMainExecutor.isInstalled, "the executor is installed")
        let answer = await Task.detached { await MainActor.run { 42 } }.value
        checks.expect(answer == 42, "a detached task reaches the main actor")
        let start = ContinuousClock.now
        try? await Task.sleep(for: .milliseconds(30))
        checks.expect(start.duration(to: .now) >= .milliseconds(30), "sleeping on the main actor takes its time")
        await paintsDuringFlood(checks)
    }

    /// Deliveries without end must not keep a window from being painted.
    private static func paintsDuringFlood(_ checks: Checks) async {
        guard let box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0) else { return }
        let window = SceneWindow(width: 200, height: 200, box)
        await window.present(checks)
        let flood = (0..<4).map { _ in
            Task.detached {
                while !Task.isCancelled { await MainActor.run { spin(.microseconds(20)) } }
            }
        }
        let before = window.frameCounter
        let start = ContinuousClock.now
        while start.duration(to: .now) < .seconds(1) {
            gtk_widget_queue_draw(window.widget)
            await Task.yield()
        }
        let frames = window.frameCounter - before
        for task in flood { task.cancel() }
        for task in flood { await task.value }
        // A starved loop comes to 20–28; a free one to 59.
        checks.expect(frames >= 35, "\(frames) frames in a second of deliveries without end")
        window.close()
    }

    private static func spin(_ duration: Duration) {
        let start = ContinuousClock.now
        while start.duration(to: .now) < duration {}
    }
}
