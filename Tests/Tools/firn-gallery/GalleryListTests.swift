#if GTK
import Firn
import Testing

@testable import firn_gallery

/// Tests the images of the gallery and the search.
@Suite(.timeLimit(.minutes(5))) @MainActor
struct GalleryListTests {
    private static func images(_ names: [String]) -> [GalleryImage] { names.map { GalleryImage("/a/\($0)") } }

    private static func names(_ list: GalleryList) -> [String] { list.indices.map { list.name($0) } }

    @Test func `A search ignores case and finds images that are added later`() async {
        let list = GalleryList(GalleryListTests.images(["Cat.png", "dog.png"]))
        #expect(await list.search("CA"))
        #expect(GalleryListTests.names(list) == ["Cat.png"])
        #expect(list.append(GalleryListTests.images(["bird.png", "cactus.png"])) == 1)
        #expect(GalleryListTests.names(list) == ["Cat.png", "cactus.png"])
        #expect(await list.search(""))
        #expect(GalleryListTests.names(list) == ["Cat.png", "dog.png", "bird.png", "cactus.png"])
    }

    @Test func `A reversed order also places images that are added later`() async {
        let list = GalleryList([])
        list.begin(.name, isReversed: true)
        list.append(GalleryListTests.images(["2", "10", "1"]))
        #expect(GalleryListTests.names(list) == ["10", "2", "1"])
        list.append(GalleryListTests.images(["3", "0"]))
        #expect(GalleryListTests.names(list) == ["10", "3", "2", "1", "0"])
        #expect(await list.sort(by: .name, isReversed: false))
        #expect(GalleryListTests.names(list) == ["0", "1", "2", "3", "10"])
    }

    @Test func `A line of a list is a source, or an object with a source and a description`() throws {
        let plain = try #require(ListedImage("/a/1.png"))
        #expect(plain.source == "/a/1.png" && plain.hash == nil)
        let hash = "LEHV6nWB2yk8pyo0adR*.7kCMdnj"
        // As `firn placeholder --json` prints it.
        let printed = "{\"path\":\"/a/2.png\",\"width\":400,\"height\":200,\"blurHash\":\"\(hash)\",\"preview\":\"\"}"
        let object = try #require(ListedImage(printed))
        #expect(object.source == "/a/2.png")
        #expect(object.hash?.text == hash)
        #expect(object.hash?.shaped?.size == PixelSize(width: 32, height: 16))
        #expect(ListedImage("{\"source\":\"b\",\"blurHash\":\"\(hash)\"}")?.hash?.shaped == nil)
        #expect(ListedImage("{\"source\":\"b\",\"blurHash\":\"?\"}")?.hash == nil)
        for line in ["{", "{}", "{\"source\":\"\"}", "{\"source\":1}"] { #expect(ListedImage(line) == nil) }
    }

    @Test func `A removal reports the new indices of the remaining images`() {
        let list = GalleryList((0..<4).map { GalleryImage("/a/\($0)") })
        var renumbered: [Int32?] = []
        list.onRemoval = { renumbered = $0 }
        list.remove(["/a/0", "/a/2"])
        #expect(renumbered == [nil, 0, nil, 1])
        renumbered = []
        list.remove(["/a/7"])
        #expect(renumbered == [])
    }

    @Test func `A search ignores the name of the folder`() async {
        let list = GalleryList([GalleryImage("/cats/1.png")])
        #expect(await list.search("cat"))
        #expect(list.count == 0)
    }

    @Test func `A position beyond the list has no request, and every other has its own`() {
        let list = GalleryList(GalleryListTests.images(["1", "2"]))
        #expect(list.request(2) == nil)
        #expect(list.request(0)?.description.hasSuffix("/1") == true)
        #expect(list.request(1)?.description.hasSuffix("/2") == true)
    }

    @Test func `After a search the positions have other requests`() async {
        let list = GalleryList(GalleryListTests.images(["1", "2"]))
        #expect(list.request(0)?.description.hasSuffix("/1") == true)
        #expect(await list.search("2"))
        #expect(list.request(0)?.description.hasSuffix("/2") == true)
    }

    @Test func `Repeated images have requests of their own`() {
        let images = GalleryImage.repeated(GalleryListTests.images(["1", "2"]), count: 7, solid: false)
        #expect(Set(images.map(\.source)).count == 7)
        #expect(images.map(\.name) == ["1", "2", "1", "2", "1", "2", "1"])
    }

    @Test(arguments: [
        ("2.png", "10.png"), ("a.png", "B.png"), ("img 007", "img 8"), ("a", "a1"), ("1a", "1b"), ("x9y", "x10"),
    ])
    func `Names are sorted as people count`(_ first: String, _ second: String) {
        #expect(GalleryOrder.compare(first[...], second[...]) < 0)
        #expect(GalleryOrder.compare(second[...], first[...]) > 0)
        #expect(GalleryOrder.compare(first[...], first[...]) == 0)
    }

    @Test(arguments: GalleryOrder.allCases)
    func `A list that grows is in the same order as one that was sorted at once`(_ order: GalleryOrder) async {
        var generator = SystemRandomNumberGenerator()
        let images = (0..<300).map { number in
            GalleryImage(
                "/a/\(UInt8.random(in: 0...99, using: &generator))-\(number)",
                size: Int.random(in: 0...50, using: &generator), modified: Int64.random(in: 0...40, using: &generator))
        }
        let growing = GalleryList([])
        growing.begin(order)
        for start in stride(from: 0, to: 300, by: 60) { growing.append(Array(images[start..<start + 60])) }
        let whole = GalleryList(images)
        #expect(await whole.sort(by: order))
        #expect(GalleryListTests.names(growing) == GalleryListTests.names(whole))
        if order == .found { #expect(GalleryListTests.names(whole) == images.map { String($0.name) }) }
    }

    @Test func `Photographs have the month in which they were taken, or in which the file was changed`() async {
        let day: Int64 = 86_400
        let list = GalleryList(
            [3, 40, 41, 100].map { GalleryImage("/a/\($0)", modified: Int64($0) * day) })
        list.setTaken([(index: 3, time: 2 * day)])
        #expect(await list.sort(by: .date))
        #expect(GalleryListTests.names(list) == ["41", "40", "3", "100"])
        #expect(list.sections.map(\.count) == [2, 2])
        #expect(list.sections.map(\.month) == [1970 * 12 + 1, 1970 * 12])
    }

    @Test func `A renamed image keeps its date, gets its place in the order, and replaces another one`() async {
        let list = GalleryList(GalleryListTests.images(["a", "b", "c"]))
        list.setTaken([(index: 0, time: 7)])
        #expect(await list.sort(by: .name))
        #expect(list.rename("/a/a", to: "/a/c"))
        #expect(GalleryListTests.names(list) == ["b", "c"])
        #expect(list[1].taken == 7)
        #expect(!list.rename("/a/a", to: "/a/d"))
    }

    @Test func `Removed images are gone from every order, and the others keep theirs`() async {
        let list = GalleryList(GalleryListTests.images(["c", "a", "d", "b"]))
        #expect(await list.sort(by: .name))
        list.remove(["/a/a", "/a/d"])
        #expect(GalleryListTests.names(list) == ["b", "c"])
        #expect(list.place(of: "/a/c") == 1)
        #expect(list.place(of: "/a/a") == nil)
        #expect(await list.sort(by: .found))
        #expect(GalleryListTests.names(list) == ["c", "b"])
    }
}
#endif
