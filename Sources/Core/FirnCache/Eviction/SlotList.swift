/// The links of doubly linked lists of numbered slots, in one array.
///
/// Invariant: a slot is in at most one list; `links[slot]` is valid only while it is in one.
/// Invariant: following `next` from `first` visits every member of a list once and ends at `last`.
struct SlotLinks {
    /// The ends of a list; `SlotList.none` if it is empty.
    struct Ends {
        fileprivate(set) var first = SlotList.none
        fileprivate(set) var last = SlotList.none
    }

    private struct Links {
        var previous = SlotList.none
        var next = SlotList.none
    }

    private var links: [Links] = []

    /// Returns the member after `slot`, which must be a member of a list.
    func next(_ slot: Int32) -> Int32 { links[Int(slot)].next }

    /// Appends a slot, which must not be in a list.
    @inline(__always)
    mutating func append(_ slot: Int32, to ends: inout Ends) {
        while links.count <= Int(slot) { links.append(Links()) }
        links[Int(slot)] = Links(previous: ends.last, next: SlotList.none)
        if ends.last == SlotList.none { ends.first = slot } else { links[Int(ends.last)].next = slot }
        ends.last = slot
    }

    /// Removes a member.
    @inline(__always)
    mutating func remove(_ slot: Int32, from ends: inout Ends) {
        let (previous, next) = (links[Int(slot)].previous, links[Int(slot)].next)
        if previous == SlotList.none { ends.first = next } else { links[Int(previous)].next = next }
        if next == SlotList.none { ends.last = previous } else { links[Int(next)].previous = previous }
    }

    /// Moves a member to the end.
    @inline(__always)
    mutating func moveToBack(_ slot: Int32, of ends: inout Ends) {
        guard slot != ends.last else { return }
        remove(slot, from: &ends)
        append(slot, to: &ends)
    }
}

/// An ordered list of numbered slots.
struct SlotList {
    /// The slot number for "none".
    static let none: Int32 = -1

    private var links = SlotLinks()
    private var ends = SlotLinks.Ends()

    /// The first member; `none` if the list is empty.
    var first: Int32 { ends.first }
    /// The last member; `none` if the list is empty.
    var last: Int32 { ends.last }

    /// Returns the member after `slot`, which must be a member.
    func next(_ slot: Int32) -> Int32 { links.next(slot) }

    /// Appends a slot, which must not be a member.
    @inline(__always)
    mutating func append(_ slot: Int32) { links.append(slot, to: &ends) }

    /// Removes a member.
    @inline(__always)
    mutating func remove(_ slot: Int32) { links.remove(slot, from: &ends) }

    /// Moves a member to the end.
    @inline(__always)
    mutating func moveToBack(_ slot: Int32) { links.moveToBack(slot, of: &ends) }
}
