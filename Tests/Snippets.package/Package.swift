// swift-tools-version: 6.2
import PackageDescription

// The manifests that the documentation shows. `Scripts/check-snippets` reads them; they are never built.
let withoutTraits: [Package.Dependency] = [
    // snippet.codecs-alone
    .package(url: "https://github.com/OWNER/firn", from: "0.1.0", traits: [])
    // snippet.end
]

let server = Target.executableTarget(
    name: "Server",
    dependencies: [
        // snippet.decoder-program
        .product(name: "firn-decoder", package: "firn")
        // snippet.end
    ])

let package = Package(
    name: "snippets",
    dependencies: [
        // snippet.dependency
        .package(url: "https://github.com/OWNER/firn", from: "0.1.0")
        // snippet.end
    ],
    targets: [
        // snippet.testing-target
        .testTarget(
            name: "AppTests",
            dependencies: [
                .product(name: "Firn", package: "firn"),
                .product(name: "FirnTesting", package: "firn"),
            ])
        // snippet.end
    ]
)
