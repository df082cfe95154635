import FirnData
import FirnImage
import FirnSync
import Testing

/// Tests the conversions of numbers of files: they end at the limits of a type.
@Suite struct SaturatingNumbersTests {
    @Test func `a number beyond a type becomes the type's limit`() {
        #expect(Int(saturating: 1e300) == .max && Int(saturating: -.infinity) == .min)
        #expect(Int(saturating: .nan) == 0 && Int(saturating: -2.9) == -2)
        #expect(UInt8(saturating: 255.9) == 255 && UInt8(saturating: 256) == 255 && UInt8(saturating: -1) == 0)
    }

    @Test func `sums and products end at the limits`() {
        #expect(Int.max.saturatingAdd(1) == .max && Int.min.saturatingAdd(-1) == .min && 1.saturatingAdd(2) == 3)
        #expect(Int.max.saturatingMultiply(-2) == .min && Int.min.saturatingMultiply(-1) == .max)
    }

    @Test func `durations of any length have milliseconds and nanoseconds`() {
        let long = Duration.seconds(Int64.max)
        #expect(long.wholeMilliseconds == .max && long.nanoseconds == .max)
        #expect(Duration.seconds(Int64.min).nanoseconds == .min)
        #expect(long.saturatingAdd(long) == long)
        #expect(Duration.microseconds(1_500).wholeMilliseconds == 2)
        #expect(Duration.microseconds(-600).wholeMilliseconds == -1)
        #expect(Duration.seconds(1).saturatingAdd(.milliseconds(2)) == .milliseconds(1_002))
    }
}
