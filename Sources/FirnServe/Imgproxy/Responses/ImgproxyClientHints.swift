/// The client hints of a request.
package struct ImgproxyClientHints: Sendable, Equatable {
    /// The pixel ratio, of `Sec-CH-DPR` or `DPR`; nil if absent or invalid.
    package var dpr: Double?
    /// The width in physical pixels, of `Sec-CH-Width` or `Width`; nil if absent or invalid.
    package var width: Int?
    /// Whether the client asks for less data, by `Save-Data`.
    package var savesData: Bool

    /// Reads header values. Invalid values are ignored.
    package init(dpr: String? = nil, width: String? = nil, saveData: String? = nil) {
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
