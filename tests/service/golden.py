#!/usr/bin/env python3
"""Golden wire samples: the exact requests that the extension sends for a statement, and what it makes of the answers
that the service is documented or recorded to give.

    tests/service/golden.py --extension build-tests/extension/table_storage.so [--bless] [golden/NAME.txt ...]

A sample is a text of sections, each under a line that begins with "== ":

    == sql                what the sqlite3 shell runs, in an empty folder; {options} leads a foreign table to the service, {endpoint} is its
                          address and {origin} that without the account
    == request            what has to come in next: request line, headers by name, empty line, body
    == answer STATUS      what it is answered: headers, empty line, body
    == printed            what the shell prints

What differs each time is checked and then shown as {host}, {date}, {id}, {signature}, {batch} and {changeset}. In
bodies of batches a line ends in CR LF, which the sample shows as a plain end of line; "answer STATUS lf" keeps plain
ones. --bless writes what came over what was expected: compare it with the documentation before you keep it.
"""

import argparse
import base64
import difflib
import email.utils
import hashlib
import hmac
import http.server
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
sys.dont_write_bytecode = True

from services import ACCOUNT, KEY  # noqa: E402


def sections(text):
    """[title, body] of each section; comments in front of the first belong to none."""
    parts = re.split(r"^== (.*)\n", text, flags=re.M)
    return parts[0], [[parts[i].strip(), parts[i + 1]] for i in range(1, len(parts), 2)]


def is_signed_rightly(method, path, query, headers):
    """Shared Key for tables, as "Authorize with Shared Key" has it."""
    scheme, _, credential = headers.get("authorization", "").partition(" ")
    account, _, signature = credential.partition(":")
    resource = f"/{ACCOUNT}{path}" + "".join(f"?{p}" for p in query.split("&") if p.startswith("comp="))
    date = headers.get("x-ms-date", "")
    lines = [date, resource] if scheme == "SharedKeyLite" else [
        method, headers.get("content-md5", ""), headers.get("content-type", ""), date, resource]
    wanted = hmac.digest(base64.b64decode(KEY), "\n".join(lines).encode(), hashlib.sha256)
    return scheme in ("SharedKey", "SharedKeyLite") and account == ACCOUNT and signature == base64.b64encode(wanted).decode()


class Recorder:
    """Answers request after request as the sample says, and keeps what came as the sample would show it."""

    def __init__(self, answers):
        self.answers = answers
        self.came = []
        self.complaints = []
        self.lock = threading.Lock()

    def shown(self, method, target, headers, body):
        path, _, query = target.partition("?")
        lower = {name.lower(): value for name, value in headers}
        with_sas = "sig=" in query and "authorization" not in lower
        if not with_sas and not is_signed_rightly(method, path, query, lower):
            self.complaints.append(f"{method} {target} is not signed rightly")
        date = email.utils.parsedate_to_datetime(lower.get("x-ms-date", "Mon, 01 Jan 2001 00:00:00 GMT"))
        if abs(date.timestamp() - time.time()) > 60:
            self.complaints.append(f"{method} {target} has the x-ms-date {lower.get('x-ms-date')}")
        normal = {"host": "{host}", "x-ms-date": "{date}"}
        lines = []
        for name, value in sorted(headers, key=lambda header: header[0].lower()):
            if name.lower() == "content-length":
                continue
            if name.lower() == "x-ms-client-request-id":
                assert re.fullmatch(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", value), value
                value = "{id}"
            if name.lower() == "authorization":
                value = value.split(":")[0] + ":{signature}"
            if name.lower() == "user-agent":
                value = re.sub(r"/[\d.]+", "/{version}", value)
            lines.append(f"{name}: {normal.get(name.lower(), value)}")
        text = f"{method} {target}\n" + "".join(line + "\n" for line in lines) + "\n"
        if "multipart/mixed" in lower.get("content-type", ""):
            if re.search(r"(?<!\r)\n", body):
                self.complaints.append(f"{method} {target}: a line of the body ends without CR")
            text += body.replace("\r\n", "\n")
        else:
            text += body + ("\n" if body else "")
        text = text.replace(lower.get("host", "-"), "{host}")
        text = re.sub(r"\bbatch_[0-9a-f]+(?:-[0-9a-f]+)*", "{batch}", text)
        return re.sub(r"\bchangeset_[0-9a-f]+(?:-[0-9a-f]+)*", "{changeset}", text)

    def answer(self, method, target, headers, body):
        with self.lock:
            number = len(self.came)
            self.came.append(self.shown(method, target, headers, body))
        if number >= len(self.answers):
            return 400, [], b"the sample has no answer for this request"
        title, text = self.answers[number]
        words = title.split()
        head, _, answer_body = text.partition("\n\n") if not text.startswith("\n") else ("", "", text[1:])
        host = dict((n.lower(), v) for n, v in headers)["host"]
        answer_body = answer_body.rstrip("\n").replace("{host}", host)
        if "multipart" in head and "lf" not in words:
            answer_body = answer_body.replace("\n", "\r\n") + "\r\n"
        fields = [line.split(": ", 1) for line in head.splitlines() if line]
        return int(words[1]), fields, answer_body.encode()


def handler_of(recorder):
    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def handle_any(self):
            body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
            status, fields, answer = recorder.answer(self.command, self.path, self.headers.items(), body)
            self.send_response(status)
            for name, value in fields:
                self.send_header(name, value)
            if status != 204:
                self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            if status != 204:
                self.wfile.write(answer)

        do_GET = do_POST = do_PUT = do_MERGE = do_PATCH = do_DELETE = handle_any

        def log_message(self, *_):
            pass

    return Handler


def replay(sample, options):
    """The sample with what came and what was printed in place of what was expected."""
    comment, parts = sections(sample.read_text())
    recorder = Recorder([part for part in parts if part[0].startswith("answer ")])
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler_of(recorder))
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        origin = f"http://127.0.0.1:{server.server_address[1]}"
        sql = next(text for title, text in parts if title == "sql")
        sql = sql.replace("{options}", f"endpoint '{origin}/{ACCOUNT}', concurrency '1'")
        sql = sql.replace("{endpoint}", f"{origin}/{ACCOUNT}").replace("{origin}", origin)
        environment = dict(os.environ, TZ="UTC", LC_ALL="C.UTF-8")
        environment.setdefault("ASAN_OPTIONS", "detect_leaks=0")
        if options.preload:
            environment["LD_PRELOAD"] = " ".join(options.preload)
        command = ["stdbuf", "-oL", options.shell, "-batch", "-init", "/dev/null", "-cmd", f".load {options.extension}",
                   "-cmd", ".mode quote", ":memory:"]
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run(command, input=sql.encode(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  env=environment, cwd=folder, timeout=options.timeout)
        printed = done.stdout.decode("utf-8", "backslashreplace").replace(origin, "{origin}")
    finally:
        server.shutdown()
        server.server_close()
    printed = re.sub(r"^((?:Parse|Runtime) error|Error:?) near line \d+:", r"\1:", printed, flags=re.M)
    if done.returncode < 0:
        printed += f"(the shell died of signal {-done.returncode})\n"
    printed += "".join(f"({line})\n" for line in recorder.complaints)

    came = iter(recorder.came)
    out = comment
    for title, text in parts:
        if title == "request":
            request = next(came, None)
            if request is None:
                continue
            text = request
        elif title == "printed":
            out += "".join(f"== request\n{request}== answer 500\n\n" for request in came)
            text = printed
        out += f"== {title}\n{text}"
    return out


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--extension", required=True, type=lambda p: pathlib.Path(p).resolve())
    parser.add_argument("--shell", default="sqlite3")
    parser.add_argument("--preload", action="append", help="library to preload, e.g. a sanitizer's run time")
    parser.add_argument("--bless", action="store_true")
    parser.add_argument("--timeout", type=float, default=60)
    parser.add_argument("samples", nargs="*", type=pathlib.Path)
    options = parser.parse_args()
    failed = []
    for sample in options.samples or sorted((HERE / "golden").glob("*.txt")):
        expected = sample.read_text()
        got = replay(sample, options)
        if got == expected:
            continue
        failed.append(sample.stem)
        if options.bless:
            sample.write_text(got)
            continue
        sys.stdout.writelines(difflib.unified_diff(expected.splitlines(True), got.splitlines(True), f"expected: {sample.name}",
                                                   f"came: {sample.name}"))
    if failed and not options.bless:
        sys.exit(f"FAILED: {' '.join(failed)}")


main()
