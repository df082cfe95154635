#if GTK
import CGTK4
import Dispatch
import FirnGTK

/// Checks the main actor on GLib's loop.
@MainActor
enum ExecutorScene {
    static func play(_ checks: Checks) async {
        checks.expect(GLibMainExecutor.isInstalled, "the executor is installed")
        let value = await Task.detached { await MainActor.run { 42 } }.value
        checks.expect(value == 42, "a detached task reaches the main actor")
        let start = ContinuousClock.now
        // Sleeps: the test checks that the executor wakes a sleeping task in time.
        try? await Task.sleep(for: .milliseconds(30))
        checks.expect(start.duration(to: .now) >= .milliseconds(30), "sleeping on the main actor takes its time")
        let painted = await Race.run()
        checks.expect(painted == Race.frames, "painting comes before what waits for the main actor: \(painted)")
        await paintsDuringFlood(checks)
    }

    /// Checks that endless deliveries do not keep a window from being painted.
    private static func paintsDuringFlood(_ checks: Checks) async {
        guard let box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0) else { return }
        let window = SceneWindow(width: 200, height: 200, box)
        await window.present(checks)
        let flood = (0..<4).map { _ in
            Task.detached { while !Task.isCancelled { await MainActor.run { spin(.microseconds(20)) } } }
        }
        let before = window.frameCounter
        await checks.wait("30 frames in a flood of deliveries") {
            gtk_widget_queue_draw(window.widget)
            return window.frameCounter >= before + 30
        }
        for task in flood { task.cancel() }
        for task in flood { await task.value }
        window.close()
    }

    private static func spin(_ duration: Duration) {
        let start = ContinuousClock.now
        while start.duration(to: .now) < duration {}
    }

    /// Races two sources that are ready at the same moment: a repeating one with the priority of painting, and the main
    /// actor.
    @MainActor
    private final class Race {
        static let frames = 100
        private var painted = 0
        private let continuation: CheckedContinuation<Int, Never>

        private init(_ continuation: CheckedContinuation<Int, Never>) { self.continuation = continuation }

        /// Returns how often the source ran before the main actor ran first.
        static func run() async -> Int {
            await withCheckedContinuation { continuation in
                let race = Unmanaged.passRetained(Race(continuation)).toOpaque()
                // Order: started by a source and not on the main actor's queue, which would continue with the work
                // added to it.
                let begin: @MainActor @convention(c) (gpointer?) -> gboolean = { race in
                    if let race { Unmanaged<Race>.fromOpaque(race).takeRetainedValue().begin() }
                    return 0
                }
                g_idle_add_full(200, unsafeBitCast(begin, to: GSourceFunc.self), race, nil)
            }
        }

        private func begin() {
            let paint: @MainActor @convention(c) (gpointer?) -> gboolean = { race in
                guard let race else { return 0 }
                let now = Unmanaged<Race>.fromOpaque(race).takeUnretainedValue()
                now.painted += 1
                return now.painted < Race.frames ? 1 : 0
            }
            // The value of the macro `GDK_PRIORITY_REDRAW`.
            g_idle_add_full(
                120, unsafeBitCast(paint, to: GSourceFunc.self), Unmanaged.passRetained(self).toOpaque(),
                { race in if let race { Unmanaged<AnyObject>.fromOpaque(race).release() } })
            DispatchQueue.main.async { [self] in MainActor.assumeIsolated { continuation.resume(returning: painted) } }
        }
    }
}
#endif
