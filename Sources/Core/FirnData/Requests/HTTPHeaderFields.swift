/// HTTP header fields, in order and with duplicates. Names keep their spelling and compare case-insensitively (RFC 9110
/// §5.1). Values have no surrounding white space.
public struct HTTPHeaderFields: Hashable, Sendable, ExpressibleByDictionaryLiteral {
    package struct Field: Hashable, Sendable {
        /// The name as received or set.
        package var name: String
        /// The value without surrounding white space.
        package var value: String

        package init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// The fields in order, with duplicates.
    package private(set) var fields: [Field]

    package init(_ fields: [Field]) { self.fields = fields }

    /// Creates an empty list of fields.
    public init() { fields = [] }

    /// Creates fields in the order of the pairs.
    public init(_ pairs: some Sequence<(name: String, value: String)>) {
        fields = pairs.map { Field(name: $0.name, value: $0.value) }
    }

    /// Creates fields from name and value pairs, in order.
    public init(dictionaryLiteral elements: (String, String)...) {
        fields = elements.map { Field(name: $0.0, value: $0.1) }
    }

    /// True if there are no fields.
    public var isEmpty: Bool { fields.isEmpty }

    /// The first value of a field. Setting it replaces all fields of that name; setting `nil` removes them.
    public subscript(name: String) -> String? {
        get { fields.first { HTTPHeaderFields.same($0.name, name) }?.value }
        set {
            fields.removeAll { HTTPHeaderFields.same($0.name, name) }
            if let newValue { fields.append(Field(name: name, value: newValue)) }
        }
    }

    /// Returns all values of a field, in order.
    public func values(_ name: String) -> [String] {
        fields.filter { HTTPHeaderFields.same($0.name, name) }.map(\.value)
    }

    /// Appends a field.
    public mutating func append(_ name: String, _ value: String) {
        fields.append(Field(name: name, value: value))
    }

    private static func same(_ a: String, _ b: String) -> Bool {
        a.utf8.count == b.utf8.count && a.utf8.elementsEqual(b.utf8) { lowered($0) == lowered($1) }
    }

    private static func lowered(_ byte: UInt8) -> UInt8 {
        byte >= 65 && byte <= 90 ? byte | 32 : byte
    }
}

extension HTTPHeaderFields: Sequence {
    /// Returns an iterator over the pairs of name and value.
    public func makeIterator() -> IndexingIterator<[(name: String, value: String)]> {
        fields.map { (name: $0.name, value: $0.value) }.makeIterator()
    }
}
