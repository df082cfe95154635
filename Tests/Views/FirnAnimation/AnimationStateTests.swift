import FirnImage
import FirnTesting
import Testing

@testable import FirnAnimation
@testable import FirnPipeline

/// Plays animations without threads: time, requests and decodes are steps.
@Suite struct AnimationStateTests {
    /// A state with a decoder that takes `cost` for each frame and paints its number.
    private struct Player {
        var state: AnimationState
        var now = Duration.zero
        var cost: Duration
        var decoded: [Int] = []
        var under: (frame: Int, end: Duration)?
        var damaged: Set<Int> = []
        var peak = 0

        init(_ timeline: AnimationTimeline, cost: Duration, budget: AnimationBudget = AnimationBudget()) {
            state = AnimationState(budget: budget)
            self.cost = cost
            _ = state.learned(timeline, frameBytes: 64)
        }

        /// Advances the time to `time` and decodes meanwhile.
        mutating func run(to time: Duration) throws {
            while true {
                peak = max(peak, state.ring.count)
                if let decode = under {
                    guard decode.end <= time else { break }
                    now = max(now, decode.end)
                    under = nil
                    decoded.append(decode.frame)
                    let image = try Bitmap(size: PixelSize(width: 4, height: 1)) { pixels in
                        pixels.row(0).storeBytes(of: UInt16(decode.frame), as: UInt16.self)
                    }
                    _ = state.endDecode(
                        damaged.contains(decode.frame)
                            ? .failure(ImageError(.data, at: .decoding, "")) : .success(image), at: now)
                } else {
                    guard let frame = state.beginDecode(at: now) else { break }
                    under = (frame, now + cost)
                }
            }
            now = time
        }

        mutating func show(_ viewer: Int) -> Int? {
            state.image(for: viewer, at: now)?.withUnsafeBytes { Int($0.load(as: UInt16.self)) }
        }
    }

    /// Checks which frame a viewer is shown now.
    private func shows(
        _ player: inout Player, _ viewer: Int, _ frame: Int?, _ location: SourceLocation = #_sourceLocation
    ) {
        let shown = player.show(viewer)
        #expect(shown == frame, sourceLocation: location)
    }

    private func timeline(
        _ count: Int, _ duration: Int = 100, _ repetition: RepetitionCount = .forever, isAllKnown: Bool = true
    ) -> AnimationTimeline {
        AnimationTimeline(
            durations: Array(repeating: .milliseconds(duration), count: count), isAllKnown: isAllKnown,
            repetition: repetition)
    }

    @Test func `a viewer steps through the frames in both directions, and plays on from the last step`() throws {
        var player = Player(timeline(5), cost: .milliseconds(20))
        let viewer = player.state.attach(at: .zero)
        try player.run(to: .milliseconds(20))
        shows(&player, viewer, 0)
        for (step, frame) in [(1, 1), (1, 2), (-1, 1), (-2, 4), (1, 0), (-6, 4), (.max, 1), (0, 1)] {
            let former = player.show(viewer)
            player.state.step(viewer, by: step, at: player.now)
            #expect(player.state.isWaiting(viewer))
            // A frame that was kept is shown at once.
            let shown = player.show(viewer)
            #expect(shown == former || shown == frame)
            // Longer than a frame, which must not play.
            try player.run(to: player.now + .milliseconds(400))
            shows(&player, viewer, frame)
            #expect(!player.state.isWaiting(viewer))
        }
        player.state.resume(viewer, at: player.now)
        try player.run(to: player.now + .milliseconds(110))
        shows(&player, viewer, 2)
    }

    @Test func `a step to a damaged frame keeps the shown one and does not wait`() throws {
        var player = Player(timeline(3), cost: .milliseconds(20))
        player.damaged = [1]
        let viewer = player.state.attach(at: .zero)
        try player.run(to: .milliseconds(20))
        shows(&player, viewer, 0)
        player.state.step(viewer, by: 1, at: player.now)
        try player.run(to: player.now + .milliseconds(100))
        shows(&player, viewer, 0)
        #expect(!player.state.isWaiting(viewer))
        player.state.step(viewer, by: 1, at: player.now)
        try player.run(to: player.now + .milliseconds(100))
        shows(&player, viewer, 2)
    }

    @Test func `every frame is shown in time, decoded once, with at most eight in memory`() throws {
        var player = Player(timeline(344), cost: .milliseconds(20))
        let viewer = player.state.attach(at: .zero)
        try player.run(to: .milliseconds(20))
        for step in 0..<700 {
            shows(&player, viewer, step % 344)
            try player.run(to: .milliseconds(20 + (step + 1) * 100))
        }
        #expect(player.peak == 8)
        #expect(player.decoded.prefix(700) == ((0..<700).map { $0 % 344 })[...])
    }

    @Test func `short frames fill the budget, long ones a second of time`() throws {
        for (duration, expected) in [(20, 8), (100, 8), (300, 5), (1000, 2), (60_000, 2)] {
            var player = Player(timeline(20, duration), cost: .milliseconds(1))
            _ = player.state.attach(at: .zero)
            try player.run(to: .milliseconds(15))
            #expect(player.state.ring.count == expected, "\(duration) ms")
        }
    }

    @Test func `a byte limit bounds all but two frames`() throws {
        for (bytes, expected) in [(64 * 5, 5), (64, 2), (0, 2)] {
            var budget = AnimationBudget()
            budget.maximumBytes = bytes
            var player = Player(timeline(20), cost: .milliseconds(1), budget: budget)
            _ = player.state.attach(at: .zero)
            try player.run(to: .milliseconds(50))
            #expect(player.peak == expected)
        }
    }

    @Test func `slow decoding skips frames and never shows an older one`() throws {
        for cost in [60, 120, 150, 250, 700, 3000] {
            var player = Player(timeline(50), cost: .milliseconds(cost))
            let viewer = player.state.attach(at: .zero)
            var shown: [Int] = []
            var lastChange = Duration.zero
            var gap = Duration.zero
            for time in stride(from: 0, to: 20_000, by: 16) {
                try player.run(to: .milliseconds(time))
                guard let frame = player.show(viewer) else { continue }
                if shown.last != frame {
                    shown.append(frame)
                    if shown.count > 1 { gap = max(gap, player.now - lastChange) }
                    lastChange = player.now
                }
            }
            let steps = zip(shown, shown.dropFirst()).map { ($1 - $0 + 50) % 50 }
            #expect(steps.allSatisfy { (1...AnimationState.maximumSkip).contains($0) }, "\(cost) ms: \(steps)")
            // A frame takes one decode, or its own duration; one decode may be lost to an outdated plan.
            #expect(gap <= .milliseconds(cost * 2 + 100 * AnimationState.maximumSkip), "\(cost) ms: \(gap)")
            let passed = Double(steps.reduce(0, +)) / 200
            if cost <= 250 { #expect(passed > 0.9, "\(cost) ms: \(passed) of the speed") }
        }
    }

    @Test func `few frames are decoded for a viewer that does not ask, and it continues where it was`() throws {
        var player = Player(timeline(100), cost: .milliseconds(5))
        let viewer = player.state.attach(at: .zero)
        try player.run(to: .milliseconds(10))
        shows(&player, viewer, 0)
        try player.run(to: .seconds(60))
        #expect(player.decoded.count <= 20)
        try player.run(to: .seconds(120))
        let before = player.decoded.count
        try player.run(to: .seconds(180))
        #expect(player.decoded.count == before)
        let shown = player.show(viewer)
        let next = try #require(shown)
        #expect(next >= 1 && next <= 11)
        try player.run(to: player.now + .milliseconds(100))
        let later = player.show(viewer)
        #expect(try #require(later) > next)
    }

    @Test func `viewers at one position cost as much as one viewer`() throws {
        var player = Player(timeline(30), cost: .milliseconds(10))
        let viewers = (0..<5).map { _ in player.state.attach(at: .zero) }
        try player.run(to: .milliseconds(10))
        for step in 0..<60 {
            for viewer in viewers { shows(&player, viewer, step % 30) }
            try player.run(to: .milliseconds(10 + (step + 1) * 100))
        }
        #expect(player.peak <= 8)
        #expect(player.decoded.count <= 68)
    }

    @Test func `viewers at different positions each show every frame within one budget`() throws {
        var player = Player(timeline(30), cost: .milliseconds(10))
        let first = player.state.attach(at: .zero)
        try player.run(to: .milliseconds(10))
        for step in 0..<12 {
            shows(&player, first, step)
            try player.run(to: .milliseconds(10 + (step + 1) * 100))
        }
        let second = player.state.attach(at: player.now)
        _ = player.show(first)
        try player.run(to: player.now + .milliseconds(100))
        for step in 0..<40 {
            shows(&player, first, (13 + step) % 30)
            shows(&player, second, step % 30)
            try player.run(to: player.now + .milliseconds(100))
        }
        #expect(player.peak <= 8)
    }

    @Test func `detaching the last viewer stops decoding and empties the ring`() throws {
        var player = Player(timeline(30), cost: .milliseconds(10))
        let first = player.state.attach(at: .zero)
        let second = player.state.attach(at: .zero)
        try player.run(to: .milliseconds(15))
        let left = [first, first, second].map { player.state.detach($0) }
        #expect(left == [false, false, true])
        #expect(player.state.ring.images.isEmpty)
        try player.run(to: .milliseconds(500))
        #expect(player.decoded.count <= 2)
        #expect(player.state.ring.count == 0)
        shows(&player, second, nil)
    }

    @Test func `a damaged frame is skipped`() throws {
        var player = Player(timeline(40), cost: .milliseconds(10))
        player.damaged = Set(5..<25)
        let viewer = player.state.attach(at: .zero)
        var shown: [Int] = []
        for time in stride(from: 10, to: 4000, by: 20) {
            try player.run(to: .milliseconds(time))
            if let frame = player.show(viewer), shown.last != frame { shown.append(frame) }
        }
        #expect(shown.starts(with: [0, 1, 2, 3, 4, 25, 26, 27]))
        #expect(player.decoded.count { $0 == 5 } == 1)
    }

    @Test func `an animation whose first frame is damaged starts with the next`() throws {
        var player = Player(timeline(4), cost: .milliseconds(10))
        player.damaged = [0]
        let viewer = player.state.attach(at: .zero)
        try player.run(to: .milliseconds(60))
        shows(&player, viewer, nil)
        try player.run(to: .milliseconds(170))
        shows(&player, viewer, 1)
    }

    @Test func `late frames are shown when they arrive`() throws {
        var player = Player(timeline(2, isAllKnown: false), cost: .milliseconds(5))
        let viewer = player.state.attach(at: .zero)
        try player.run(to: .milliseconds(10))
        shows(&player, viewer, 0)
        try player.run(to: .milliseconds(400))
        shows(&player, viewer, 1)
        try player.run(to: .milliseconds(600))
        shows(&player, viewer, 1)
        #expect(player.state.nextChange(for: viewer) == nil)
        #expect(player.state.learned(timeline(3, isAllKnown: false), frameBytes: 64) == [viewer])
        try player.run(to: .milliseconds(610))
        shows(&player, viewer, 2)
        #expect(player.state.nextChange(for: viewer) == .milliseconds(700))
    }

    @Test func `a paused viewer keeps its frame and needs no other`() throws {
        var player = Player(timeline(30), cost: .milliseconds(10))
        let viewer = player.state.attach(at: .zero)
        try player.run(to: .milliseconds(300))
        shows(&player, viewer, 0)
        player.state.pause(viewer, at: player.now)
        try player.run(to: .seconds(3))
        shows(&player, viewer, 0)
        #expect(player.state.ring.count == 1)
        player.state.resume(viewer, at: player.now)
        try player.run(to: .milliseconds(3100))
        shows(&player, viewer, 1)
    }

    @Test func `a suspended viewer needs no frames, and goes on where it was`() throws {
        var player = Player(timeline(30, 100), cost: .milliseconds(10))
        let viewer = player.state.attach(at: .zero)
        for time in stride(from: 50, through: 550, by: 50) {
            try player.run(to: .milliseconds(time))
            _ = player.show(viewer)
        }
        let decoded = player.decoded.count
        shows(&player, viewer, 5)
        let isLast = player.state.suspend(viewer, at: player.now)
        #expect(isLast)
        #expect(player.state.ring.images.isEmpty && !player.state.isWatched)
        try player.run(to: .seconds(60))
        #expect(player.decoded.count == decoded)
        shows(&player, viewer, 5)
        player.state.resume(viewer, at: player.now)
        var seen: [Int?] = []
        for _ in 0..<4 {
            try player.run(to: player.now + .milliseconds(100))
            seen.append(player.show(viewer))
        }
        #expect(seen == [6, 7, 8, 9])
    }

    @Test func `a suspended viewer keeps no frames of another one from being released`() throws {
        var player = Player(timeline(30, 100), cost: .milliseconds(10))
        let (first, second) = (player.state.attach(at: .zero), player.state.attach(at: .zero))
        try player.run(to: .milliseconds(50))
        _ = (player.show(first), player.show(second))
        var isLast = player.state.suspend(first, at: player.now)
        #expect(!isLast)
        for time in stride(from: 100, through: 1_000, by: 50) {
            try player.run(to: .milliseconds(time))
            _ = player.show(second)
        }
        #expect(player.state.ring.images[0] == nil)
        isLast = player.state.detach(second)
        #expect(isLast)
        #expect(player.state.ring.images.isEmpty)
    }

    @Test func `a viewer can start with any frame, and with the last one it is finished`() throws {
        var player = Player(timeline(5, 100, .plays(1)), cost: .milliseconds(10))
        let viewer = player.state.attach(at: .zero, startingWith: 4)
        try player.run(to: .milliseconds(100))
        shows(&player, viewer, 4)
        #expect(player.decoded == [4])
        try player.run(to: .milliseconds(250))
        shows(&player, viewer, 4)
        #expect(player.state.isFinished(viewer))
    }

    @Test func `a viewer restarts from the first frame`() throws {
        var player = Player(timeline(5, 100, .plays(1)), cost: .milliseconds(10))
        let viewer = player.state.attach(at: .zero)
        for time in stride(from: 10, through: 1000, by: 50) {
            try player.run(to: .milliseconds(time))
            _ = player.show(viewer)
        }
        shows(&player, viewer, 4)
        #expect(player.state.isFinished(viewer))
        player.state.restart(viewer)
        shows(&player, viewer, 4)
        try player.run(to: player.now + .milliseconds(50))
        shows(&player, viewer, 0)
        #expect(!player.state.isFinished(viewer))
    }

    @Test func `trimming keeps the shown frames`() throws {
        var player = Player(timeline(30), cost: .milliseconds(10))
        let viewer = player.state.attach(at: .zero)
        try player.run(to: .milliseconds(300))
        shows(&player, viewer, 0)
        #expect(player.state.ring.count == 8)
        player.state.trim()
        #expect(Set(player.state.ring.images.keys) == [0])
        try player.run(to: .milliseconds(390))
        #expect(player.state.ring.count == 4)
        for _ in 0..<5 { player.state.trim() }
        #expect(player.state.budget.maximumFrames == 2)
    }

    @Test(arguments: 0..<24)
    func `in random runs memory is bounded and no viewer goes back`(seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        let count = Int.random(in: 1...20, using: &random)
        var known = Int.random(in: 0...count, using: &random)
        let durations = (0..<count).map { _ in Duration.milliseconds(Int.random(in: 11...400, using: &random)) }
        let repetition =
            Bool.random(using: &random) ? RepetitionCount.forever : .plays(.random(in: 1...3, using: &random))
        func timeline(_ known: Int) -> AnimationTimeline {
            AnimationTimeline(
                durations: Array(durations.prefix(known)), isAllKnown: known == count, repetition: repetition)
        }
        var budget = AnimationBudget()
        budget.maximumFrames = .random(in: 0...8, using: &random)
        var player = Player(
            timeline(known), cost: .milliseconds(Int.random(in: 0...500, using: &random)), budget: budget)
        if Bool.random(using: &random) { player.damaged = [Int.random(in: 0..<count, using: &random)] }
        var viewers: [Int] = []
        for _ in 0..<300 {
            switch Int.random(in: 0..<12, using: &random) {
            case 0 where viewers.count < 4: viewers.append(player.state.attach(at: player.now))
            case 1 where !viewers.isEmpty:
                _ = player.state.detach(viewers.remove(at: .random(in: 0..<viewers.count, using: &random)))
            case 2 where known < count:
                known += 1
                _ = player.state.learned(timeline(known), frameBytes: 64)
            case 3: if let viewer = viewers.randomElement(using: &random) { player.state.pause(viewer, at: player.now) }
            case 4:
                if let viewer = viewers.randomElement(using: &random) { player.state.resume(viewer, at: player.now) }
            case 5: if let viewer = viewers.randomElement(using: &random) { player.state.restart(viewer) }
            case 6: if Int.random(in: 0..<20, using: &random) == 0 { player.state.trim() }
            default:
                for viewer in viewers {
                    let frame = player.show(viewer)
                    if let frame { #expect(frame < known && !player.damaged.contains(frame)) }
                }
            }
            try player.run(to: player.now + .milliseconds(Int.random(in: 0...120, using: &random)))
            if let frame = player.state.beginDecode(at: player.now) { player.under = (frame, player.now + player.cost) }
            // Each viewer may pin its current and its next frame; one more is being decoded.
            let bound = max(max(2, budget.maximumFrames), viewers.count * 2 + 1)
            #expect(player.state.ring.count <= bound)
        }
        // In the end, each running viewer is shown a frame, if there is one.
        for viewer in viewers { player.state.resume(viewer, at: player.now) }
        _ = player.state.learned(timeline(count), frameBytes: 64)
        guard count > 1 || player.damaged.isEmpty else { return }
        for _ in 0..<600 {
            for viewer in viewers { _ = player.show(viewer) }
            try player.run(to: player.now + .milliseconds(20))
        }
        for viewer in viewers {
            let shown = player.show(viewer)
            #expect(shown != nil)
        }
    }
}
