"""Start a hub with some users, a kernel for each, and print what they cost.

It needs jupyterhub in the environment of the book, and Node's configurable-http-proxy:

    .venv/bin/python -m pip install jupyterhub
    npm install --prefix build configurable-http-proxy
    .venv/bin/python assignments/hub/demo.py --users 12 \
        --proxy build/node_modules/.bin/configurable-http-proxy
"""

import argparse
import asyncio
import json
import os
import re
import secrets
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tornado.httpclient import AsyncHTTPClient, HTTPClientError, HTTPRequest
from tornado.websocket import websocket_connect

IDLE, LOADED = (
    "1",
    ("import numpy, matplotlib.pyplot\nfrom ttt_lib.game import tables\ntables()"),
)


class Hub:
    """A running hub, asked over its REST interface."""

    def __init__(self, port, token):
        self.base = f"http://127.0.0.1:{port}"
        self.headers = {"Authorization": f"token {token}"}

    async def ask(self, method, path, body=None):
        """Return what the hub, or a user's server, answers."""
        data = json.dumps(body) if body is not None else None
        if method == "POST" and data is None:
            data = ""
        request = HTTPRequest(
            f"{self.base}{path}",
            method,
            self.headers,
            data,
            request_timeout=300,
            connect_timeout=300,
        )
        answer = await AsyncHTTPClient().fetch(request)
        return json.loads(answer.body or b"null")

    async def until(self, path, ready=lambda answer: True):
        """Ask until there is an answer, and it is the right one."""
        while True:
            try:
                if ready(answer := await self.ask("GET", path)):
                    return answer
            except (HTTPClientError, OSError):
                pass
            await asyncio.sleep(0.5)

    async def start(self, user):
        """Start a user's server and a kernel in it; return the kernel's id."""
        await self.ask("POST", f"/hub/api/users/{user}")
        await self.ask("POST", f"/hub/api/users/{user}/server")
        await self.until(
            f"/hub/api/users/{user}",
            lambda known: known["servers"].get("", {}).get("ready"),
        )
        return (await self.ask("POST", f"/user/{user}/api/kernels", {}))["id"]

    async def run(self, user, kernel, code):
        """Run code in a kernel, and wait until it is done."""
        place = f"{self.base}/user/{user}/api/kernels/{kernel}/channels"
        request = HTTPRequest(place.replace("http", "ws", 1), headers=self.headers)
        socket = await websocket_connect(request)
        number = secrets.token_hex(8)
        head = {"msg_id": number, "msg_type": "execute_request", "session": number}
        head |= {"username": user, "version": "5.3"}
        content = {"code": code, "silent": False, "store_history": False}
        content |= {"user_expressions": {}, "allow_stdin": False}
        message = {"header": head, "parent_header": {}, "metadata": {}}
        await socket.write_message(
            json.dumps(message | {"content": content, "channel": "shell"})
        )
        while (said := await socket.read_message()) is not None:
            said = json.loads(said)
            if (
                said["msg_type"] == "execute_reply"
                and said["parent_header"].get("msg_id") == number
            ):
                assert said["content"]["status"] == "ok", said["content"]
                break
        socket.close()


def memory(home):
    """Return {user: MiB}: what each user's processes take, shared pages shared out."""
    total = {}
    for process in Path("/proc").glob("[0-9]*"):
        try:
            environment = (process / "environ").read_bytes().decode(errors="replace")
            rolled = (process / "smaps_rollup").read_text(encoding="utf-8")
        except OSError:
            continue
        if f"HOME={home}/users/" in environment:
            user = environment.split(f"HOME={home}/users/")[1].split("\0")[0]
            kilobytes = int(re.search(r"^Pss:\s+(\d+)", rolled, re.MULTILINE)[1])
            total[user] = total.get(user, 0) + kilobytes / 1024
    return total


async def demonstrate(hub, users, home):
    """Start everybody, and print times and memory."""
    await hub.until("/hub/api/")
    begin = time.monotonic()
    names = [f"student{number:02}" for number in range(1, users + 1)]
    kernels = dict(
        zip(names, await asyncio.gather(*map(hub.start, names)), strict=True)
    )
    for what, code in (("idle", IDLE), ("with NumPy, Matplotlib and tables", LOADED)):
        await asyncio.gather(*(hub.run(u, k, code) for u, k in kernels.items()))
        seconds = time.monotonic() - begin
        took = memory(home)
        print(f"{len(took)} kernels {what}, after {seconds:.0f} seconds")
        for user, size in sorted(took.items()):
            print(f"    {user}  {size:4.0f} MiB")
        print(f"    on average {sum(took.values()) / len(took):.0f} MiB a user")


def main():
    """Run the demonstration."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--users", type=int, default=12)
    parser.add_argument("--port", type=int, default=8765, help="and the next two")
    parser.add_argument("--proxy", default="configurable-http-proxy", help="program")
    said = parser.parse_args()
    token = secrets.token_hex(16)
    with tempfile.TemporaryDirectory(prefix="hub-") as home:
        (Path(home) / "users").mkdir()
        environment = os.environ | {
            "HUB_HOME": home,
            "HUB_PORT": str(said.port),
            "HUB_TOKEN": token,
            "HUB_PROXY": str(Path(said.proxy).resolve())
            if os.sep in said.proxy
            else said.proxy,
        }
        config = Path(__file__).with_name("jupyterhub_config.py")
        with (Path(home) / "log").open("w") as log:
            running = subprocess.Popen(
                [sys.executable, "-m", "jupyterhub", "-f", str(config)],
                env=environment,
                cwd=home,
                stdout=log,
                stderr=subprocess.STDOUT,
            )
            try:
                hub = Hub(said.port, token)
                asyncio.run(
                    asyncio.wait_for(demonstrate(hub, said.users, home), timeout=900)
                )
            except BaseException:
                print((Path(home) / "log").read_text(encoding="utf-8")[-3000:])
                raise
            finally:
                running.send_signal(signal.SIGTERM)  # the hub ends its servers, too
                running.wait(60)


if __name__ == "__main__":
    main()
