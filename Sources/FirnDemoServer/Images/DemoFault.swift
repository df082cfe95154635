/// The reason why the demonstration cannot run.
package struct DemoFault: Error, CustomStringConvertible {
    /// The reason in one line.
    package let message: String

    /// Creates a fault with a reason in one line.
    package init(message: String) { self.message = message }

    package var description: String { message }
}
