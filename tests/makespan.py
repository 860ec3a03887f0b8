#!/usr/bin/env python3
"""How long a build of the recorded steps would take on other numbers of cores, beside whole runs of nvcc.

    tests/makespan.py RAW UNITS CORES... [--split NAME UNITS THREADS]

RAW has a line per source, in the order that they are started: seconds of a whole run of nvcc, and the source. UNITS is the
`units` folder of a build of the same sources, whose `times.txt` files have the steps' milliseconds. `--split` takes the
steps of one source from another build, where they had several threads.

Steps are ordered as `compile/graph.rs` orders them: preprocessing first, then what begins the longest chain by its recorded
times; a step takes as many job tokens as it has threads, as far as they are there. Where more threads run than there are
cores, all run more slowly by that.
"""
import pathlib
import sys


def steps(units, name):
    """Seconds of preprocess, cicc and ptxas of a source."""
    found = {}
    for path in sorted(pathlib.Path(units).glob(f"{name}-*/*/times.txt")):
        for line in path.read_text().splitlines():
            step, milliseconds, *_ = line.split()
            found[step] = int(milliseconds) / 1000
    return [found[step] for step in ("preprocess", "cicc", "ptxas")]


def run(cores, first, behind):
    """The makespan of tasks, each its priority, seconds, threads and name; `behind` gives those that one makes ready."""
    ready, running, free, now = list(first), [], cores, 0.0
    while ready or running:
        while ready and free > 0:
            task = max(ready, key=lambda task: task[0])
            ready.remove(task)
            tokens = min(task[2], free)
            free -= tokens
            running.append([task[1], tokens, task])
        threads = sum(task[2] for _, _, task in running)
        rate = min(1.0, cores / threads)
        step = min(left for left, _, _ in running) / rate
        now += step
        for entry in running:
            entry[0] -= step * rate
        for entry in [entry for entry in running if entry[0] < 1e-9]:
            running.remove(entry)
            free += entry[1]
            ready.extend(behind(entry[2]))
    return now


def main():
    words = sys.argv[1:]
    split = None
    if "--split" in words:
        at = words.index("--split")
        split = words[at + 1 : at + 4]
        del words[at : at + 4]
    raw, units, *cores = words
    whole, chains = [], {}
    for line in open(raw):
        seconds, source = line.split()
        name = pathlib.Path(source).stem
        whole.append((-len(whole), float(seconds), 1, name))
        chains[name] = (*steps(units, name), 1)
        if split and split[0] == name:
            chains[name] = (*steps(split[1], name), int(split[2]))
    # Python's max takes the first of equals, as the build does.
    preprocess = [(1e9, chain[0], 1, (name, 0)) for name, chain in chains.items()]

    def behind(task):
        name, step = task[3]
        _, cicc, ptxas, threads = chains[name]
        if step == 0:
            return [(cicc + ptxas, cicc, threads, (name, 1))]
        return [(ptxas, ptxas, threads, (name, 2))] if step == 1 else []

    for count in map(int, cores):
        alone = run(count, whole, lambda task: [])
        ours = run(count, preprocess, behind)
        print(f"{count} {alone:.2f} {ours:.2f} {ours / alone:.3f}")


main()
