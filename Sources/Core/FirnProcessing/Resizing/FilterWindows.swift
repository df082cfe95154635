import FirnSync

/// The original pixels of one axis that contribute to each new pixel, with their weights.
///
/// Invariant: every window has ``taps`` weights and lies inside the original, and its weights add up to 1. At the
/// edges, existing pixels get the weights of missing pixels.
struct FilterWindows: Sendable {
    /// The number of weights of each window.
    private(set) var taps: Int
    /// The first original pixel of each window.
    private(set) var starts: [Int] = []
    /// The weights, window after window.
    private(set) var weights: [Double] = []
}

extension FilterWindows {
    /// Computes the windows for the new pixels `outputs` of a resize of a part of `source` pixels to `target` pixels.
    ///
    /// - Parameter span: the part, which lies inside the original. Its edges may lie within pixels. Pixels outside it
    ///   contribute to new pixels near its edges.
    init(_ filter: ResizeFilter, source: Int, span: Range<Double>, target: Int, outputs: Range<Int>) {
        let scale = (span.upperBound - span.lowerBound) / Double(target)
        let support = filter == .box ? scale / 2 : filter.radius * max(scale, 1)
        let most = min(source, Int((2 * support).rounded(.up)) + 2)
        taps = 1
        starts.reserveCapacity(outputs.count)
        weights.reserveCapacity(outputs.count * most)
        var window = [Double](repeating: 0, count: most)
        for output in outputs {
            let center = span.lowerBound + (Double(output) + 0.5) * scale
            let first = min(max(0, Int((center - support).rounded(.down))), source - most)
            var sum = 0.0
            for tap in 0..<most {
                let weight: Double
                if filter == .box {
                    let left = max(Double(first + tap), center - support)
                    weight = max(0, min(Double(first + tap + 1), center + support) - left)
                } else {
                    weight = filter.weight((Double(first + tap) + 0.5 - center) / max(scale, 1))
                }
                // Rounding noise must not widen the window.
                window[tap] = abs(weight) < 1e-9 ? 0 : weight
                sum += window[tap]
            }
            starts.append(first)
            for weight in window { weights.append(weight / sum) }
        }
        trim(most, source: source)
    }

    // MARK: Caching

    private struct Key: Equatable {
        let filter: ResizeFilter
        let source: Int
        let target: Int
        let outputs: Range<Int>
    }

    /// The windows of recent sizes; the images of a folder have few different sizes.
    private static let recent = RecentValues<Key, FilterWindows>(capacity: 64)
    /// The maximum number of weights of cached windows: 64 KiB. Mixing pixels with larger windows takes far longer than
    /// computing the windows.
    private static let maximumCached = 8192

    /// Returns the windows for the new pixels `outputs` of a resize from `source` pixels to `target` pixels, cached if
    /// small.
    static func of(_ filter: ResizeFilter, source: Int, target: Int, outputs: Range<Int>) -> FilterWindows {
        func compute() -> FilterWindows {
            FilterWindows(filter, source: source, span: 0..<Double(source), target: target, outputs: outputs)
        }
        let weights = Double(outputs.count) * maximumTaps(filter, source: source, target: target)
        guard weights <= Double(maximumCached) else { return compute() }
        let key = Key(filter: filter, source: source, target: target, outputs: outputs)
        return recent.value(for: key, compute)
    }

    /// Returns an upper bound of ``taps``.
    static func maximumTaps(_ filter: ResizeFilter, source: Int, target: Int) -> Double {
        2 * filter.radius * max(1, Double(source) / Double(target)) + 2
    }

    /// Narrows all windows to the widest window needed.
    private mutating func trim(_ most: Int, source: Int) {
        var used: [Range<Int>] = []
        used.reserveCapacity(starts.count)
        for index in starts.indices {
            let window = weights[index * most..<(index + 1) * most]
            let first = (window.firstIndex { $0 != 0 } ?? window.startIndex) - window.startIndex
            let last = (window.lastIndex { $0 != 0 } ?? window.startIndex) - window.startIndex
            used.append(first..<last + 1)
            taps = max(taps, last + 1 - first)
        }
        guard taps < most else {
            taps = most
            return
        }
        for index in starts.indices {
            // Near the end, a narrow window starts earlier, with weights of 0, to stay inside the original.
            let first = min(used[index].lowerBound, most - taps)
            starts[index] += first
            for tap in 0..<taps { weights[index * taps + tap] = weights[index * most + first + tap] }
        }
        weights.removeLast(weights.count - starts.count * taps)
    }
}
