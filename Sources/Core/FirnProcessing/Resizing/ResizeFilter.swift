import FirnSystem

/// The resampling filter that computes the colors of a resized image.
///
/// All filters widen when downscaling, so that every original pixel contributes and fine detail does not flicker.
/// Source: Turkowski, "Filters for Common Resampling Tasks", 1990; Mitchell and Netravali, 1988.
package enum ResizeFilter: String, Hashable, Sendable, CaseIterable {
    /// The exact average of the area that a new pixel covers. Soft, without ringing; the fastest.
    case box
    /// A triangle; linear interpolation when enlarging.
    case bilinear
    /// The cubic that interpolates all points (B = 0, C = 1/2). Sharp, with slight ringing along hard edges.
    case catmullRom
    /// A sinc windowed by its own main lobe, stretched to three. Keeps the most detail, with slightly more ringing at
    /// hard edges.
    case lanczos3

    /// Half of the filter's support, in original pixels when not downscaling.
    var radius: Double {
        switch self {
        case .box: 0.5
        case .bilinear: 1
        case .catmullRom: 2
        case .lanczos3: 3
        }
    }

    /// Returns the weight at `distance` pixels from the new pixel's center; 0 from ``radius`` on.
    ///
    /// Not used for ``box``, whose weights are areas, not samples (``FilterWindows``).
    func weight(_ distance: Double) -> Double {
        let x = abs(distance)
        guard x < radius else { return 0 }
        switch self {
        case .box:
            return 1
        case .bilinear:
            return 1 - x
        case .catmullRom:
            return x < 1 ? (1.5 * x - 2.5) * x * x + 1 : ((-0.5 * x + 2.5) * x - 4) * x + 2
        case .lanczos3:
            guard x > 1e-8 else { return 1 }
            // sinc(x)·sinc(x/3), with sin 3t = 3 sin t − 4 sin³ t, which needs only one sine.
            let angle = x * (Double.pi / 3)
            let sine = sin(angle)
            return sine * sine * (3 - 4 * sine * sine) / (3 * angle * angle)
        }
    }
}
