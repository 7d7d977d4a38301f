# A flake of the published package. `nix run ./packaging/nix` runs it. Set version and hash at each release (docs/release.md); the hashes
# of the dependencies are those of package-lock.json.
{
  description = "One MCP endpoint for all your MCP servers, with approvals and an activity log";

  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-unstable";

  outputs = { self, nixpkgs }:
    let
      version = "0.1.0";
      systems = [ "x86_64-linux" "aarch64-linux" "x86_64-darwin" "aarch64-darwin" ];
      packageFor = system:
        let
          pkgs = nixpkgs.legacyPackages.${system};
          archive = name: file: hash: pkgs.fetchurl {
            url = "https://registry.npmjs.org/${name}/-/${file}.tgz";
            inherit hash;
          };
          program = archive "mcpproxy" "mcpproxy-${version}" pkgs.lib.fakeHash;
          sqlite = archive "@photostructure/sqlite" "sqlite-1.2.1" "sha512-DfWwnfp9t4kCorSWsL0/d9pNvAC6n7kYWs239r325WeRllRg9FlTtVgdzz/P8HG1RM5VwCwn6FPp1a42q2gAMQ==";
          addonApi = archive "node-addon-api" "node-addon-api-8.9.2" "sha512-VijLXbi3UACN69I0JVXJsX4tjACjNoQDgv2gTF6sx2wWEi8tkSg2eX8p5gSIFi8z2+DL3oHmY6OyKce38SDolg==";
          gypBuild = archive "node-gyp-build" "node-gyp-build-4.8.4" "sha512-LA4ZjwlnUblHVgq0oBF3Jl/6h/Nvs5fzBLwdEF4nuxnFdsfajde4WfxtJr3CaiH+F6ewcIB/q4jQ4UzPyid+CQ==";
        in
        pkgs.stdenv.mkDerivation {
          pname = "mcpproxy";
          inherit version;
          dontUnpack = true;
          nativeBuildInputs = [ pkgs.makeWrapper ] ++ pkgs.lib.optional pkgs.stdenv.isLinux pkgs.autoPatchelfHook;
          buildInputs = [ pkgs.stdenv.cc.cc.lib ];
          # The native addon has a build for each platform; only those of this one can be patched.
          autoPatchelfIgnoreMissingDeps = true;
          installPhase = ''
            unpack() { mkdir -p "$2" && tar -xzf "$1" --strip-components=1 -C "$2"; }
            unpack ${program} $out/lib/mcpproxy
            unpack ${sqlite} $out/lib/mcpproxy/node_modules/@photostructure/sqlite
            unpack ${addonApi} $out/lib/mcpproxy/node_modules/node-addon-api
            unpack ${gypBuild} $out/lib/mcpproxy/node_modules/node-gyp-build
            makeWrapper ${pkgs.nodejs_24}/bin/node $out/bin/mcpproxy --add-flags $out/lib/mcpproxy/dist/main.js
          '';
          doInstallCheck = true;
          installCheckPhase = "$out/bin/mcpproxy --version | grep -F ${version}";
          meta.mainProgram = "mcpproxy";
        };
    in
    {
      packages = nixpkgs.lib.genAttrs systems (system: { default = packageFor system; });
    };
}
