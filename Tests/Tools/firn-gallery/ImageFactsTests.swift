#if GTK
import Firn
import Testing

@testable import firn_gallery

/// Tests the information that the gallery shows about an image.
@Suite struct ImageFactsTests {
    @Test func `The facts of a photograph are grouped, and its folder and its place are links`() async throws {
        let folder = try TestFolder()
        let image = try Bitmap(size: PixelSize(width: 8, height: 4), format: .rgb8) { _ in }
        let path = "\(folder.path)/photo.jpg"
        try await image.write(toPath: path)
        let fields = """
            <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">\
            <rdf:Description xmlns:exif="http://ns.adobe.com/exif/1.0/" xmlns:tiff="http://ns.adobe.com/tiff/1.0/" \
            xmlns:photoshop="http://ns.adobe.com/photoshop/1.0/" exif:GPSLatitude="46,33.492S" \
            exif:GPSLongitude="8,33.678E" exif:FNumber="56/10" exif:ExposureTime="1/250" tiff:Model="Firn 1" \
            tiff:Orientation="6" photoshop:City="Andermatt"/></rdf:RDF></x:xmpmeta>
            """
        let segment = Array("http://ns.adobe.com/xap/1.0/\0\(fields)".utf8)
        let plain = try Array(Data(contentsOf: URL(filePath: path)))
        let length = segment.count + 2
        try folder.write(
            "photo.jpg",
            plain.prefix(2) + [0xFF, 0xE1, UInt8(length >> 8), UInt8(length & 0xFF)] + segment + plain.dropFirst(2))
        let pipeline = ImagePipeline(configuration: .ephemeral)
        let response = try await pipeline.imageTask(with: ImageRequest(path: path)).response
        let facts = await ImageFacts.of(response, pipeline: pipeline)
        #expect(facts.groups.map(\.title) == ["File", "Image", "Camera", "Place"])
        let lines = facts.groups.flatMap(\.lines)
        func text(_ name: String) -> String? { lines.first { $0.name == name }?.text }
        #expect(text("Folder") == folder.path)
        #expect(text("Camera") == "Firn 1" && text("Exposure") == "1/250 s" && text("Aperture") == "f/5.6")
        #expect(text("Name") == "Andermatt" && text("Coordinates") == "46.5582° S, 8.5613° E")
        // The image is shown upright.
        #expect(text("Orientation") == nil)
        let links = lines.compactMap { line in line.link.map { (line.name, $0) } }
        try #require(links.map(\.0) == ["Folder", "Coordinates"])
        if case .file(let shown) = links[0].1 { #expect(shown == path) } else { Issue.record("no link to the file") }
        guard case .address(let map) = links[1].1 else {
            Issue.record("no link to the map")
            return
        }
        #expect(map.hasPrefix("geo:-46.558200,8.561300") || map.contains("mlat=-46.558200&mlon=8.561300#"), "\(map)")
    }
}
#endif
