#!/usr/bin/env python3
"""Makes the tables of `cubin_core::sass` from `opcodes.json`, and `opcodes.json` from NVIDIA's nvdisasm.

    tables.py write                          opcodes.json -> cubin-core/src/sass/tables/*.rs
    tables.py check                          whether those files are what `write` would make
    tables.py probe NVDISASM [CUBIN...]      adds to opcodes.json what this nvdisasm says; --fresh starts from nothing

`opcodes.json` holds numbers and mnemonics only: which mnemonic nvdisasm prints for which bits on which target. `probe`
finds them by making instruction words (random ones for each value of the key bits, and the words of the given cubins in
each operand form) and asking `nvdisasm --binary` what each is. nvdisasm names every word that it refuses, so a second run
over the others lists them all. What decides between two mnemonics of one key (`IADD3?76=0`) is looked for among the bits
that differ; where no one to three bits do, the key is left out, and the reader counts it as unknown.

Only Python's own library is used.
"""

import argparse
import collections
import json
import os
import random
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
JSON = os.path.join(HERE, "opcodes.json")
TABLES = os.path.join(HERE, "..", "..", "cubin-core", "src", "sass", "tables")

# Bytes of an instruction, the bits that are the key, and the targets in the order of the masks.
ENCODINGS = {
    "sm50": {"bytes": 8, "key": (51, 63), "targets": [50, 52, 60, 61, 62]},
    "sm70": {
        "bytes": 16,
        "key": (0, 11),
        "targets": [70, 72, 75, 80, 86, 87, 88, 89, 90, 100, 101, 103, 107, 110, 120, 121],
    },
}

PROVENANCE = (
    "Measured by this project: what nvdisasm 13.5.37 (sm_75 and later) and 12.4.127 (sm_50 to sm_72) print for cubins "
    "and for made-up words. Numbers and mnemonics only. sm70: key = bits 0 to 11 of a 16-byte instruction; sm50: key = "
    "bits 51 to 63 of an 8-byte one. mnemonic -> {mask of targets: keys}, all hexadecimal; bit n of a mask is the nth of "
    "`targets`. KEY?BIT=VALUE: where bits LOW..HIGH decide between mnemonics of one key. Made by tests/sass/tables.py."
)


class Row(collections.namedtuple("Row", "key mnemonic when")):
    """`when`: ((low bit, high bit, value), ...)"""


def load():
    """encoding -> {Row: set of targets}"""
    with open(JSON) as file:
        data = json.load(file)
    found = {}
    for name, encoding in ENCODINGS.items():
        rows = collections.defaultdict(set)
        for mnemonic, masks in data[name]["mnemonics"].items():
            for mask, keys in masks.items():
                targets = {t for n, t in enumerate(encoding["targets"]) if int(mask, 16) >> n & 1}
                for word in keys.split():
                    key, _, when = word.partition("?")
                    first, _, last = key.partition("-")
                    for number in range(int(first, 16), int(last or first, 16) + 1):
                        rows[Row(number, mnemonic, read_when(when))] |= targets
        found[name] = rows
    return found


def read_when(text):
    found = []
    for part in filter(None, text.split(",")):
        bits, value = part.split("=")
        low, _, high = bits.partition("..")
        found.append((int(low), int(high or low), int(value)))
    return tuple(sorted(found))


def show_when(when):
    bits = (f"{low}={value}" if low == high else f"{low}..{high}={value}" for low, high, value in when)
    text = ",".join(bits)
    return f"?{text}" if text else ""


def save(found):
    """One line per mnemonic; runs of keys as FIRST-LAST."""
    lines = ['{', f'"provenance": {json.dumps(PROVENANCE)},']
    for name, encoding in ENCODINGS.items():
        by_name = collections.defaultdict(lambda: collections.defaultdict(list))
        for row, targets in found[name].items():
            mask = sum(1 << n for n, t in enumerate(encoding["targets"]) if t in targets)
            by_name[row.mnemonic][mask].append((row.key, show_when(row.when)))
        lines.append(f'"{name}": {{"targets": {encoding["targets"]}, "mnemonics": {{')
        rows = []
        for mnemonic in sorted(by_name):
            masks = {f"{mask:x}": runs(sorted(keys)) for mask, keys in sorted(by_name[mnemonic].items())}
            rows.append(f"{json.dumps(mnemonic)}: {json.dumps(masks)}")
        lines.append(",\n".join(rows))
        lines.append("}}," if name != "sm70" else "}}")
    lines.append("}")
    with open(JSON, "w") as file:
        file.write("\n".join(lines) + "\n")


def runs(keys):
    words = []
    for key, when in keys:
        if words and words[-1][2] == when and words[-1][1] == key - 1 and not when:
            words[-1][1] = key
        else:
            words.append([key, key, when])
    return " ".join((f"{a:x}" if a == b else f"{a:x}-{b:x}") + when for a, b, when in words)


# ---- opcodes.json -> Rust

HEADER = """\
//! Which bits are which mnemonic, SPAN. Written by `tests/sass/tables.py` from `tests/sass/opcodes.json`.

use crate::sass::mnemonic::Mnemonic::{self, *};

"""


def resolve(rows):
    """Splits into (key, mnemonic) -> targets where the key decides, and the same with bits where more than the key does."""
    by_key = collections.defaultdict(dict)
    for row, targets in rows.items():
        for target in targets:
            by_key[row.key].setdefault(target, []).append(row)
    plain, cases = collections.defaultdict(set), collections.defaultdict(set)
    for key, targets in by_key.items():
        for target, candidates in targets.items():
            names = {row.mnemonic for row in candidates}
            if len(names) == 1:
                plain[key, names.pop()].add(target)
                continue
            for row in candidates:
                assert row.when, f"{key:#x} on sm_{target}: {names} and nothing decides"
                cases[key, row.mnemonic, row.when].add(target)
    return plain, cases


def packed(items, width=118, indent="    "):
    lines, line = [], indent
    for item in items:
        if len(line) + len(item) + 1 > width:
            lines.append(line.rstrip())
            line = indent
        line += item + ", "
    lines.append(line.rstrip())
    return "\n".join(lines)


def listing(head, items):
    """One row of a table, on one line where it fits."""
    line = f"    ({head}, &[{', '.join(items)}]),\n"
    if len(line) <= 120:
        return line
    return f"    ({head}, &[\n{packed(items, 118, ' ' * 8)}\n    ]),\n"


def tables():
    """file name -> text"""
    found, files = load(), {}
    for name, encoding in ENCODINGS.items():
        order = {target: n for n, target in enumerate(encoding["targets"])}
        mask = lambda targets: sum(1 << order[t] for t in targets)
        plain, cases = resolve(found[name])
        low, high = encoding["key"]
        span = f"sm_{encoding['targets'][0]} to sm_{encoding['targets'][-1]}"
        text = [HEADER.replace("SPAN", span)]
        text.append("/// The targets that the masks stand for, lowest bit first.\n")
        text.append("#[rustfmt::skip]\n")
        text.append(f"pub(in crate::sass) const TARGETS: [u16; {len(order)}] = {encoding['targets']};\n\n")
        groups = collections.defaultdict(list)
        for (key, mnemonic), seen in sorted(plain.items()):
            spans = groups[mnemonic, mask(seen)]
            if spans and spans[-1][1] == key - 1 and name == "sm50":
                spans[-1][1] = key
            else:
                spans.append([key, key])
        ranges = name == "sm50"
        what, kind = ("(first, last) of each run of keys", "(u16, u16)") if ranges else ("keys", "u16")
        text.append(f"/// Mnemonic, mask of targets, {what} (bits {low} to {high}).\n#[rustfmt::skip]\n")
        text.append("#[expect(clippy::type_complexity, reason = \"a table\")]\n" if ranges else "")
        text.append(f"pub(in crate::sass) static CODES: [(Mnemonic, u16, &[{kind}]); {len(groups)}] = [\n")
        for (mnemonic, seen), spans in sorted(groups.items()):
            items = [f"({a:#x}, {b:#x})" if ranges else f"{a:#x}" for a, b in spans]
            text.append(listing(f"{mnemonic}, {seen:#x}", items))
        text.append("];\n")
        if cases:
            text.append("\n/// Keys that more bits decide: key, mnemonic, mask of targets, those bits, their value. By key.\n")
            text.append("#[rustfmt::skip]\n")
            text.append(f"pub(in crate::sass) static CASES: [(u16, Mnemonic, u16, u128, u128); {len(cases)}] = [\n")
        for (key, mnemonic, when), seen in sorted(cases.items()):
            bits = " | ".join(f"({(1 << high - low + 1) - 1} << {low})" for low, high, _ in when)
            value = " | ".join(f"({wanted} << {low})" for low, _, wanted in when if wanted) or "0"
            bits, value = (part[1:-1] if part.count("(") == 1 else part for part in (bits, value))
            text.append(f"    ({key:#x}, {mnemonic}, {mask(seen):#x}, {bits}, {value}),\n")
        if cases:
            text.append("];\n")
        files["maxwell.rs" if name == "sm50" else "volta.rs"] = "".join(text)
    return files


def write(check):
    wrong = []
    for name, text in tables().items():
        path = os.path.join(TABLES, name)
        with open(path, "r+" if not check else "r") as file:
            if file.read() == text:
                continue
            wrong.append(name)
            if not check:
                file.seek(0)
                file.truncate()
                file.write(text)
    if check and wrong:
        sys.exit(f"{', '.join(wrong)}: not what opcodes.json says; run `tests/sass/tables.py write`")


# ---- nvdisasm -> opcodes.json

CONTROL = 0x001F8000FC0007E0


class Disassembler:
    """An nvdisasm, asked about single words of one target."""

    CHUNK = 6 * 1024

    def __init__(self, program, target, size):
        self.program, self.target, self.size = program, target, size

    def names(self, words):
        """The mnemonic of each word, None for those that it refuses."""
        found = []
        for start in range(0, len(words), self.CHUNK):
            found += self.chunk(words[start : start + self.CHUNK])
        return found

    def chunk(self, words):
        found = [None] * len(words)
        alive = list(range(len(words)))
        while alive:
            status, listing, errors = self.run([words[n] for n in alive])
            if status == 0:
                for at, name in listing:
                    place = self.place(int(at, 16))
                    # `__HIR0X1C0` and the like: accepted, but it has no name for it.
                    if place < len(alive) and not name.startswith("_"):
                        found[alive[place]] = name
                return found
            # It names every address that it refuses in one run, but for some that it meets only when those are gone.
            refused = {self.place(int(at, 16)) for at in re.findall(r"at address (0x[0-9a-f]+)", errors)}
            rest = [n for at, n in enumerate(alive) if at not in refused]
            if len(rest) == len(alive):
                # It died: on which word, halves tell.
                if len(alive) == 1:
                    return found
                middle = len(alive) // 2
                for half in (alive[:middle], alive[middle:]):
                    for n, name in zip(half, self.chunk([words[n] for n in half])):
                        found[n] = name
                return found
            alive = rest
        return found

    def place(self, address):
        if self.size == 16:
            return address // 16
        return address // 32 * 3 + address % 32 // 8 - 1

    def run(self, words):
        data = bytearray()
        for n, word in enumerate(words):
            if self.size == 8 and n % 3 == 0:
                data += CONTROL.to_bytes(8, "little")
            data += word.to_bytes(self.size, "little")
        filler = 0x50B0000000070F00
        while self.size == 8 and len(data) % 32:
            data += filler.to_bytes(8, "little")
        with tempfile.NamedTemporaryFile(suffix=".bin") as file:
            file.write(data)
            file.flush()
            command = [self.program, "-novliw", "-b", self.target, file.name]
            done = subprocess.run(command, capture_output=True, text=True, errors="replace")
        line = re.compile(r"/\*([0-9a-f]+)\*/\s+\{?\s*(?:@\S+\s+)?([A-Z0-9_]+)")
        return done.returncode, line.findall(done.stdout), done.stderr


def supported(program):
    """target number -> its name with the most instructions: SM90a before SM90"""
    text = subprocess.run([program, "--help"], capture_output=True, text=True).stdout
    names = re.findall(r"'(SM(\d+)([af]?))'", text)
    order = {"": 0, "f": 1, "a": 2}
    best = {}
    for name, number, suffix in sorted(names, key=lambda row: order[row[2]]):
        best[int(number)] = name
    return best


def code_of(path):
    """(target, bytes) of each section with code of a 64-bit cubin"""
    with open(path, "rb") as file:
        data = file.read()
    number = lambda at, size: int.from_bytes(data[at : at + size], "little")
    if data[:5] != b"\x7fELF\x02":
        return
    target = number(48, 4) >> 8 & 0xFF if data[8] == 8 else number(48, 4) & 0xFF
    for n in range(number(60, 2)):
        header = number(40, 8) + 64 * n
        kind, flags, offset, size = (number(header + at, of) for at, of in ((4, 4), (8, 8), (24, 8), (32, 8)))
        if kind == 1 and flags & 4:
            yield target, data[offset : offset + size]


def real_words(paths, encoding):
    """target -> key -> some words"""
    low, high = encoding["key"]
    found = collections.defaultdict(lambda: collections.defaultdict(set))
    size = encoding["bytes"]
    for path in paths:
        for target, data in code_of(path):
            for at in range(0, len(data), size):
                if size == 8 and at % 32 == 0 or target not in encoding["targets"]:
                    continue
                word = int.from_bytes(data[at : at + size], "little")
                words = found[target][word >> low & (1 << high - low + 1) - 1]
                if len(words) < 32:
                    words.add(word)
    return found


def made_words(encoding, count, real):
    """Random words for every key; real words, for 16-byte instructions in every operand form."""
    low, high = encoding["key"]
    bits = encoding["bytes"] * 8
    words = set()
    for key in range(1 << high - low + 1):
        for _ in range(count):
            word = random.getrandbits(bits) & ~(((1 << high - low + 1) - 1) << low)
            words.add(word | key << low)
    for of_key in real.values():
        for word in of_key:
            words.add(word)
            if bits == 128:
                words.update(word & ~(7 << 9) | form << 9 for form in range(8))
    return sorted(words)


def deciding(words):
    """The bits that tell the mnemonics of one key apart, with their values: mnemonic -> when; None if one to three do not."""
    import itertools

    by_name = collections.defaultdict(list)
    for word, name in words:
        by_name[name].append(word)
    for count in (1, 2, 3):
        for bits in itertools.combinations(range(12, 105), count):
            mask = sum(1 << bit for bit in bits)
            values = {name: {word & mask for word in words} for name, words in by_name.items()}
            if all(len(seen) == 1 for seen in values.values()) and len(set.union(*values.values())) == len(values):
                return {name: tuple((b, b, seen.copy().pop() >> b & 1) for b in bits) for name, seen in values.items()}
    return None


def predicted(rows, target, key, word):
    """What the table says of a word, by the rows of its key."""
    here = [row for row, targets in rows.get(key, ()) if target in targets]
    if len({row.mnemonic for row in here}) == 1:
        return here[0].mnemonic
    return next((row.mnemonic for row in here if fits(row, word)), None)


def fits(row, word):
    return all(word >> low & (1 << high - low + 1) - 1 == value for low, high, value in row.when)


def probe(program, cubins, targets, count, fresh):
    found = {name: collections.defaultdict(set) for name in ENCODINGS} if fresh else load()
    names = supported(program)
    for name, encoding in ENCODINGS.items():
        low, high = encoding["key"]
        real = real_words(cubins, encoding)
        for target in encoding["targets"]:
            if target not in names or (targets and target not in targets):
                continue
            words = made_words(encoding, count, real[target])
            answers = Disassembler(program, names[target], encoding["bytes"]).names(words)
            by_key = collections.defaultdict(list)
            for word, answer in zip(words, answers):
                if answer:
                    by_key[word >> low & (1 << high - low + 1) - 1].append((word, answer))
            rows = collections.defaultdict(list)
            for row, seen in found[name].items():
                rows[row.key].append((row, seen))
            new = wrong = 0
            for key, asked in sorted(by_key.items()):
                known = [predicted(rows, target, key, word) for word, _ in asked]
                if all(known) and known == [answer for _, answer in asked]:
                    continue
                # What decides on another target may decide here too.
                others = [row for row, _ in rows[key] if row.when]
                if others and all([row.mnemonic for row in others if fits(row, word)] == [answer] for word, answer in asked):
                    new += 1
                    for row in others:
                        if row.mnemonic in {answer for _, answer in asked}:
                            found[name][row].add(target)
                    continue
                if any(known):
                    wrong += 1
                    print(f"sm_{target} {key:#x}: the table says {sorted(map(str, set(known)))}, nvdisasm {sorted({a for _, a in asked})}")
                    continue
                mnemonics = {answer for _, answer in asked}
                when = {answer: () for answer in mnemonics} if len(mnemonics) == 1 else deciding(asked)
                if when is None:
                    print(f"sm_{target} {key:#x}: no three bits decide between {sorted(mnemonics)}; left out")
                    continue
                new += 1
                for mnemonic, bits in when.items():
                    found[name][Row(key, mnemonic, bits)].add(target)
            print(f"sm_{target}: {len(words)} words, {sum(map(len, by_key.values()))} accepted, {len(by_key)} keys, {new} new, {wrong} otherwise", flush=True)
    save(found)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("write", help="opcodes.json -> cubin-core/src/sass/tables")
    commands.add_parser("check", help="whether those files are what `write` would make")
    ask = commands.add_parser("probe", help="nvdisasm -> opcodes.json")
    ask.add_argument("nvdisasm")
    ask.add_argument("cubin", nargs="*")
    ask.add_argument("--target", type=int, action="append", help="only this one: 90")
    ask.add_argument("--count", type=int, default=96, help="random words for each key")
    ask.add_argument("--seed", type=int, default=1)
    ask.add_argument("--fresh", action="store_true", help="forget what opcodes.json says now")
    arguments = parser.parse_args()
    if arguments.command == "probe":
        random.seed(arguments.seed)
        probe(arguments.nvdisasm, arguments.cubin, arguments.target, arguments.count, arguments.fresh)
    else:
        write(check=arguments.command == "check")


if __name__ == "__main__":
    main()
