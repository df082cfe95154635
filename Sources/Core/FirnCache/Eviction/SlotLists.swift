/// Several lists of numbered slots with their links in one array. Each slot is in at most one list.
///
/// Invariant: `links[slot]` is valid only while the slot is in a list.
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

    /// Creates empty lists, numbered from 0.
    init(count: Int) { ends = [Ends](repeating: Ends(), count: count) }

    var count: Int { ends.count }

    /// Returns the first member of a list; `SlotList.none` if it is empty.
    func first(of list: Int) -> Int32 { ends[list].first }

    /// Appends a slot, which must be in no list, to a list.
    @inline(__always)
    mutating func append(_ slot: Int32, to list: Int) {
        while links.count <= Int(slot) { links.append(Links()) }
        let last = ends[list].last
        links[Int(slot)] = Links(previous: last, next: SlotList.none)
        if last == SlotList.none { ends[list].first = slot } else { links[Int(last)].next = slot }
        ends[list].last = slot
    }

    /// Removes a slot from the list that it is in.
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

    /// Moves a slot to the end of the list that it is in.
    @inline(__always)
    mutating func moveToBack(_ slot: Int32, of list: Int) {
        guard slot != ends[list].last else { return }
        remove(slot, from: list)
        append(slot, to: list)
    }
}
