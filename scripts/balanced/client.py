"""Calls over HTTP with the official Python SDK, one JSON line each way: {"tool", "args"} in, {"text"} or {"error"} out."""

import asyncio
import json
import sys

URL, TOKEN, MODE = sys.argv[1:]
HEADERS = {"Authorization": f"Bearer {TOKEN}"}


def text_of(result):
    return "".join(getattr(block, "text", "") for block in result.content)


async def serve(call):
    print(json.dumps({"text": "connected"}), flush=True)
    while line := await asyncio.to_thread(sys.stdin.readline):
        wanted = json.loads(line)
        try:
            answer = {"text": text_of(await call(wanted["tool"], wanted["args"]))}
        except Exception as error:
            answer = {"error": repr(error)}
        print(json.dumps(answer), flush=True)


async def with_sdk_1():
    from datetime import timedelta

    from mcp import ClientSession
    from mcp.client.streamable_http import streamablehttp_client

    async with streamablehttp_client(URL, headers=HEADERS) as (read, write, _):
        async with ClientSession(read, write, read_timeout_seconds=timedelta(minutes=2)) as session:
            await session.initialize()
            await serve(session.call_tool)


async def with_sdk_2():
    import httpx2
    from mcp.client.client import Client
    from mcp.client.streamable_http import streamable_http_client

    async with httpx2.AsyncClient(headers=HEADERS, timeout=120) as http:
        async with Client(streamable_http_client(URL, http_client=http), mode=MODE) as client:
            await serve(client.call_tool)


asyncio.run(with_sdk_1() if MODE == "1" else with_sdk_2())
