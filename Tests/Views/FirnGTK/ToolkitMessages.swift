#if GTK
/// Warnings and criticals of GTK, GLib and libadwaita in the output of a program: each is a fault of the program,
/// except for those of the list.
enum ToolkitMessages {
    /// Parts of messages that no program can avoid, with the reason.
    private static let own: [(part: String, reason: String)] = []

    /// Returns the messages that the program has caused.
    static func unexpected(in output: String) -> [Substring] {
        output.split(separator: "\n").filter { line in
            ["WARNING **", "CRITICAL **", "ERROR **"].contains { line.contains($0) }
                && !own.contains { line.contains($0.part) }
        }
    }
}
#endif
