/// What a scene has found out.
@MainActor
final class Checks {
    /// Where a scene saves what it looked like in the end.
    let shot: String?
    private(set) var count = 0
    private(set) var failures: [String] = []

    init(shot: String?) { self.shot = shot }

    /// Notes whether something is so.
    @discardableResult
    func expect(_ isSo: Bool, _ text: @autoclosure () -> String) -> Bool {
        count += 1
        if !isSo { failures.append(text()) }
        return isSo
    }

    /// Waits until something is so; a failure if that takes longer than a minute, which only what hangs does.
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
