"""The page that lay bench --html makes: what it has, that it needs nothing else, and how it looks on desk and phone.

usage: pages.py LAY PEER WRONG_PEER RESULTS
"""

import html.parser
import json
import math
import os
import pathlib
import re
import sys

from browser import WIDTHS, look
from tap import expect, lay, run

PEER, WRONG = map(os.path.abspath, sys.argv[2:4])
RESULTS = pathlib.Path(sys.argv[4]).resolve()
QUICK = ("--rounds=3", "--min-time=0", "--pause=0")
VOID = {"meta", "br", "line", "path", "circle", "rect", "polyline", "polygon"}


class Page(html.parser.HTMLParser):
    """Tags that are open, attributes and text, of a page in which each element is closed."""

    def __init__(self, text):
        super().__init__()
        self.open, self.text, self.tags = [], [], []
        self.feed(text)
        expect(not self.open, self.open)

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        expect(self.open and self.open.pop() == tag, tag, self.open)

    def handle_data(self, data):
        self.text.append(data)


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def words(text):
    return " ".join(" ".join(Page(text).text).split())


def bench(*words, status=0):
    done = lay("bench", *words, *QUICK)
    expect(done[0] == status, words, done)
    return done


def make(*words):
    bench(*words, f"--against={PEER}", "--html=page.html", "--json=rows.json")
    return read("page.html"), json.loads(read("rows.json"))


def figure(x):
    digits = 3
    while digits and x >= 10 ** (4 - digits):
        digits -= 1
    return f"{x:.{digits}f}"


def test_the_page_has_every_row_machine_and_command():
    page, whole = make("8..32:x2", "24x40x16:matrix2,tiles4,col", "--type=f32,f64", "--each-layout")
    text = words(page)
    for line in whole["machine"].splitlines():
        expect(" ".join(line.split()) in text, line)
    expect(whole["version"] in text and " ".join(whole["command"].split()) in text, whole["command"])
    cells = re.findall(r'<tr[^>]*><td class="who">([^<]*).*?</td>(.*?)</tr>', page.split("All figures")[1])
    expect(len(cells) == len(whole["rows"]), len(cells))
    for (who, row), one in zip(cells, whole["rows"]):
        told = dict(re.findall(r'data-l="([^"]*)">([^<]*)<', row))
        expect(who.strip() == one["who"], who, one)
        expect(told["time, \u00b5s"] == figure(1e6 * one["median_seconds"]), told, one)
        expect(told["GFLOP/s"] == figure(one["gflops"]), told, one)
        expect(told["speedup of lay"] == (figure(one["speedup"]) if one["speedup"] else ""), told, one)
    headings = re.findall(r'<tr class="problem"><td colspan="7"><span class="num">(\d+)</span> ([^<]*) <', page)
    expect([int(number) for number, _ in headings] == list(range(1, len(headings) + 1)), headings)
    ours = [row["problem"] for row in whole["rows"] if row["who"] == "lay"]
    expect([name for _, name in headings] == ours, headings)


def test_the_page_needs_nothing_from_elsewhere():
    page, _ = make("8", "9:matrix1")
    of = Page(page)
    loading = {"script", "link", "img", "iframe", "object"}
    expect(not {tag for tag, _ in of.tags} & loading, "a tag that loads something")
    for tag, attributes in of.tags:
        for name, value in attributes.items():
            expect(name not in ("src", "href", "srcset", "data") and not name.startswith("on"), tag, name, value)
            expect("://" not in (value or "") or name == "xmlns", tag, name, value)
    expect("url(" not in page and "@import" not in page and 'name="viewport"' in page, "the style")


def test_the_roofline_has_each_problem_where_its_figures_put_it():
    page, whole = make("16", "64", "200x8x90:matrix2,col,row")
    roofline = page.split("<h3>Roofline</h3>")[1].split("</figure>")[0]
    spots = [tuple(map(float, found)) for found in re.findall(r'<circle cx="([\d.]+)" cy="([\d.]+)"', roofline)]
    ours = [row for row in whole["rows"] if row["who"] == "lay"]
    expect(len(spots) == len(ours) == 3 and len(re.findall('class="spot"', roofline)) == 3, spots)
    facts = [(2 * row["m"] * row["n"] * row["k"] / 4 / sum(row[x] * row[y] for x, y in ("mk", "kn", "mn")),
              row["gflops"]) for row in ours]
    for axis in range(2):  # one step of the logarithm is the same length everywhere
        (a, b, c), (x, y, z) = [[math.log(fact[axis]) for fact in facts], [spot[axis] for spot in spots]]
        expect(abs((y - x) * (c - a) - (z - x) * (b - a)) < 0.2 * (abs(c - a) + abs(b - a)), axis, facts, spots)
    expect(all(row["roof_gbytes"] > 0 for row in whole["rows"]), whole["rows"][0])
    text = words(page)
    expect(f'memory gives {figure(ours[0]["roof_gbytes"])} GB/s' in text, text[:3000])
    bench("8", "--json=plain.json")
    expect(json.loads(read("plain.json"))["rows"][0]["roof_gbytes"] is None, "measured though nobody asked")
    bench("8", "--roof", "--json=plain.json")
    expect(json.loads(read("plain.json"))["rows"][0]["roof_gbytes"] > 0, "not measured")


def test_layouts_are_drawn_beside_their_figures():
    page, whole = make("48:matrix2", "48:matrix2,row,matrix2", "6:col")
    cards = page.split('<div class="card">')[1:]
    expect(len(cards) == 3, len(cards))
    for card, drawn, sizes in zip(cards, (1, 2, 1), ("48", "48", "6")):
        expect(card.count("<svg ") == drawn and f"</span> {sizes}<" in card, card[:300])
    expect("24 x 24" in cards[0] and ">30<" in cards[2], "no block or no offset")
    for row in whole["rows"]:
        expect(row["layout_a"].split(";")[0] in page, row["layout_a"])


def drawings(page):
    return re.findall("<svg .*?</svg>", page.split("<h2>Layouts")[1], re.S)


def test_saved_files_make_the_same_page():
    page, _ = make("8..32:x2", "9 matrix2", f"--csv={os.path.abspath('rows.csv')}")
    for name in ("json", "csv"):
        expect(bench_from(f"rows.{name}")[1] == "", name)
        made = read("from.html")
        expect(made.split("All figures")[1].split("</table>")[0].count("<tr") ==
               page.split("All figures")[1].split("</table>")[0].count("<tr"), name)
        expect(drawings(made) == drawings(page), name)
        expect(("does not say on which machine" in made) == (name == "csv"), name)
    expect(bench_from("rows.json", "rows.csv")[1] == "" and read("from.html").count("All figures") == 2, "two files")
    out = lay("bench", "--from=rows.json", "--html=-")
    expect(out[0] == 0 and out[1].startswith("<!DOCTYPE html>"), out)


def bench_from(*files, status=0):
    done = lay("bench", *[f"--from={file}" for file in files], "--html=from.html")
    expect(done[0] == status, files, done)
    return done


def test_every_kept_file_of_rows_makes_a_page():
    count = 0
    for path in sorted(RESULTS.glob("*.csv")):
        if path.read_text().startswith("problem,m,n,k,"):
            bench_from(path)
            Page(read("from.html"))
            count += 1
    expect(count > 20, count)


def test_texts_of_files_are_escaped():
    _, whole = make("8")
    whole["machine"] = "a <b> & c\n<script>alert(1)</script>"
    whole["warnings"] = ["<i>busy</i>"]
    whole["complete"] = False
    whole["rows"][0]["problem"] = "8 <u>row"
    whole["rows"][1]["who"] = "x</td><script>y"
    with open("odd.json", "w") as file:
        json.dump(whole, file)
    bench_from("odd.json")
    page = read("from.html")
    expect("<script" not in page and "<b>" not in page and "<i>" not in page and "<u>" not in page, "not escaped")
    expect("broke off" in page and "&lt;i&gt;busy" in page, "no warning")
    Page(page)


def test_figures_that_no_machine_has_end_in_a_page_all_the_same():
    _, whole = make("8", "16:matrix2")
    text = json.dumps(whole)
    for key, figures in (("gflops", (0, 1e300, 1e-300)), ("median_seconds", (1e-300, 1e300)), ("k", (0, 1e300)),
                         ("m", (0, 1e300)), ("peak_gflops", (1e300, 1e-300)), ("roof_gbytes", (1e-300, 1e300)),
                         ("speedup", (1e-300, 1e300)), ("type", ("f99",)), ("threads", ("many",)),
                         ("layout_a", ("[x", "[0][4]", "[3000000000][3000000000]", "[1000000:3][7:1]")),
                         ("problem", ("", "8")), ("who", ("",))):
        for figure in figures:
            whole = json.loads(text)
            for row in whole["rows"]:
                row[key] = figure
            with open("odd.json", "w") as file:
                json.dump(whole, file)
            bench_from("odd.json")
            page = read("from.html")
            Page(page)
            expect(not re.search(r'="[^"]*\b(nan|inf)\b', page), key, figure)


def refused(*words, about):
    status, out, said = lay("bench", *words)
    expect(status == 2 and out == "" and said.startswith("lay: ") and said.count("\n") == 1, words, status, out, said)
    expect(about in said, words, said, "without", about)


def test_what_cannot_be_made_is_refused():
    make("8")
    refused("--from=rows.json", about="--html")
    refused("--from=rows.json", "--html=a.html", "8", about="'8'")
    refused("--from=rows.json", "--html=a.html", "--type=f64", about="--type")
    refused("--from=none.json", "--html=a.html", about="none.json")
    refused("8", "--html=-", about="--html")
    refused("--report=errors", "--html=a.html", about="--html")
    with open("bad.json", "w") as file:
        file.write('{"rows": [{"problem": "8 row"}]}')
    refused("--from=bad.json", "--html=a.html", about="bad.json")
    expect(not os.path.exists("a.html"), "written all the same")
    status, _, said = lay("bench", "8", "--html=no/such/page.html", *QUICK)
    expect(status == 1 and "no/such/page.html" in said, status, said)


def test_a_run_that_breaks_off_leaves_a_page_of_what_there_was():
    bench("8", f"--against={PEER}", "--html=page.html")
    before = read("page.html")
    status, _, said = lay("bench", "8", f"--against={WRONG}", *QUICK, "--html=page.html")
    expect(status == 1 and "wrong product" in said, status, said)
    expect(read("page.html") != before, "the old page is still there")


def check_look(page):
    for row, width in zip(look(page), WIDTHS):
        expect(width - 20 <= row["width"] <= width and row["texts"] > 20 and not row["found"], row)


def test_nothing_overlaps_or_is_clipped_on_desk_and_phone():
    page, _ = make("8..128:x2", "200x8x90:matrix2,col,row", "37:tiles4", "--layouts=row,matrix1", "--type=f32,f64")
    check_look(page)
    for name in ("2026-11-22-h200-layouts.csv", "2026-11-23-zen4-tccg.csv", "2026-11-22-spr-squares.csv"):
        bench_from(RESULTS / name)
        check_look(read("from.html"))


def test_the_look_finds_what_is_wrong():
    page, _ = make("8", "16")
    spoilt = {"wider than the window": page.replace("</h1>", "</h1><div style='width:2000px'>wide</div>"),
              "clipped": page.replace("</h1>", "</h1><div style='overflow:hidden;width:50px;white-space:nowrap'>"
                                      "far too long for this</div>"),
              "on '": page.replace("</svg>", "<text x='60' y='60'>one</text><text x='62' y='61'>two</text></svg>", 1),
              "out of its drawing": page.replace("</svg>", "<text x='350' y='60'>far too long</text></svg>", 1)}
    for what, text in spoilt.items():
        for row in look(text):
            expect(any(what in found for found in row["found"]), what, row)


run(globals())
