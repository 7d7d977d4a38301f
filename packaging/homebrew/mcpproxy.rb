# Formula for a tap: `npm pack` makes the archive. Set url and sha256 at each release (docs/release.md).
class Mcpproxy < Formula
  desc "One MCP endpoint for all your MCP servers, with approvals and an activity log"
  homepage "https://www.npmjs.com/package/mcpproxy"
  url "https://registry.npmjs.org/mcpproxy/-/mcpproxy-0.1.0.tgz"
  sha256 "0000000000000000000000000000000000000000000000000000000000000000"
  license "MIT"

  depends_on "node"

  def install
    system "npm", "install", "--ignore-scripts", *std_npm_args
    bin.install_symlink libexec.glob("bin/*")
  end

  service do
    run [opt_bin/"mcpproxy", "serve"]
    keep_alive crashed: true
    log_path var/"log/mcpproxy.log"
    error_log_path var/"log/mcpproxy.log"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/mcpproxy --version")
    output = shell_output("#{bin}/mcpproxy call tool-read tasks:list_tasks --args '{}' --data-dir #{testpath}/data")
    refute_match "error", output
  end
end
