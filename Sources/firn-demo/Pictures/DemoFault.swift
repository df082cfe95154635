/// Why the demo cannot run.
struct DemoFault: Error, CustomStringConvertible {
    /// In one line.
    let message: String

    var description: String { message }
}
