import FirnReport

/// What a command found out about one file, or made of it.
protocol PictureFinding: Sendable {
    /// What stands behind `path` in a line of JSON. The fields are a contract; scripts depend on names and order.
    var fields: [(name: String, value: JSONValue)] { get }

    /// What people read.
    func text(_ path: String) -> String
}
