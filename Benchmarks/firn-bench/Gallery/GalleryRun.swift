import FoundationEssentials

/// What the gallery said of a scroll by itself.
struct GalleryRun: Decodable {
    let frames: Int
    let gapP99Ms: Double
    let lateFrames: Int
    let paintP50Ms: Double
    let bindHitP50Us: Double?
    let bindMissP50Us: Double?
    let wrongImages: Int
    let peakMiB: Double
    /// Microseconds of the drawing thread for each image that was loaded and shown.
    let deliverAllUs: Double?
    let textureNs: Double?
    let bareTextureNs: Double?

    /// Runs the gallery that was built beside this program, in a server without a screen, painting in software.
    ///
    /// - Returns: `nil` without the gallery, without Xvfb, or if it failed.
    static func scroll(seconds: Int, _ words: [String]) -> GalleryRun? {
        output(["--headless-scroll", "\(seconds)"] + words).flatMap {
            try? JSONDecoder().decode(GalleryRun.self, from: $0)
        }
    }

    /// What the gallery prints; `nil` as above.
    static func output(_ words: [String]) -> Data? {
        guard let own = CommandLine.arguments.first, let slash = own.lastIndex(of: "/") else { return nil }
        let variables = [
            "GDK_BACKEND=x11", "GSK_RENDERER=cairo", "GTK_A11Y=none", "GSETTINGS_BACKEND=memory", "NO_AT_BRIDGE=1",
        ]
        let command = ["xvfb-run", "-a", "-s", "-screen 0 1280x1024x24 -nolisten tcp", "env"] + variables
        let gallery = "\(own[..<slash])/firn-gallery"
        return ChildProcess.run(command + [gallery] + words).map { Data($0.output.utf8) }
    }
}
