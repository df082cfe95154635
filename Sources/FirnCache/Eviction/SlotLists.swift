/// Several orders of numbered slots, of which each slot is in one at most: doubly linked lists whose links lie in one array.
///
/// Invariant: `links[slot]` has a meaning only while the slot is in a list, and it is in one at most.
struct SlotLists {
    private struct Links {
        var previous = SlotList.none
        var next = SlotList.none
    }

    private struct Ends {
        var first = SlotList.none
        var last = SlotList.none
    }

    private var links: [Links] = []
    private var ends: [Ends]

    /// Empty lists, numbered from 0.
    init(count: Int) { ends = [Ends](repeating: Ends(), count: count) }

    var count: Int { ends.count }

    /// The member at the front of a list; `SlotList.none` where there is none.
    func first(of list: Int) -> Int32 { ends[list].first }

    /// Puts a slot, which must be in no list, at the back of one.
    @inline(__always)
    mutating func append(_ slot: Int32, to list: Int) {
        while links.count <= Int(slot) { links.append(Links()) }
        let last = ends[list].last
        links[Int(slot)] = Links(previous: last, next: SlotList.none)
        if last == SlotList.none { ends[list].first = slot } else { links[Int(last)].next = slot }
        ends[list].last = slot
    }

    /// Takes a slot out of the list that it is in.
    @inline(__always)
    mutating func remove(_ slot: Int32, from list: Int) {
        let link = links[Int(slot)]
        if link.previous == SlotList.none {
            ends[list].first = link.next
        } else {
            links[Int(link.previous)].next = link.next
        }
        if link.next == SlotList.none {
            ends[list].last = link.previous
        } else {
            links[Int(link.next)].previous = link.previous
        }
    }

    /// Moves a slot to the back of the list that it is in.
    @inline(__always)
    mutating func moveToBack(_ slot: Int32, of list: Int) {
        guard slot != ends[list].last else { return }
        remove(slot, from: list)
        append(slot, to: list)
    }
}
