import FoundationEssentials

/// The measurements that the gallery prints after a scripted scroll.
struct GalleryRun: Decodable {
    let frames: Int
    let gapP99Ms: Double
    let lateFrames: Int
    let paintP50Ms: Double
    let bindHitP50Us: Double?
    let bindMissP50Us: Double?
    let wrongImages: Int
    let peakMiB: Double
    /// Microseconds of the drawing thread for each image that is loaded and shown.
    let deliverAllUs: Double?
    let textureNs: Double?
    let bareTextureNs: Double?

    /// Runs the gallery executable beside this one, in an X server without a screen, with software painting.
    ///
    /// - Returns: `nil` if the gallery or Xvfb is missing, or if the run failed.
    static func scroll(seconds: Int, _ words: [String]) -> GalleryRun? {
        output(["--headless-scroll", "\(seconds)"] + words).flatMap {
            try? JSONDecoder().decode(GalleryRun.self, from: $0)
        }
    }

    /// Returns the output of the gallery, or of another program with windows; `nil` in the same cases.
    static func output(_ words: [String], of program: String = "firn-gallery") -> Data? {
        guard let own = CommandLine.arguments.first, let slash = own.lastIndex(of: "/") else { return nil }
        let variables = [
            "GDK_BACKEND=x11", "GSK_RENDERER=cairo", "GTK_A11Y=none", "GSETTINGS_BACKEND=memory", "NO_AT_BRIDGE=1",
        ]
        let command = ["xvfb-run", "-a", "-s", "-screen 0 1280x1024x24 -nolisten tcp", "env"] + variables
        return ChildProcess.run(command + ["\(own[..<slash])/\(program)"] + words).map { Data($0.output.utf8) }
    }
}
