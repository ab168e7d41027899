#!/usr/bin/env python3
"""Draws bench/results/gpu.svg from recorded results of an H200: squares of 16-bit numbers and TF32 beside cublasLt,
contractions beside cuTENSOR, FP32 products by pieces beside cuBLAS' SGEMM over n.

    bench/results/picture.py [FILE]

What was measured how stands in bench/LOG.md, in the sections that name these files."""
import csv
import math
import pathlib
import sys
from collections import defaultdict
from xml.sax.saxutils import escape

RESULTS = pathlib.Path(__file__).parent
SHAPES, CONTRACTIONS = "2026-11-26-h200-shapes.csv", "2026-11-26-h200-contractions.csv"
BF16_CONTRACTIONS = "2026-11-28-h200-tccg-all.csv", "2026-11-28-h200-contractions-after.csv"
SQUARES = "2026-11-28-h200-squares-after.csv"
PIECES = "2026-11-22-h200-roof.csv"

LEFT, TOP, WIDE, HIGH, NAMES, BELOW = 56, 44, 400, 230, 200, 52  # of a panel
COLOURS = ["#0b6e4f", "#c1440e", "#1f4e9e", "#8a5a00", "#7a1f6e"]


def rows_of(name):
    with open(RESULTS / name, newline="") as file:
        return list(csv.DictReader(file))


def mean(ratios):
    return math.exp(sum(map(math.log, ratios)) / len(ratios))


def benched(name, type_of):
    """The peer's time over ours by problem, of a file of lay bench."""
    seconds = defaultdict(dict)
    for row in rows_of(name):
        if row["type"] == type_of:
            seconds[row["problem"]][row["who"]] = float(row["median_seconds"])
    return {problem: by[peer] / by[our] for problem, by in seconds.items()
            for our in by if our in ("lay", "lay, plan kept") for peer in by if peer in ("cuBLAS", "cuTENSOR")}


def squares():
    """The peer's time over ours by n, row-major; of TF32 the mean of four transposes, by the last build of its file."""
    found = {kind: sorted((int(problem.split()[0]), ratio) for problem, ratio in benched(SQUARES, kind).items())
             for kind in ("bf16", "f16")}
    for kind in ["TF32"]:
        runs = defaultdict(lambda: defaultdict(list))
        for row in rows_of(SHAPES):
            if row["group"] == kind + " squares":
                runs[int(row["n"])][row["when"]].append(float(row["ratio"]))
        found[kind] = [(n, mean(list(by_build.values())[-1])) for n, by_build in sorted(runs.items())]
    return found


def contractions():
    """The peer's time over ours, from the least to the greatest, over the share of contractions, in per cent."""
    ratios = defaultdict(dict)
    for row in rows_of(CONTRACTIONS):
        if row["card"] == "H200":  # of the builds recorded, the last
            ratios[row["type"]][row["suite"], row["problem"]] = float(row["cutensor_us"]) / float(row["lay_us"])
    for name in BF16_CONTRACTIONS:  # TCCG, tensors of 1 GB; the second file has those that changed
        of = benched(name, "bf16")
        ratios["bf16"].update({problem: ratio for problem, ratio in of.items() if "->" not in problem})
    return {f"{kind}, {len(of)} of them": [(100 * (i + 0.5) / len(of), ratio)
                                           for i, ratio in enumerate(sorted(of.values()))]
            for kind, of in ratios.items()}


def pieces():
    found = defaultdict(list)
    for row in rows_of(PIECES):
        if row["tflops"]:
            found[row["who"]].append((int(row["n"]), float(row["tflops"])))
    return found


class Panel:
    def __init__(self, title, across, lines, down, is_log, limit, level=None):
        self.title, self.across, self.lines, self.level = title, across, lines, level
        self.down, self.is_log, self.limit = down, is_log, limit
        xs = [x for line in lines.values() for x, _ in line]
        self.first, self.last = (min(xs), max(xs)) if is_log else (0, 100)

    def x(self, value):
        to = math.log2 if self.is_log else float
        return LEFT + WIDE * (to(value) - to(self.first)) / (to(self.last) - to(self.first))

    def y(self, value):
        return self.down + TOP + HIGH * (1 - min(value, self.limit) / self.limit)

    def grid(self):
        step = self.limit / 5
        for i in range(6):
            y = self.y(i * step)
            yield f'<line x1="{LEFT}" y1="{y:.1f}" x2="{LEFT + WIDE}" y2="{y:.1f}" stroke="#dddddd"/>'
            yield f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{i * step:g}</text>'
        marks = [256 * 2**i for i in range(7)] if self.is_log else range(0, 101, 20)
        for mark in marks:
            if self.first <= mark <= self.last:
                yield (f'<text x="{self.x(mark):.1f}" y="{self.down + TOP + HIGH + 18}" '
                       f'text-anchor="middle">{mark}</text>')
        yield (f'<text x="{LEFT + WIDE / 2}" y="{self.down + TOP + HIGH + 38}" text-anchor="middle">'
               f'{escape(self.across)}</text>')
        if self.level:
            y = self.y(self.level)
            yield f'<line x1="{LEFT}" y1="{y:.1f}" x2="{LEFT + WIDE}" y2="{y:.1f}" stroke="#444444"/>'

    def draw(self):
        yield f'<text x="{LEFT - 40}" y="{self.down + 24}" font-weight="bold">{escape(self.title)}</text>'
        yield from self.grid()
        names = []
        for (name, line), colour in zip(self.lines.items(), COLOURS):
            points = " ".join(f"{self.x(x):.1f},{self.y(y):.1f}" for x, y in line)
            yield f'<polyline fill="none" stroke="{colour}" stroke-width="2" points="{points}"/>'
            names.append([self.y(line[-1][1]) + 4, name, colour])
        least = self.down + TOP
        for name in sorted(names):  # from above, apart
            least = name[0] = max(name[0], least)
            least += 16
            yield f'<text x="{LEFT + WIDE + 10}" y="{name[0]:.1f}" fill="{name[2]}">{escape(name[1])}</text>'


def main():
    to = sys.argv[1] if len(sys.argv) > 1 else RESULTS / "gpu.svg"
    each = TOP + HIGH + BELOW
    panels = [
        Panel("Squares: time of cublasLt over ours, above 1 ours is faster", "n; above 1.5 cut",
              squares(), 0, True, 1.5, 1),
        Panel("Contractions: time of cuTENSOR over ours, sorted", "per cent of the contractions; above 2.5 cut",
              contractions(), each, False, 2.5, 1),
        Panel("FP32 products, TFLOP/s", "n", pieces(), 2 * each, True, 250),
    ]
    wide, high = LEFT + WIDE + NAMES, 3 * each
    text = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {high}" width="{wide}" height="{high}" '
            'font-family="sans-serif" font-size="13" fill="#222222">',
            f'<rect width="{wide}" height="{high}" fill="#ffffff"/>']
    for panel in panels:
        text += panel.draw()
    pathlib.Path(to).write_text("\n".join(text + ["</svg>", ""]))


main()
