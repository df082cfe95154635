/// An entry of an eviction table.
struct TableEntry<Key, Value> {
    let key: Key
    var value: Value
    var cost: Int
    /// When it was inserted, in nanoseconds of the caller's clock.
    var born: Int64
}
