/// Parallel lanes: each interval gets the first free lane.
struct LaneSet {
    private var taken: [Bool] = []

    mutating func take() -> Int {
        let lane = taken.firstIndex(of: false) ?? taken.count
        if lane == taken.count { taken.append(true) } else { taken[lane] = true }
        return lane
    }

    mutating func give(_ lane: Int) {
        if taken.indices.contains(lane) { taken[lane] = false }
    }
}
