import FirnTesting

/// Makes traces of typical image requests of users and programs, from a seed.
struct TraceMaker {
    private(set) var trace: Trace
    private var random: SeededGenerator

    init(_ name: String, seed: UInt64) {
        trace = Trace(name: name)
        random = SeededGenerator(seed: seed)
    }

    // MARK: Images

    /// Adds `count` images with sizes uniformly between two bounds, and returns their numbers.
    mutating func images(_ count: Int, kilobytes: ClosedRange<Int>) -> Range<Int32> {
        let first = Int32(trace.sizes.count)
        for _ in 0..<count { trace.sizes.append(Int.random(in: kilobytes, using: &random) << 10) }
        return first..<Int32(trace.sizes.count)
    }

    /// Sets the cache's capacity.
    mutating func hold(kilobytes: Int) { trace.capacity = kilobytes << 10 }

    var count: Int { trace.requests.count }

    mutating func chance(_ part: Double) -> Bool { Double.random(in: 0..<1, using: &random) < part }
    mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }

    // MARK: Patterns

    mutating func request(_ image: Int32) { trace.requests.append(image) }

    /// Requests every image once, forward.
    mutating func pass(_ images: Range<Int32>) { for image in images { request(image) } }

    /// Requests every image once, backward.
    mutating func passBack(_ images: Range<Int32>) { for image in images.reversed() { request(image) } }

    /// Scrolls a list up and down, `moves` times, mostly downward. Cells that become visible request their image.
    mutating func scroll(
        _ list: Range<Int32>, moves: Int, from start: inout Int, view: Int = 12, downwards: Double = 0.65
    ) {
        for _ in 0..<moves {
            let isDown = chance(downwards)
            // Most moves are short, some are flings.
            let distance = chance(0.2) ? number(view...view * 15) : number(1...view * 2)
            move(list, by: isDown ? distance : -distance, from: &start, view: view)
        }
    }

    /// Moves a list's first visible cell and requests the images that become visible.
    mutating func move(_ list: Range<Int32>, by distance: Int, from start: inout Int, view: Int = 12) {
        let most = max(0, list.count - view)
        let end = min(max(start + distance, 0), most)
        while start < end {
            start += 1
            request(list.lowerBound + Int32(start + view - 1))
        }
        while start > end {
            start -= 1
            request(list.lowerBound + Int32(start))
        }
    }

    /// Draws by Zipf's law: the *n*-th image of `order` in proportion to 1 / n^`exponent`.
    mutating func zipf(_ law: ZipfLaw, _ order: [Int32], times: Int) {
        for _ in 0..<times { request(order[law.rank(Double.random(in: 0..<1, using: &random))]) }
    }

    /// Returns the numbers in random order.
    mutating func shuffled(_ images: Range<Int32>) -> [Int32] { images.shuffled(using: &random) }
}
