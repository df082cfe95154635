/// An ordered list of numbered slots: a doubly linked list with its links in one array.
///
/// Invariant: a slot is in the list at most once; `links[slot]` is valid only while it is.
/// Invariant: following `next` from `first` visits every member once and ends at `last`.
struct SlotList {
    /// The slot number for "none".
    static let none: Int32 = -1

    private struct Links {
        var previous = none
        var next = none
    }

    private var links: [Links] = []
    /// The first member; `none` if the list is empty.
    private(set) var first = none
    /// The last member; `none` if the list is empty.
    private(set) var last = none

    /// Returns the member after `slot`, which must be a member.
    func next(_ slot: Int32) -> Int32 { links[Int(slot)].next }

    /// Appends a slot, which must not be a member.
    @inline(__always)
    mutating func append(_ slot: Int32) {
        while links.count <= Int(slot) { links.append(Links()) }
        links[Int(slot)] = Links(previous: last, next: SlotList.none)
        if last == SlotList.none { first = slot } else { links[Int(last)].next = slot }
        last = slot
    }

    /// Removes a member.
    @inline(__always)
    mutating func remove(_ slot: Int32) {
        let link = links[Int(slot)]
        if link.previous == SlotList.none { first = link.next } else { links[Int(link.previous)].next = link.next }
        if link.next == SlotList.none { last = link.previous } else { links[Int(link.next)].previous = link.previous }
    }

    /// Moves a member to the end.
    @inline(__always)
    mutating func moveToBack(_ slot: Int32) {
        guard slot != last else { return }
        remove(slot)
        append(slot)
    }
}
