// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "upload-server",
    dependencies: [
        // The formats that uploads may have, and no trait HTTP: nothing here sends requests.
        .package(name: "Firn", path: "../..", traits: ["AVIF", "HEIC"]),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
    ],
    targets: [
        .executableTarget(
            name: "upload-server",
            dependencies: [
                .product(name: "FirnCodecs", package: "Firn"),
                // Uploads are decoded in confined processes of this program.
                .product(name: "firn-decoder", package: "Firn"),
                .product(name: "Hummingbird", package: "hummingbird"),
            ])
    ]
)
