// Conversions and arithmetic for numbers from outside: clamped to the limits of their type instead of trapping.

extension FixedWidthInteger {
    /// Returns the sum, clamped to the range of the type.
    package func saturatingAdd(_ other: Self) -> Self {
        let (sum, overflow) = addingReportingOverflow(other)
        guard overflow else { return sum }
        return other < 0 ? .min : .max
    }

    /// Returns the difference, clamped to the range of the type.
    package func saturatingSubtract(_ other: Self) -> Self {
        let (difference, overflow) = subtractingReportingOverflow(other)
        guard overflow else { return difference }
        return other < 0 ? .max : .min
    }

    /// Returns the product, clamped to the range of the type.
    package func saturatingMultiply(_ other: Self) -> Self {
        let (product, overflow) = multipliedReportingOverflow(by: other)
        guard overflow else { return product }
        return (self < 0) == (other < 0) ? .max : .min
    }

    /// Truncates a number to an integer, clamped to the range of the type; 0 for NaN.
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
    /// Returns the index of the first element for which `isBehind` is true, by binary search; the end index if there is
    /// none.
    ///
    /// Requires: once true, `isBehind` is true for all later elements.
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
