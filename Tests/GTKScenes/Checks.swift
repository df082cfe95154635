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

    /// Waits until something is so; a failure if that takes longer than 20 s.
    @discardableResult
    func wait(_ text: String, until isSo: () -> Bool) async -> Bool {
        let start = ContinuousClock.now
        while !isSo() {
            guard start.duration(to: .now) < .seconds(20) else { return expect(false, "in 20 s: \(text)") }
            await Turn.next()
        }
        return expect(true, text)
    }
}
