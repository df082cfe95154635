extension ImgproxyOptionReader {
    /// Applies options that change limits. Returns false for other options.
    /// - Throws: 403 unless they are allowed.
    mutating func applySecurity(_ name: String, _ arguments: ImgproxyArguments) throws(ServeError) -> Bool {
        let names = [
            "max_src_resolution", "msr", "max_animation_frame_resolution", "mafr", "max_src_file_size", "msfs",
            "max_animation_frames", "maf", "max_result_dimension", "mrd",
        ]
        guard names.contains(name) else { return false }
        guard settings.allowSecurityOptions else { throw .forbidden("\(name): security options are not allowed") }
        let text = try arguments.one()
        switch name {
        case "max_src_resolution", "msr": options.maxSourceMegapixels = try arguments.number(text, 0.000001...1e6)
        case "max_animation_frame_resolution", "mafr": options.maxFrameMegapixels = try arguments.number(text, 0...1e6)
        case "max_src_file_size", "msfs": options.maxSourceBytes = try arguments.integer(text, 0...Int.max)
        case "max_animation_frames", "maf": options.maxAnimationFrames = try arguments.integer(text, 1...1_000_000)
        default: options.maxResultSide = try arguments.dimension(text)
        }
        return true
    }
}
