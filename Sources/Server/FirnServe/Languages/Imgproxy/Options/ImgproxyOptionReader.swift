struct ImgproxyOptionReader {
    let settings: ImgproxySettings
    var options = ImgproxyOptions()
    private var usedPresets: Set<String> = []
    private var count = 0

    init(settings: ImgproxySettings) { self.settings = settings }

    /// Splits an option into its name and arguments.
    static func parts(_ segment: ArraySlice<UInt8>, separator: UInt8) -> [String] {
        segment.split(separator: separator, omittingEmptySubsequences: false).map {
            String(decoding: $0, as: UTF8.self)
        }
    }

    /// Applies presets by name. A preset that was already applied is skipped, which ends recursion.
    /// - Throws: 404 for unknown names.
    mutating func applyPresets(_ names: [String]) throws(ServeError) {
        for name in names {
            guard let text = settings.presets[name] else { throw .argument("preset", name) }
            guard usedPresets.insert(name).inserted else { continue }
            for segment in Array(text.utf8).split(separator: UInt8(ascii: "/")) {
                let parts = Self.parts(segment, separator: settings.argumentSeparator)
                try apply(name: parts[0], arguments: Array(parts.dropFirst()), isInPreset: true)
            }
        }
    }

    /// Applies one option.
    /// - Throws: 404 for unknown names, too many arguments and invalid values, 403 for security options.
    mutating func apply(name: String, arguments: [String], isInPreset: Bool) throws(ServeError) {
        if !isInPreset {
            count += 1
            guard count <= settings.limits.options else {
                throw .notFound("options: more than \(settings.limits.options)")
            }
            if let allowed = settings.allowedOptions, !allowed.contains(name) {
                throw .notFound("\(ServeError.printable(name.utf8)): option is not allowed")
            }
        }
        let arguments = ImgproxyArguments(option: name, values: arguments, limits: settings.limits)
        if name == "preset" || name == "pr" { return try applyPresets(arguments.values) }
        try applySize(name, arguments)
    }

    /// The options that change limits.
    static let security: Set<String> = [
        "max_src_resolution", "msr", "max_animation_frame_resolution", "mafr", "max_src_file_size", "msfs",
        "max_animation_frames", "maf", "max_result_dimension", "mrd",
    ]
}
