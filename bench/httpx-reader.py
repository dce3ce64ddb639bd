"""The plain reader that the reference tools are built like: httpx, aiter_lines, json (docs/published-method.md 9).

Same arguments and output as reader.ts.
"""
import array
import asyncio
import json
import resource
import sys
import time

import httpx

arguments = json.loads(sys.argv[1])
STREAMS = arguments["streams"]
sent = []
columns = array.array("d")
state = {"with_output": 0, "stopped": False, "open": False, "events": 0, "tokens": 0}


async def run_stream(client, stream):
    seen = False
    ordinal = 0
    while not state["stopped"]:
        number = len(sent)
        request = {"user": f"s{stream}-r{ordinal}", "tokens": 0, "completed": False}
        sent.append(request)
        ordinal += 1
        body = {
            "model": "truth",
            "messages": [{"role": "user", "content": "Write."}],
            "user": request["user"],
            "max_tokens": arguments["maxTokens"] + stream,
            "stream": True,
            "ignore_eos": True,
            "stream_options": {"include_usage": True, "continuous_usage_stats": True},
        }
        request["startNs"] = time.monotonic_ns()
        async with client.stream("POST", "/v1/chat/completions", json=body) as response:
            async for line in response.aiter_lines():
                if not line.startswith("data: "):
                    continue
                data = line[6:]
                if data == "[DONE]":
                    request["completed"] = True
                    break
                event = json.loads(data)
                now = time.monotonic_ns()
                choices = event.get("choices")
                delta = choices[0].get("delta", {}) if choices else {}
                if not (delta.get("content") or delta.get("reasoning") or delta.get("reasoning_content")):
                    continue
                tokens = event["usage"]["completion_tokens"]
                if "firstNs" not in request:
                    request["firstNs"] = now
                    request["firstTokens"] = tokens
                    if not seen:
                        seen = True
                        state["with_output"] += 1
                request["lastNs"] = now
                columns.extend((number, tokens, now))
                if state["open"]:
                    state["events"] += 1
                    state["tokens"] += tokens - request["tokens"]
                request["tokens"] = tokens


def cpu_seconds():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


async def main():
    limits = httpx.Limits(max_connections=None, max_keepalive_connections=None)
    async with httpx.AsyncClient(
        base_url=f"http://127.0.0.1:{arguments['port']}", timeout=None, limits=limits, trust_env=False
    ) as client:
        tasks = [asyncio.create_task(run_stream(client, stream)) for stream in range(STREAMS)]
        while state["with_output"] < STREAMS:
            await asyncio.sleep(0.02)
        await asyncio.sleep(1)
        before = cpu_seconds()
        open_ns = time.monotonic_ns()
        state["open"] = True
        await asyncio.sleep(arguments["windowSeconds"])
        state["open"] = False
        close_ns = time.monotonic_ns()
        used = cpu_seconds() - before
        state["stopped"] = True
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    with open(arguments["out"], "wb") as file:
        columns.tofile(file)
    print(
        json.dumps(
            {
                "openNs": open_ns,
                "closeNs": close_ns,
                "events": state["events"],
                "tokens": state["tokens"],
                "cpuSeconds": used,
                "rssMiB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
                "requests": sent,
            }
        )
    )


asyncio.run(main())
