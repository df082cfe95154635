#if GTK
import CGTK4
import FirnGTK
import FirnSystem

/// Plays scenes in a real window and checks what is visible: `firn-gtk-scenes SCENE [SHOT.png]`, on the display of the
/// environment. The tests in `Tests/Views/FirnGTK` start it, one process for each scene.
/// `firn-gtk-scenes pan FILE ZOOM SECONDS` measures (``PanMeasurement``).
///
/// It is a separate program because GTK needs the main thread with GLib's loop, as in an application.
@main
struct ScenesCommand {
    /// The time limit of a scene.
    static let limitSeconds: guint = 300

    /// Plays a scene in GLib's loop.
    @MainActor
    private static func run(_ scene: Scene, _ checks: Checks) {
        let loop = g_main_loop_new(nil, 0)
        Task { @MainActor in
            await scene.play(checks)
            g_main_loop_quit(loop)
        }
        g_main_loop_run(loop)
        g_main_loop_unref(loop)
    }

    @MainActor
    private static func measurePan(_ file: String, _ zoom: Double, _ seconds: Double, shot: String?) {
        GLibMainExecutor.install()
        gtk_init()
        alarm(limitSeconds)
        let loop = g_main_loop_new(nil, 0)
        Task { @MainActor in
            await PanMeasurement.run(file, zoom: zoom, seconds: seconds, shot: shot)
            g_main_loop_quit(loop)
        }
        g_main_loop_run(loop)
        g_main_loop_unref(loop)
    }

    static func main() {
        let arguments = CommandLine.arguments
        if arguments.count > 4, arguments[1] == "pan", let zoom = Double(arguments[3]),
            let seconds = Double(arguments[4])
        {
            return measurePan(arguments[2], zoom, seconds, shot: arguments.count > 5 ? arguments[5] : nil)
        }
        guard arguments.count > 1, let scene = Scene(rawValue: arguments[1]) else {
            print("scenes: \(Scene.allCases.map(\.rawValue).joined(separator: " "))")
            exit(64)
        }
        if scene != .bare { GLibMainExecutor.install() }
        gtk_init()
        let checks = Checks(shot: arguments.count > 2 ? arguments[2] : nil)
        g_timeout_add_seconds(
            limitSeconds,
            { _ in
                print("the scene did not end in time")
                exit(3)
            }, nil)
        // Ends the process if the loop itself hangs.
        alarm(limitSeconds + 30)
        if scene == .bare { BareScene.play(checks) } else { run(scene, checks) }
        for failure in checks.failures { print("not so: \(failure)") }
        print("\(scene.rawValue): \(checks.count) checks, \(checks.failures.count) failed")
        exit(checks.failures.isEmpty && checks.count > 0 ? 0 : 1)
    }
}
#else
/// Plays nothing: the scenes are windows, which need the package trait GTK.
@main
enum ScenesCommand {
    static func main() {}
}
#endif
