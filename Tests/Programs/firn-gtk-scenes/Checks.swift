#if GTK
/// The results of a scene's checks.
@MainActor
final class Checks {
    /// The path at which a scene saves a final screenshot; `nil` to save none.
    let shot: String?
    private(set) var count = 0
    private(set) var failures: [String] = []

    init(shot: String?) { self.shot = shot }

    /// Records whether a condition holds.
    @discardableResult
    func expect(_ isSo: Bool, _ text: @autoclosure () -> String) -> Bool {
        count += 1
        if !isSo { failures.append(text()) }
        return isSo
    }

    /// Waits until a condition holds; fails after a minute, because only a hang takes that long.
    @discardableResult
    func wait(_ text: String, until isSo: () -> Bool) async -> Bool {
        let start = ContinuousClock.now
        while !isSo() {
            guard start.duration(to: .now) < .seconds(60) else { return expect(false, "in a minute: \(text)") }
            await Turn.next()
        }
        return expect(true, text)
    }
}
#endif
