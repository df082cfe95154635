/// Why the demo cannot run.
package struct DemoFault: Error, CustomStringConvertible {
    /// In one line.
    package let message: String

    /// A reason in one line.
    package init(message: String) { self.message = message }

    package var description: String { message }
}
