import FirnImage
import FoundationEssentials

/// The color information in `colr` boxes.
///
/// - Source: ISO/IEC 14496-12 §12.1.5.
struct ISOColors {
    /// Code points of ITU-T H.273.
    struct CodePoints: Equatable {
        var primaries: Int
        var transfer: Int
        var matrix: Int
        var isFullRange: Bool
    }

    private(set) var codePoints: CodePoints?
    private(set) var profile: Data?

    /// Adds the information of one box; the first box of each kind counts.
    mutating func read(_ box: ISOBox, _ chain: ByteChain, _ limits: ImageLimits) {
        guard var fields = box.fields(of: chain), let type = fields.code() else { return }
        switch type {
        // "nclc" is QuickTime's type; it states no range, which is then limited.
        case "nclx", "nclc":
            guard codePoints == nil, let primaries = fields.number(2), let transfer = fields.number(2),
                let matrix = fields.number(2)
            else { return }
            let range = type == "nclx" ? fields.number(1) ?? 0 : 0
            codePoints = CodePoints(
                primaries: primaries, transfer: transfer, matrix: matrix, isFullRange: range & 0x80 != 0)
        case "prof", "rICC":
            guard profile == nil, fields.rest <= limits.maximumProfileBytes else { return }
            profile = fields.take(fields.rest).map { Data($0) }
        default: break
        }
    }
}

extension ColorDescription {
    /// Creates a description by code points of ITU-T H.273, of which 2 states nothing; `nil` if both are 2.
    init?(primaries: Int, transfer: Int) {
        guard primaries != 2 || transfer != 2 else { return nil }
        self.init()
        primariesCode = primaries == 2 ? nil : primaries
        transferCode = transfer == 2 ? nil : transfer
    }
}
