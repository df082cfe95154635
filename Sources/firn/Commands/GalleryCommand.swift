import ArgumentParser

/// `firn gallery`: shows images in a window. Executes `firn-gallery`, a separate program, so that this one does not
/// need GTK.
struct GalleryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gallery", abstract: "Show images in a window (needs GTK 4).",
        discussion: """
            Starts firn-gallery from the folder of firn or from PATH. firn-gallery --help lists its options.

            EXAMPLE
              firn gallery ~/Images
            """)

    @Argument(
        parsing: .captureForPassthrough, help: "Images, folders, addresses, @LIST, and options of firn-gallery.",
        completion: .file())
    var arguments: [String] = []

    func run() throws { try ProgramBeside.execute("firn-gallery", arguments) }
}
