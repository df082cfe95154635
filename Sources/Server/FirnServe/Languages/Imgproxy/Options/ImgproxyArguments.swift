/// The arguments of one option, with checks that name the option and the value.
struct ImgproxyArguments {
    let option: String
    let values: [String]
    let limits: ImgproxyLimits

    /// Returns argument `index`, or nil if it is absent or empty, which keeps the current value.
    subscript(index: Int) -> String? {
        guard values.indices.contains(index), !values[index].isEmpty else { return nil }
        return values[index]
    }

    func dropFirst(_ start: Int) -> ImgproxyArguments {
        ImgproxyArguments(option: option, values: Array(values.dropFirst(start)), limits: limits)
    }

    func atMost(_ count: Int) throws(ServeError) {
        guard values.count <= count else {
            throw .notFound("\(option): \(values.count) arguments, at most \(count) are allowed")
        }
    }

    func one() throws(ServeError) -> String {
        try atMost(1)
        return values.first ?? ""
    }

    func bool(_ index: Int) -> Bool { self[index].map { ImgproxyText.isTrue($0) } ?? false }

    func flag() throws(ServeError) -> Bool { ImgproxyText.isTrue(try one()) }

    func integer(_ text: String, _ range: ClosedRange<Int>) throws(ServeError) -> Int {
        guard let value = Int(text), range.contains(value) else { throw .argument(option, text) }
        return value
    }

    func number(_ text: String, _ range: ClosedRange<Double>) throws(ServeError) -> Double {
        guard let value = ImgproxyText.number(text), range.contains(value) else { throw .argument(option, text) }
        return value
    }

    func dimension(_ text: String) throws(ServeError) -> Int { try integer(text, 0...max(0, limits.dimension)) }

    func dimension() throws(ServeError) -> Int { try dimension(one()) }

    /// Returns a number above 0 and at most `limit`.
    func factor(_ text: String, _ limit: Double) throws(ServeError) -> Double {
        let value = try number(text, 0...max(0, limit))
        guard value >= 0.001 else { throw .argument(option, text) }
        return value
    }

    func offset(_ text: String) throws(ServeError) -> Double {
        let limit = Double(max(0, limits.dimension))
        return try number(text, -limit...limit)
    }

    /// Decodes argument `index` from base64url; nil if it is absent or empty.
    /// - Throws: 404 for more than `longest` scalars, control characters and invalid UTF-8.
    func text(_ index: Int, longest: Int) throws(ServeError) -> String? {
        guard let encoded = self[index] else { return nil }
        guard let bytes = ImgproxyText.base64URLDecoded(Array(encoded.utf8)),
            let text = String(validating: bytes, as: UTF8.self), text.unicodeScalars.count <= longest,
            !text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
        else { throw .argument(option, encoded) }
        return text
    }

    /// Returns the case of a type with this name.
    func named<Value: RawRepresentable<String>>(_ text: String) throws(ServeError) -> Value {
        guard let value = Value(rawValue: text) else { throw .argument(option, text) }
        return value
    }

    func format(_ text: String) throws(ServeError) -> ImgproxyFormat {
        guard let format = ImgproxyFormat(name: text) else { throw .argument(option, text) }
        return format
    }

    /// Parses a position and offsets into `gravity`. Empty offsets keep their value.
    func read(_ gravity: inout ImgproxyGravity, allowsSmart: Bool) throws(ServeError) {
        let position: ImgproxyGravity.Position = try named(values.first ?? "")
        guard allowsSmart || position != .smart else { throw .argument(option, position.rawValue) }
        try atMost(3)
        gravity.position = position
        switch position {
        case .smart:
            try atMost(1)
            gravity = ImgproxyGravity(position: .smart)
        case .focusPoint:
            guard values.count == 3 else { throw .notFound("\(option): fp needs x and y") }
            gravity.x = try number(values[1], 0...1)
            gravity.y = try number(values[2], 0...1)
        default:
            if let x = self[1] { gravity.x = try offset(x) }
            if let y = self[2] { gravity.y = try offset(y) }
        }
    }

    /// Parses `bool[:gravity]`.
    func read(_ extend: inout ImgproxyOptions.Extend) throws(ServeError) {
        try atMost(4)
        if self[0] != nil { extend.isEnabled = bool(0) }
        if self[1] != nil { try dropFirst(1).read(&extend.gravity, allowsSmart: false) }
    }

    /// Parses a color of 3 or 6 hexadecimal digits.
    func color(_ text: String) throws(ServeError) -> SRGBColor {
        let digits = text.utf8.count == 3 ? String(text.flatMap { [$0, $0] }) : text
        guard let parts = [UInt8](hexadecimal: digits), parts.count == 3 else { throw .argument(option, text) }
        return SRGBColor(red: parts[0], green: parts[1], blue: parts[2])
    }
}

extension ImgproxyArguments {
    /// Splits a segment into the name of an option and its arguments.
    init(_ segment: ArraySlice<UInt8>, _ settings: ImgproxySettings) {
        let parts = ImgproxyArguments.parts(segment, settings)
        self.init(option: parts[0], values: Array(parts.dropFirst()), limits: settings.limits)
    }

    static func parts(_ segment: ArraySlice<UInt8>, _ settings: ImgproxySettings) -> [String] {
        segment.split(separator: settings.argumentSeparator, omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
    }
}
