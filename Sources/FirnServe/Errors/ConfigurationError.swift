/// A configuration that cannot be used: where, what is wrong, and what to do, in one line without secrets.
package struct ConfigurationError: Error, Equatable, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}
