"""What it takes to run a script that was written for the local backend over a table service: its foreign tables with
the options that lead there, and what that rightly changes in the output (differences.txt).
"""

import pathlib
import re

HERE = pathlib.Path(__file__).resolve().parent
DIFFERENCES = HERE / "differences.txt"

# The tokens that matter: what may hide a parenthesis or a comma, and these themselves.
_TOKEN = re.compile(r"""--[^\n]*|/\*.*?\*/|'(?:[^']|'')*'|"(?:[^"]|"")*"|`[^`]*`|\[[^\]]*\]|[(),;]|\w+|\s+|.""", re.S)
_CREATE = re.compile(r"""\bCREATE\s+VIRTUAL\s+TABLE\s+(?:IF\s+NOT\s+EXISTS\s+)?(?:\w+\s*\.\s*)?(\w+)\s+USING\s+table_storage\b""", re.I)


def only_local(script):
    """The reason, if the script is about the local backend alone."""
    found = re.search(r"^-- Only local: (.+)$", script, re.M)
    return found.group(1) if found else None


def _foreign_tables(script):
    """Each CREATE VIRTUAL TABLE: name, where its arguments begin and end, where they and its OPTIONS can be added to."""
    for create in _CREATE.finditer(script):
        start = create.end()
        depth, at, word, options, options_end, any_argument = 0, start, "", None, None, False
        for token in _TOKEN.finditer(script, start):
            text = token.group()
            if text.isspace() or text.startswith("--"):
                continue
            if depth == 0 and text != "(":
                break  # no arguments at all
            if text == "(":
                depth += 1
                if depth == 2 and word.upper() == "OPTIONS" and options == "table":
                    options = "inside"
            elif text == ")":
                depth -= 1
                if depth == 1 and options == "inside":
                    options_end, options = token.start(), None
                if depth == 0:
                    at = token.end()
                    break
            elif depth == 1:
                # OPTIONS as the first word of an argument is the table's, after a column its own.
                options = "table" if text.upper() == "OPTIONS" and word in ("(", ",") else None
            any_argument = any_argument or (depth >= 1 and text not in "()")
            word = text
        yield create.group(1), start, at, options_end, any_argument


def tables_of(script):
    """The service's tables that the script's foreign tables stand for, without repetition."""
    tables = {}
    for name, start, end, _, _ in _foreign_tables(script):
        option = re.search(r"\btable\s+'(\w*)'", script[start:end])
        table = option.group(1) if option else name
        if re.fullmatch(r"[A-Za-z][A-Za-z0-9]{2,62}", table):
            tables.setdefault(table.lower(), table)
    return list(tables.values())


def moved_to(script, options):
    """The script with `options` on each of its foreign tables, in place of SERVER local."""
    script = re.sub(r"\bSERVER\s+local\s*,\s*", "", script)
    out, done = "", 0
    for _, start, end, options_end, any_argument in _foreign_tables(script):
        if options_end is not None:
            out += script[done:options_end] + ", " + options + script[options_end:end]
        elif start == end:
            out += script[done:end] + f"(OPTIONS ({options}))"
        else:
            comma = ", " if any_argument else ""
            out += script[done:end - 1] + f"{comma}OPTIONS ({options}))"
        done = end
    return out + script[done:]


def without_words(printed):
    """The output with the service's error codes and SQLite's, but without the words: a service has its own."""
    return re.sub(r"^((?:Runtime|Parse) error: [A-Z][A-Za-z]+): .*?( \(\d+\))?$", r"\1: …\2", printed, flags=re.M)


def _sections():
    """Scripts, backends and lines of each section of differences.txt, and the line where it begins."""
    section = None
    for number, line in enumerate(DIFFERENCES.read_text().splitlines(), 1):
        if line.startswith("@ "):
            scripts, backends, reason = (part.strip() for part in line[2:].split("|", 2))
            assert reason, f"differences.txt:{number}: no reason"
            section = (scripts, backends.split(), [], number)
            yield section
        elif line[:1] in ("-", "+", " ") and section:
            section[2].append(line)
        elif line and not line.startswith("#"):
            raise ValueError(f"differences.txt:{number}: lines begin with @, -, +, a blank or #")


def expected_on(backend, script, wanted):
    """What the script should print on the backend, given what it prints on the local one."""
    lines = wanted.splitlines()
    for name, backends, changes, number in list(_sections()):
        if name != script or backend not in backends:
            continue
        old = [line[1:] for line in changes if line[0] in "- "]
        new = [line[1:] for line in changes if line[0] in "+ "]
        places = [i for i in range(len(lines) - len(old) + 1) if lines[i:i + len(old)] == old]
        if len(places) != 1:
            raise ValueError(f"differences.txt:{number}: these lines of {script} stand there {len(places)} times, not once")
        lines[places[0]:places[0] + len(old)] = new
    return "".join(line + "\n" for line in lines)
