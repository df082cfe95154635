/// Mirroring about the vertical axis, then a clockwise rotation.
///
/// Source: IIIF Image API 3.0, section 4.3.
package struct IIIFRotation: Equatable, Sendable {
    /// True if left and right are exchanged before the rotation.
    package let isMirrored: Bool
    /// The clockwise angle in millionths of a degree, 0 to 360,000,000.
    package let millionths: Int
    /// The decoded part, for messages.
    let text: [UInt8]

    /// The clockwise rotation in steps of 90 degrees, 0 to 3; `nil` for other angles. 360 degrees are 0.
    package var quarterTurns: Int? {
        let quarter = 90 * IIIFNumber.unit
        return millionths.isMultiple(of: quarter) ? millionths / quarter % 4 : nil
    }

    /// Reads the decoded part.
    ///
    /// - Throws: ``ServeError`` with status 400 for anything but `n` and `!n` with n from 0 to 360.
    package init(_ text: [UInt8]) throws(ServeError) {
        let isMirrored = text.first == UInt8(ascii: "!")
        let angle = IIIFNumber.decimal(text.dropFirst(isMirrored ? 1 : 0))
        guard let angle, angle <= 360 * IIIFNumber.unit else {
            throw .invalid("rotation", text, "expected n or !n with n from 0 to 360")
        }
        self.isMirrored = isMirrored
        self.millionths = angle
        self.text = text
    }
}
