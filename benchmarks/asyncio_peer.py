#!/usr/bin/env python3
"""The peer for the round trip of the agent: a Python asyncio daemon on a Unix socket that answers with a few readings.
The daemon of EcoFreq has the same design.

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
