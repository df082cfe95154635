// Conversions and sums of numbers that come from outside: they end at the limits of their type instead of trapping.

extension FixedWidthInteger {
    /// Returns the sum, at the limit of the type if it lies beyond.
    package func saturatingAdd(_ other: Self) -> Self {
        let (sum, overflow) = addingReportingOverflow(other)
        guard overflow else { return sum }
        return other < 0 ? .min : .max
    }

    /// Returns the difference, at the limit of the type if it lies beyond.
    package func saturatingSubtract(_ other: Self) -> Self {
        let (difference, overflow) = subtractingReportingOverflow(other)
        guard overflow else { return difference }
        return other < 0 ? .max : .min
    }

    /// Returns the product, at the limit of the type if it lies beyond.
    package func saturatingMultiply(_ other: Self) -> Self {
        let (product, overflow) = multipliedReportingOverflow(by: other)
        guard overflow else { return product }
        return (self < 0) == (other < 0) ? .max : .min
    }

    /// Converts a number without its fraction; at the limit of the type if it lies beyond, and 0 if it is none.
    package init(saturating number: Double) {
        if let exact = Self(exactly: number.rounded(.towardZero)) {
            self = exact
        } else if number.isNaN {
            self = 0
        } else {
            self = number < 0 ? .min : .max
        }
    }
}

extension RandomAccessCollection where Index == Int {
    /// Returns the index of the first element of which `isBehind` is true, by bisection; the end if there is none.
    ///
    /// Requires: it is true of all elements after the first one.
    @inlinable
    package func firstPlace(where isBehind: (Element) -> Bool) -> Int {
        var (low, high) = (startIndex, endIndex)
        while low < high {
            let middle = low + (high - low) / 2
            if isBehind(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
