import FirnFigures

/// Rounds of two measurements in turn, so that a slow moment of the machine affects both.
struct Turns {
    var own: [Double] = []
    var peer: [Double] = []

    /// Measures `own` and `peer` alternately.
    static func take(
        _ rounds: Int, own: () async throws -> Double, peer: () async throws -> Double
    ) async rethrows -> Turns {
        var turns = Turns()
        for _ in 0..<rounds {
            turns.own.append(try await own())
            turns.peer.append(try await peer())
        }
        return turns
    }

    /// Returns the medians of both, and the median of the rounds' ratios.
    func figure(_ name: String, unit: String, peer peerName: String) -> Figure {
        let ratios = zip(own, peer).compactMap { own, peer in peer > 0 ? own / peer : nil }
        return Figure(
            name: name, value: own.median, unit: unit, peer: peerName, peerValue: peer.median,
            ratio: ratios.count == own.count ? ratios.median : nil)
    }
}
