"""The extension in DB Browser for SQLite, a desktop program, under a display of its own (Xvfb).

Nobody sees the window, so what it shows is proved by what comes of it: a cell is reached by keyboard from the first
row, changed and committed, and the file must then hold the new value in that row's column. The pictures taken on the
way stay in $CLIENTS_DIR/screenshots for people."""

import contextlib
import hashlib
import os
import pathlib
import subprocess
import sys
import time

from harness import CLIENTS_DIR, SO, connect, contains, equal, run, test

SCREENSHOTS = CLIENTS_DIR / "screenshots"
WAIT = 30  # seconds for anything the program has to do

NOTES = """
CREATE VIRTUAL TABLE Notes USING table_storage(Text STRING, Stars INT32, At DATETIME);
INSERT INTO Notes(PartitionKey, RowKey, Text, Stars, At) VALUES
  ('a', '1', 'first note', 3, '2024-06-15T12:00:00Z'), ('a', '2', 'zweite Notiz: größer', NULL, '2024-06-16'),
  ('b', '1', NULL, 5, NULL);
CREATE TABLE ordinary(x);
"""


@contextlib.contextmanager
def display():
    """A free display; its name is what Xvfb itself chooses."""
    read, write = os.pipe()
    server = subprocess.Popen(["Xvfb", "-displayfd", str(write), "-screen", "0", "1280x800x24", "-nolisten", "tcp"],
                              pass_fds=[write], stderr=subprocess.DEVNULL)
    os.close(write)
    try:
        name = os.read(read, 16).decode().strip()
        assert name, "Xvfb did not start"
        yield f":{name}"
    finally:
        os.close(read)
        server.terminate()
        server.wait(WAIT)


def settings(folder):
    """The program's settings: our extension, and no look for a newer version in the network."""
    home = folder / "home"
    (home / "sqlitebrowser").mkdir(parents=True, exist_ok=True)
    home.chmod(0o700)
    (home / "sqlitebrowser" / "sqlitebrowser.conf").write_text(
        f"[checkversion]\nenabled=false\n\n[extensions]\nlist={SO}\n")
    return dict(os.environ, HOME=str(home), XDG_CONFIG_HOME=str(home), XDG_RUNTIME_DIR=str(home), LC_ALL="C.UTF-8")


class Window:
    """DB Browser with a database open."""

    def __init__(self, folder, environment, path, *arguments):
        self.environment = environment
        self.log = open(folder / "browser.log", "w+")
        self.process = subprocess.Popen(["sqlitebrowser", *map(str, arguments), str(path)], env=environment,
                                        stdout=self.log, stderr=subprocess.STDOUT)
        self.window = self.wait_for_window()

    def tool(self, *arguments):
        return subprocess.run(arguments, env=self.environment, capture_output=True, timeout=WAIT).stdout

    def wait_for_window(self):
        for _ in range(WAIT * 5):
            found = self.tool("xdotool", "search", "--onlyvisible", "--name", "DB Browser for SQLite").split()
            if found:
                return found[0].decode()
            assert self.process.poll() is None, f"DB Browser ended: {self.messages()}"
            time.sleep(0.2)
        raise AssertionError(f"no window within {WAIT} s: {self.messages()}")

    def settle(self):
        """Returns once the picture has stayed the same for 1.5 s: rows are read by a thread of the program."""
        last, same = None, 0
        for _ in range(WAIT * 2):
            picture = hashlib.sha256(self.tool("import", "-window", "root", "rgb:-")).digest()
            same = same + 1 if picture == last else 0
            if same == 3:
                return
            last = picture
            time.sleep(0.5)
        raise AssertionError("the picture never came to rest")

    def picture(self, name):
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)
        self.tool("import", "-window", "root", str(SCREENSHOTS / f"{name}.png"))

    def keys(self, *names):
        # Without a window manager nobody else gives the window the focus.
        self.tool("xdotool", "windowfocus", self.window)
        for name in names:
            self.tool("xdotool", "key", "--clearmodifiers", name)
            time.sleep(0.1)

    def click(self, x, y):
        self.tool("xdotool", "windowfocus", self.window)
        self.tool("xdotool", "mousemove", str(x), str(y), "click", "1")
        time.sleep(0.3)

    def type(self, text):
        self.tool("xdotool", "type", text)
        time.sleep(0.2)

    def messages(self):
        self.log.seek(0)
        return self.log.read()

    def close(self):
        self.process.terminate()
        self.process.wait(WAIT)
        self.log.close()


def notes(path, query="SELECT PartitionKey, RowKey, Text, Stars, At FROM Notes ORDER BY 1, 2"):
    connection = connect(path, timeout=10)
    try:
        return connection.execute(query).fetchall()
    finally:
        connection.close()


def make(path):
    connection = connect(path)
    connection.executescript(NOTES)
    connection.close()
    return path


@test("a script run by it reads and writes foreign tables")
def script(folder):
    path = make(folder / "script.db")
    (folder / "script.sql").write_text(
        "INSERT INTO ordinary SELECT ts_version() || ' ' || count(*) || ' ' || sum(Stars) FROM Notes;\n"
        "UPDATE Notes SET Stars = 1 WHERE PartitionKey = 'a';\n"
        "INSERT INTO Notes(PartitionKey, RowKey, Text) VALUES ('c', '1', 'by script');\n")
    with display() as name:
        window = Window(folder, dict(settings(folder), DISPLAY=name), path, "-s", folder / "script.sql")
        try:
            window.settle()
            window.picture("script")
            window.keys("ctrl+s")
            window.settle()
        finally:
            window.close()
    got, = notes(path, "SELECT x FROM ordinary")
    contains(got[0], " 3 8")
    equal([row[2:4] for row in notes(path)], [("first note", 1), ("zweite Notiz: größer", 1), (None, 5), ("by script", None)])


def edit_first_text(folder, environment, path):
    window = Window(folder, environment, path, "-t", "Notes")
    try:
        window.settle()
        window.picture("rows")
        # The first cell of the first row; from there by keyboard: RowKey, Timestamp, Text.
        window.click(60, 202)
        window.keys("Right", "Right", "Right", "F2", "ctrl+a")
        window.type("edited in the browser")
        window.keys("Return")
        window.settle()
        window.picture("edited")
        window.keys("ctrl+s")
        window.settle()
        window.picture("committed")
    finally:
        window.close()


@test("it shows the rows; a cell edited by keyboard and committed changes the entity")
def edit(folder):
    path = make(folder / "edit.db")
    before = notes(path)
    want = [("a", "1", "edited in the browser", 3, "2024-06-15T12:00:00.0000000Z")] + before[1:]
    # On a busy machine the program may still be reading when the click comes, and asks whether to stop: try again.
    for attempt in range(3):
        with display() as name:
            edit_first_text(folder, dict(settings(folder), DISPLAY=name), path)
        if notes(path) != before:
            break
    equal(notes(path), want, f"entities after {attempt + 1} attempts; see {SCREENSHOTS}")


if __name__ == "__main__":
    print(f"     sqlitebrowser, {pathlib.Path(SO).name}, Python {sys.version.split()[0]}")
    run("browser")
