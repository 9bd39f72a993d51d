#!/usr/bin/env python3
"""The kind of daemon that others ship: Python's asyncio on a Unix socket, answering with a few readings. The peer that the
agent's round trip is compared with; EcoFreq's own daemon is built this way.

usage: asyncio_peer.py SOCKET
"""
import asyncio
import json
import sys

READINGS = [{"index": i, "power_w": 300.0 + i, "power_limit_w": 700.0, "core_mhz": 1980, "temperature_c": 60}
            for i in range(8)]


async def serve(reader, writer):
    while line := await reader.readline():
        question = json.loads(line)
        writer.write(json.dumps({"ok": True, "asked": question["do"], "gpus": READINGS}).encode() + b"\n")
        await writer.drain()
    writer.close()


async def main():
    server = await asyncio.start_unix_server(serve, sys.argv[1])
    async with server:
        await server.serve_forever()


asyncio.run(main())
