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
}
#endif
