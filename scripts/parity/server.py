"""A server with one of each kind, on the official Python SDK. stdio."""

from mcp.server.mcpserver import MCPServer

server = MCPServer("python-sdk")


@server.tool()
def add(a: int, b: int) -> int:
    """Adds two numbers"""
    return a + b


@server.prompt()
def greet(who: str) -> str:
    """Greets somebody"""
    return f"Please greet {who}."


@server.resource("note://static", mime_type="text/plain")
def note() -> str:
    """A fixed note"""
    return "A note."


@server.resource("note://by-id/{number}", mime_type="text/plain")
def numbered(number: str) -> str:
    """A note by its number"""
    return f"Note {number}."


server.run()
