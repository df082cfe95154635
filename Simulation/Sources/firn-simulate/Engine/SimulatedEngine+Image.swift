// The output of a failing run.
extension SimulatedEngine {
    /// Lists the running and waiting jobs, as seen from outside, one on each line.
    var image: String {
        var lines = ["\(limits)"]
        for work in running { lines.append("runs: " + line(work)) }
        for work in queued.joined() where isWanted(work) { lines.append("waits: " + line(work)) }
        return lines.joined(separator: "\n")
    }

    /// Prints the events of the key that a replay traces.
    func trace(_ key: Int, _ text: @autoclosure () -> String) {
        if key == tracedKey { print("\(tally.steps): \(text())") }
    }

    private func line(_ work: Work) -> String {
        var words = ["\(work.stage) of key \(work.key), level \(level(work)), host \(work.host), place \(work.place)"]
        if work.isHeld { words.append("paused") }
        if work.isToStop { words.append("to stop") }
        if work.isLingering { words.append("let finish") }
        if work.isExcused { words.append("out of turn") }
        if work.isEarly { words.append("early") }
        if work.stage == .transfer { words.append("\(work.transfer.received) of \(work.transfer.total)") }
        return words.joined(separator: ", ")
    }
}
