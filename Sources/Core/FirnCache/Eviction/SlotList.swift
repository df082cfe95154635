/// Doubly linked lists of numbered slots, in one array. A slot is in at most one of them.
///
/// Invariant: the first elements of `links` are the ends of the lists, each between the last and the first member of
/// its list; slot *n* follows at `count` + *n*. The links of a slot are valid only while it is in a list.
package struct SlotList: Sendable {
    /// The slot number for "none".
    package static let none: Int32 = -1

    private struct Links: Sendable {
        var previous: Int32
        var next: Int32
    }

    private var links: [Links]
    private let count: Int32

    /// Creates empty lists, numbered from 0. Default: one.
    package init(lists count: Int32 = 1) {
        self.count = count
        links = (0..<count).map { Links(previous: $0, next: $0) }
    }

    /// The first member of a list; `none` if the list is empty.
    package func first(of list: Int32 = 0) -> Int32 { max(links[Int(list)].next &- count, SlotList.none) }

    /// The last member of a list; `none` if the list is empty.
    package func last(of list: Int32 = 0) -> Int32 { max(links[Int(list)].previous &- count, SlotList.none) }

    /// Returns the member after `slot`, which must be a member of a list.
    package func next(_ slot: Int32) -> Int32 { max(links[Int(slot &+ count)].next &- count, SlotList.none) }

    /// Appends a slot, which must not be in a list.
    @inline(__always)
    package mutating func append(_ slot: Int32, to list: Int32 = 0) {
        let (member, last) = (slot &+ count, links[Int(list)].previous)
        while links.count <= Int(member) { links.append(Links(previous: list, next: list)) }
        links[Int(member)] = Links(previous: last, next: list)
        links[Int(last)].next = member
        links[Int(list)].previous = member
    }

    /// Removes a member.
    @inline(__always)
    package mutating func remove(_ slot: Int32) {
        let member = links[Int(slot &+ count)]
        links[Int(member.previous)].next = member.next
        links[Int(member.next)].previous = member.previous
    }

    /// Moves a member to the end of its list.
    @inline(__always)
    package mutating func moveToBack(_ slot: Int32, of list: Int32 = 0) {
        guard slot != last(of: list) else { return }
        remove(slot)
        append(slot, to: list)
    }
}
