internal import FirnImage
internal import FoundationEssentials

extension ImageOrientation {
    /// Reads the orientation in an XMP packet; `nil` if it states none.
    ///
    /// Source: XMP specification part 2 §3.2 (`tiff:ImageOrientation`), as an attribute, `="3"`, or an element, `>3<`.
    init?(xmp packet: Data) {
        let bytes = XMPTexts.examined(packet)
        guard let name = bytes.firstPlace(of: "tiff:Orientation") else { return nil }
        let rest = Array(bytes[name.upperBound...].prefix(3))
        let digit: UInt8? =
            switch rest.first {
            case UInt8(ascii: "=") where rest.count == 3 && Array("\"'".utf8).contains(rest[1]): rest[2]
            case UInt8(ascii: ">") where rest.count >= 2: rest[1]
            default: nil
            }
        guard let digit, digit >= UInt8(ascii: "0") else { return nil }
        self.init(rawValue: Int(digit - UInt8(ascii: "0")))
    }
}
