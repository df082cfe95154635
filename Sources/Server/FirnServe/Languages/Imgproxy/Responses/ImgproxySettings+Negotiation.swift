// Format negotiation.
extension ImgproxySettings {
    /// Returns a key that is equal for clients whose results have the same format for every source.
    func negotiationKey(requested: ImgproxyFormat?, accept: String) -> String {
        let formats = requested == nil ? automaticFormats.union(enforcedFormats) : enforcedFormats
        let accepted = [false, true].map { candidates(accept, isAnimated: $0, among: formats)?.rawValue ?? "" }
        let preferred = requested == nil ? preferredFormats.map(\.rawValue) : []
        return "\(requested?.rawValue ?? "auto")/\(accepted.joined(separator: "."))/\(preferred.joined(separator: "."))"
    }

    /// Returns the configured format with the highest quality value of those that `accept` names.
    ///
    /// Among equals, the order is JPEG XL, AVIF, WebP. `image/*` names none of them: clients without support send it,
    /// too. Animated sources allow only WebP.
    func accepted(_ accept: String, isAnimated: Bool = false) -> ImgproxyFormat? {
        candidates(accept, isAnimated: isAnimated, among: automaticFormats.union(enforcedFormats))
    }

    func format(
        requested: ImgproxyFormat?, accept: String, source: ImgproxyFormat, isAnimated: Bool, hasAlpha: Bool
    ) -> ImgproxyFormat {
        if let requested {
            return candidates(accept, isAnimated: isAnimated, among: enforcedFormats) ?? requested
        }
        if source == .svg { return .svg }
        if let best = accepted(accept, isAnimated: isAnimated) { return best }
        if preferredFormats.contains(source) { return source }
        return preferredFormats.first {
            (!isAnimated || $0.supportsAnimation) && (!hasAlpha || $0.supportsAlpha)
        } ?? preferredFormats.first ?? (hasAlpha ? .png : .jpeg)
    }

    /// The value of `Vary`, even if no format matched; nil if nothing is negotiated.
    var vary: String? {
        var names: [String] = []
        if !automaticFormats.isEmpty || !enforcedFormats.isEmpty { names.append("Accept") }
        if usesClientHints { names += ImgproxyClientHints.fields }
        return names.isEmpty ? nil : names.joined(separator: ", ")
    }

    private func candidates(_ accept: String, isAnimated: Bool, among formats: Set<ImgproxyFormat>) -> ImgproxyFormat? {
        let order: [ImgproxyFormat] = isAnimated ? [.webp] : [.jxl, .avif, .webp]
        let weights = FieldList.weights(formats.isEmpty ? "" : accept)
        let weighted = order.map { (format: $0, weight: formats.contains($0) ? weights["image/\($0)"] ?? 0 : 0) }
        let most = weighted.map(\.weight).max() ?? 0
        return most > 0 ? weighted.first { $0.weight == most }?.format : nil
    }
}

struct ImgproxyClientHints: Sendable, Equatable {
    static let fields = ["Sec-CH-DPR", "DPR", "Sec-CH-Width", "Width", "Save-Data"]

    /// The pixel ratio from `Sec-CH-DPR` or `DPR`; nil if absent or invalid.
    var dpr: Double?
    /// The width in physical pixels from `Sec-CH-Width` or `Width`; nil if absent or invalid.
    var width: Int?
    /// True if the client asks for less data with `Save-Data`.
    var savesData: Bool

    /// Parses header values. Invalid values are ignored.
    init(dpr: String? = nil, width: String? = nil, saveData: String? = nil) {
        self.dpr = dpr.flatMap { ImgproxyText.number($0) }.flatMap { (0.001...8).contains($0) ? $0 : nil }
        self.width = width.flatMap { Int($0) }.flatMap { (1...65_535).contains($0) ? $0 : nil }
        // Parameters of the token are reserved (Save Data API, section 4).
        let token = saveData?.prefix { $0 != ";" }.filter { $0 != " " && $0 != "\t" }
        savesData = token?.lowercased() == "on"
    }

    /// Sets defaults, which presets and options override.
    func apply(to options: inout ImgproxyOptions) {
        if let dpr, !savesData { options.dpr = dpr }
        if let width { options.width = max(1, ImgproxyRounding.round(Double(width) / (dpr ?? options.dpr))) }
        options.savesData = savesData
    }
}
