#if GTK
import FirnSystem
import Testing

/// Tests behavior in a real window; see `Tests/Programs/firn-gtk-scenes`.
@Suite(.timeLimit(.minutes(10)), .serialized)
struct SceneTests {
    @Test(arguments: try ScenePlayer.names())
    func `Scenes play in a window`(_ scene: String) async throws {
        let outcome = try await OwnThread.run {
            let display = try DisplayServer()
            defer { withExtendedLifetime(display) {} }
            return try ScenePlayer.play(scene, on: display)
        }
        #expect(outcome.status == 0, "\(outcome.output)")
    }
}
#endif
