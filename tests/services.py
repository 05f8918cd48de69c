"""The table services that tests run against besides the local backend: the project's fake, and the emulator Azurite.

    with services.start("fake", program="build-tests/tests/fake_service") as service: …
    with services.start("azurite", modules="build/clients/azurite", node="node") as service: …

Both listen on a free port of this machine and end with the block, or with this process. `service.options` is what a
foreign table says to be theirs. As a program it gives one to a command, {endpoint} in its words replaced:

    tests/services.py azurite --modules build/clients/azurite --node node --table EntA --table EntB -- COMMAND…
"""

import argparse
import base64
import contextlib
import email.utils
import hashlib
import hmac
import http.client
import json
import pathlib
import socket
import subprocess
import sys
import tempfile
import time
import urllib.parse

ACCOUNT = "devstoreaccount1"
# The emulators' key, which everybody knows.
KEY = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="


class Service:
    """A table service at an address; its tables can be made and dropped."""

    def __init__(self, endpoint, dialect):
        self.endpoint = endpoint
        self.options = f"endpoint '{endpoint}', dialect '{dialect}'"

    def request(self, method, path, body=None):
        """A request signed with SharedKeyLite; the body of the answer."""
        url = urllib.parse.urlsplit(self.endpoint)
        date = email.utils.formatdate(usegmt=True)
        to_sign = f"{date}\n/{ACCOUNT}{url.path}{path}".encode()
        signature = base64.b64encode(hmac.digest(base64.b64decode(KEY), to_sign, hashlib.sha256)).decode()
        headers = {"x-ms-date": date, "x-ms-version": "2019-02-02", "Authorization": f"SharedKeyLite {ACCOUNT}:{signature}",
                   "Accept": "application/json;odata=nometadata", "DataServiceVersion": "3.0", "MaxDataServiceVersion": "3.0;NetFx",
                   "Content-Type": "application/json"}
        connection = http.client.HTTPConnection(url.hostname, url.port, timeout=30)
        try:
            connection.request(method, url.path + path, body, headers)
            answer = connection.getresponse()
            text = answer.read().decode()
        finally:
            connection.close()
        if answer.status >= 300:
            raise RuntimeError(f"{method} {path} at {self.endpoint}: {answer.status} {text}")
        return text

    def create_table(self, name):
        self.request("POST", "/Tables", json.dumps({"TableName": name}))

    def reset(self):
        """No table is left."""
        for table in json.loads(self.request("GET", "/Tables"))["value"]:
            self.request("DELETE", f"/Tables('{table['TableName']}')")

    def complaints(self):
        """What clients have done since the last reset() that the service's documentation forbids."""
        return ""


class Fake(Service):
    def administer(self, what, body=""):
        url = urllib.parse.urlsplit(self.endpoint)
        connection = http.client.HTTPConnection(url.hostname, url.port, timeout=30)
        try:
            connection.request("POST", f"/__fake/{what}", body)
            return connection.getresponse().read().decode()
        finally:
            connection.close()

    def reset(self):
        self.administer("reset")

    def complaints(self):
        return self.administer("violations")


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


@contextlib.contextmanager
def _ended(process):
    try:
        yield
    finally:
        process.kill()
        process.wait()


@contextlib.contextmanager
def start_fake(program, settings=()):
    command = [str(program)] + [word for setting in settings for word in ("--set", setting)]
    # It ends when its standard input does, so it cannot outlive this process.
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    with _ended(process):
        endpoint = process.stdout.readline().strip()
        if not endpoint:
            raise RuntimeError(f"{program} did not start")
        yield Fake(endpoint, "storage")


@contextlib.contextmanager
def start_azurite(modules, node):
    main = pathlib.Path(modules).resolve() / "node_modules/azurite/dist/src/table/main.js"
    if not main.exists():
        raise RuntimeError(f"{main} does not exist: npm install azurite@3.35.0 in {modules}, as tests/run.sh does")
    ends_with_us = "process.stdin.on('close', () => process.exit()).resume(); require(process.argv[1]);"
    port = free_port()
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryFile() as log:
        process = subprocess.Popen(
            [node, "-e", ends_with_us, "--", str(main), "--inMemoryPersistence", "--tableHost", "127.0.0.1", "--tablePort",
             str(port), "--skipApiVersionCheck", "--disableTelemetry", "--silent"],
            cwd=folder, stdin=subprocess.PIPE, stdout=log, stderr=log)
        with _ended(process):
            for _ in range(1200):
                with socket.socket() as probe:
                    if probe.connect_ex(("127.0.0.1", port)) == 0:
                        break
                if process.poll() is not None:
                    break
                time.sleep(0.05)
            else:
                raise RuntimeError("Azurite did not start within 60 s")
            if process.poll() is not None:
                log.seek(0)
                raise RuntimeError(f"Azurite ended: {log.read().decode()}")
            yield Service(f"http://127.0.0.1:{port}/{ACCOUNT}", "azurite")


def start(kind, program=None, modules=None, node="node", settings=()):
    return start_fake(program, settings) if kind == "fake" else start_azurite(modules, node)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=("fake", "azurite"))
    parser.add_argument("--program", help="fake: the program fake_service")
    parser.add_argument("--modules", help="azurite: the folder in which npm installed it")
    parser.add_argument("--node", default="node", help="azurite: Node 20 or newer")
    parser.add_argument("--table", action="append", default=[], help="a table to make first")
    parser.add_argument("command", nargs="+")
    options = parser.parse_args()
    with start(options.kind, options.program, options.modules, options.node) as service:
        for table in options.table:
            service.create_table(table)
        command = [word.replace("{endpoint}", service.endpoint) for word in options.command]
        code = subprocess.run(command).returncode
        complaints = service.complaints()
        if complaints:
            print(f"requests that break the protocol:\n{complaints}", end="")
    sys.exit(code or bool(complaints))


if __name__ == "__main__":
    main()
