"""What lay show draws: on terminals, as SVG, as PNG.

usage: drawings.py LAY
"""

import collections
import fcntl
import os
import re
import struct
import termios
import xml.etree.ElementTree as xml
import zlib

from tap import LAY, expect, lay, open_terminal, run

BLOCKS = "A=[2][2][2][3]; [[#A_0][#A_2]][[#A_1][#A_3]]"
PANELS = "A=[2][4][3]; [#A_1][[#A_0][#A_2]]"
PADDED = "S=[4][7]; [#S_0][6#S_1]"
SVG = "{http://www.w3.org/2000/svg}"
SMALL = ["[4][6]", "[4:1][6:4]", BLOCKS, PANELS, PADDED, "[[2:1][2:6]][3:2]", "[3:-5][4:1]", "[5]", "[2][3][4]",
         "[64:0][4:1]", "T=[4][6]; [5@1[2][3]#T_1]", "[1][1]",
         "T=[4][6]; U=[[2][2]#T_0][[3][2]#T_1]; [[#U_0_0][#U_1_0]][[#U_0_1][#U_1_1]]"]
ODD = ["[0][4]", "[9223372036854775807:0]", "[3000000000][3000000000]", "[2:9223372036854775807]",
       "[2:-9223372036854775807]", "[1000000:3][7:1]", "[[[[2]]]]", "A=[4096][4096]; [#A_1][4000@3#A_0]", "[2]" * 60,
       "[" * 60 + "3" + "]" * 60, "[1024:64][64:1]"]


def drawn(text, *options, width=None, lines="C.UTF-8", **more):
    """The drawing on a terminal that is none."""
    environment = {key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "COLUMNS", "LC_ALL")}
    environment.update({"LC_ALL": lines, **({"COLUMNS": str(width)} if width else {}), **more})
    status, out, said = lay("show", text, "--term", *options, env=environment)
    expect(status == 0 and said == "", text, options, status, said)
    return out


def picture(text, *options):
    """The root of the SVG."""
    status, out, said = lay("show", text, "--svg", "-", *options)
    expect(status == 0 and said == "", text, options, status, said)
    return xml.fromstring(out)


def offsets(text):
    """Rows of offsets, from the tables."""
    lines = lay("show", text)[1].split("offsets\n")[1].splitlines()
    return [[int(word) for word in line.split()] for line in lines if not line.startswith("block")]


def of_class(root, name, kind):
    return [shape for shape in root.iter(SVG + kind) if shape.get("class") == name]


def numbers(shape, *names):
    return [float(shape.get(name)) for name in names]


def points(line):
    return [tuple(map(float, point.split(","))) for point in line.get("points").split()]


def place_elements(root):
    """{(row, column): box}, by where the boxes of elements are."""
    boxes = [numbers(box, "x", "y", "width", "height") for box in of_class(root, "element", "rect")]
    rows, columns = sorted({box[1] for box in boxes}), sorted({box[0] for box in boxes})
    return {(rows.index(box[1]), columns.index(box[0])): box for box in boxes}


def find(places, point):
    """The element that a point is in."""
    return next(index for index, (x, y, wide, high) in places.items()
                if x < point[0] < x + wide and y < point[1] < y + high)


def test_numbers_of_an_svg_are_the_offsets_of_their_elements():
    for text in SMALL:
        root, told = picture(text), offsets(text)
        places, seen = place_elements(root), {}
        for number in of_class(root, "offset", "text"):
            seen[find(places, numbers(number, "x", "y"))] = int(number.text)
        expect(seen == {(i, j): offset for i, row in enumerate(told) for j, offset in enumerate(row)}, text, seen)


def test_the_line_visits_elements_in_the_order_of_memory():
    for text in SMALL:
        root, told = picture(text), offsets(text)
        places, steps = place_elements(root), []
        for name in ("visit", "jump"):
            for line in of_class(root, name, "polyline"):
                path = [find(places, point) for point in points(line)]
                path = [told[i][j] for i, j in path]
                steps += [(name, a, b) for a, b in zip(path, path[1:])]
        order = sorted({offset for row in told for offset in row})
        wanted = [("visit" if b == a + 1 else "jump", a, b) for a, b in zip(order, order[1:])]
        expect(sorted(steps) == sorted(wanted), text, steps)


def test_storage_has_a_run_for_each_block_and_gaps_between():
    def runs(text):
        root = picture(text)
        return [numbers(box, "x", "width") for box in of_class(root, "run", "rect")], of_class(root, "gap", "rect")[0]
    boxes, strip = runs(PADDED)
    unit = float(strip.get("width")) / 27
    expect([round((x - float(strip.get("x"))) / unit) for x, _ in boxes] == [0, 7, 14, 21], boxes)
    expect([round(wide / unit) for _, wide in boxes] == [6] * 4, boxes)
    expect(len(runs(BLOCKS)[0]) == 4 and len(runs("[4][6]")[0]) == 1)


def colours(root):
    """{(row, column): colour}"""
    places = place_elements(root)
    return {find(places, (x + 1, y + 1)): box.get("fill") for box in of_class(root, "element", "rect")
            for x, y in [numbers(box, "x", "y")]}


def test_colours_are_those_of_blocks_lines_pages_and_banks():
    def groups(text, by, *options):
        root = picture(text, f"--by={by}", *options)
        places = place_elements(root)
        told = {find(places, numbers(text, "x", "y")): int(text.text) for text in of_class(root, "group", "text")}
        kinds = collections.defaultdict(set)
        for index, group in told.items():
            kinds[group].add(colours(root)[index])
        expect(all(len(some) == 1 for some in kinds.values()), text, by, kinds)
        return told
    blocks = colours(picture(BLOCKS))
    expect(len({blocks[i // 2 * 2, j // 3 * 3] for i in range(4) for j in range(6)}) == 4, blocks)
    expect(all(blocks[i, j] == blocks[i // 2 * 2, j // 3 * 3] for i, j in blocks), blocks)
    for text, by, options, group in (
            ("[8][8]", "line", (), lambda offset: offset // 16),
            ("[8][8]", "line", ("--type=f64",), lambda offset: offset // 8),
            ("[6:1][4:1024]", "page", (), lambda offset: offset // 1024),
            ("[16:17][16:1]", "bank", (), lambda offset: offset % 32),
            ("[16:17][16:1]", "bank", ("--type=f64",), lambda offset: 2 * offset % 32),
            ("[8:16][16:1]", "bank", ("--type=bf16",), lambda offset: offset // 2 % 32),
            ("[4:-8][8:-1]", "line", (), lambda offset: offset // 16),
            ("[4:-9][8:-1]", "bank", (), lambda offset: offset % 32)):
        told = offsets(text)
        expect(groups(text, by, *options) == {(i, j): group(offset) for i, row in enumerate(told)
                                              for j, offset in enumerate(row)}, text, by, options)


def test_places_have_colours_and_numbers_of_their_own():
    text = "P=(2)(2); A=[2][2][2][2]; [7[#A_0][#P_0][#A_1]][[#A_2][#P_1][#A_3]]"
    owners = [[i // 2 % 2 * 2 + j // 2 % 2 for j in range(8)] for i in range(7)]
    printed = lay("show", text)[1].split("a copy of each element\n")[1].splitlines()
    expect([list(map(int, line.split())) for line in printed] == owners, printed)
    root = picture(text)
    places = place_elements(root)
    told = {find(places, numbers(word, "x", "y")): int(word.text) for word in of_class(root, "group", "text")}
    expect(told == {(i, j): owner for i, row in enumerate(owners) for j, owner in enumerate(row)}, told)
    expect(len(set(colours(root).values())) == 4, colours(root))
    large = drawn("P=(4); A=[256][1024]; [[#P_0][#A_0]][#A_1]")
    expect(all(f"at {place} from 0" in large for place in range(4)), large)


def groups_of(text, title):
    """Rows of numbers of a terminal's matrix below a title."""
    below = text.split(title)[1].split("i\\j")[1].splitlines()[1:]
    rows = []
    for line in below:
        if not line:
            break
        words = [int(word) for word in re.findall(r"\d+", line)]
        if words:
            rows.append(words[1:])
    return rows


def test_threads_hold_what_the_kernel_gives_them():
    for layout in ("row", "matrix2"):
        out = drawn(f"1024x1024:{layout}", "--by=thread", "--kernel=parray", width=200, lines="C")
        sums, tile = groups_of(out, "as C:"), groups_of(out, "as A:")
        expect(len(sums) == 16 and all(row == [j // 2 for j in range(len(row))] for row in sums), sums)
        expect(tile == [[p // 8 * 32 + i % 4 * 8 + p % 8 for p in range(32)] for i in range(16)], tile)
        expect("threads 96 .. 127" in out, out)
    tile = groups_of(drawn("1024x1024:col", "--by=thread", "--kernel=parray", width=200, lines="C"), "as A:")
    expect(tile == [[p * 4 + i // 4 for p in range(32)] for i in range(16)], tile)


def cover(out):
    return max(map(len, out.splitlines()))


def test_lines_keep_within_the_window():
    for text in SMALL + ODD + ["1024:matrix2", "100x3000x50:tiles64,col,padded"]:
        for width in (40, 80, 200):
            out = drawn(text, width=width)
            expect(cover(out) <= width, text, width, cover(out))
    for width in (1, 7, 12):
        expect(cover(drawn("1024:matrix2", width=width)) <= width, width)
    expect("10" in drawn("[16][16]", width=200).split("i\\j")[1].splitlines()[0])
    expect(drawn(BLOCKS, width="many") == drawn(BLOCKS) == drawn(BLOCKS, width=0))


def on_a_terminal(*arguments, width=80, **changes):
    """What a terminal gets of lay's output, and of its complaints."""
    main, worker = open_terminal()
    fcntl.ioctl(worker, termios.TIOCSWINSZ, struct.pack("HHHH", 24, width, 0, 0))
    environment = {key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "COLUMNS", "LC_ALL")}
    child = os.fork()
    if child == 0:
        for file in (1, 2):
            os.dup2(worker, file)
        os.execve(LAY, ["lay", *arguments], {**environment, "TERM": "xterm-256color", "LC_ALL": "C.UTF-8", **changes})
    os.close(worker)
    shown = b""
    try:
        while part := os.read(main, 4096):
            shown += part
    except OSError:  # the other end is closed
        pass
    os.close(main)
    os.waitpid(child, 0)
    return shown.decode().replace("\r\n", "\n")


def test_a_terminal_gets_colours_and_drawings_in_its_width():
    for width in (40, 80):
        shown = on_a_terminal("show", "[64][64]", width=width)
        bare = re.sub(r"\033\[[0-9;]*m", "", shown)
        expect("\033[30;48;5;" in shown and "├─ 0 [64:64]" in bare, shown)
        expect(width // 2 < cover(bare) <= width, width, cover(bare))
    for plain in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
        shown = on_a_terminal("show", BLOCKS, **plain)
        expect("\033" not in shown and shown == drawn(BLOCKS, width=80), plain, shown)
    expect("\033" in on_a_terminal("show", BLOCKS, NO_COLOR=""))
    expect("\033" not in drawn(BLOCKS))


def test_without_utf_8_lines_are_letters():
    out = drawn(BLOCKS, lines="C")
    expect(out.isascii() and "6- 7- 8" in out and "2# 6" in out, out)
    expect("6─ 7─ 8" in drawn(BLOCKS) and "2║ 6" in drawn(BLOCKS))


def test_gaps_are_seen_on_a_terminal():
    out = drawn(PADDED, lines="C")
    expect("storage ######.######.######.######\n" in out and re.search(r"^gaps +3 ", out, re.M), out)


def test_large_layouts_are_blocks_and_a_corner():
    out = drawn("1024x1024:matrix2", width=80)
    for words in ("512 x 512", "from 262144", "from 786432", "the elements from index (0, 0) on", "1024─1025"):
        expect(words in out, words, out)
    root = picture("1024x1024:matrix1")
    expect([text.text for text in of_class(root, "from", "text")] == [f"from {262144 * i}" for i in range(4)])
    expect([text.text for text in of_class(root, "block", "text")] == ["1024 x 256"] * 4)
    out = drawn("1000x1000:tiles64", width=80)
    expect("64 x 64" in out and "rows of blocks: 16, of which 8 are drawn" in out, out)
    out = drawn("A=[8][8][8][8][64][64]; [[#A_0][#A_2][#A_4]][[#A_1][#A_3][#A_5]]", width=200)
    expect("512 x 512" in out and "each is made of blocks of 64 x 64" in out, out)


def test_owners_have_blocks_of_rows_and_columns():
    for layout, grid in (("12x10:row", (2, 3)), ("7x5:col", (2, 2)), ("9x8:[9:8][8:1]", (4, 1)), ("2x2:row", (4, 4))):
        size = tuple(map(int, layout.split(":")[0].split("x")))
        step = [-(-size[i] // grid[i]) for i in range(2)]
        root = picture(layout, "--by=owner", f"--grid={grid[0]}x{grid[1]}")
        places = place_elements(root)
        told = {find(places, numbers(text, "x", "y")): int(text.text) for text in of_class(root, "group", "text")}
        expect(told == {(i, j): i // step[0] * grid[1] + j // step[1] for i in range(size[0]) for j in range(size[1])},
               layout, told)
    out = drawn("1024x1024:matrix2", "--by=owner", "--grid=2x4", width=80)
    expect(all(f"owner {i} " in out for i in range(8)) and "owner 8" not in out and "512 x 256" in out, out)
    expect("2 x 2 threads" in "".join(text.text for text in picture("4x4:row", "--by=owner").iter(SVG + "text")))
    for words in (("--grid=2x2",), *(("--by=owner", f"--grid={grid}") for grid in ("2", "0x2", "x"))):
        refused("[4][4]", *words, about="--grid")
    refused("[4]", "--by=owner", about="matrix")


def test_a_part_of_a_large_layout_is_drawn_from_any_index_on():
    root = picture("1024x1024:matrix2", "--zoom=508,510")
    places = place_elements(root)
    told = {find(places, numbers(text, "x", "y")): int(text.text) for text in of_class(root, "offset", "text")}
    def offset(i, j):
        return (i // 512 * 2 + j // 512) * 512 * 512 + i % 512 * 512 + j % 512
    expect(told == {(i, j): offset(508 + i, 510 + j) for i in range(8) for j in range(8)}, told)
    indices = [int(text.text) for text in of_class(root, "index", "text") if text.text.isdigit()]
    expect(indices[-16:] == [*range(510, 518), *range(508, 516)], indices)
    out = drawn("1024x1024:matrix2", "--zoom=1020,1020", width=80)
    expect("1023 1048572─1048573" in out, out)
    out = drawn("[2][600][600]", "--zoom=600,0", width=80)
    expect(" 1,0 360000─360001" in out, out)
    for zoom, about in (("1024,0", "1024 rows"), ("0,1024", "1024 columns"), ("5", "--zoom"), ("-1,0", "--zoom")):
        refused("1024x1024:row", "--term", f"--zoom={zoom}", about=about)


def test_names_alone_and_contractions_are_drawn_too():
    expect(drawn("tiles3x2").startswith("6x4:tiles3x2 is ") and drawn("col").startswith("8x8:col is "))
    out = drawn("ik,kj->ij:i=4,j=5,k=8")
    expect("4 x 8, 32 elements" in out and "8 x 5, 40" in out and "4 x 5, 20" in out, out)


def overlaps(a, b):
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def test_every_svg_is_well_formed_and_no_text_lies_on_another():
    for text in SMALL + ODD + ["64x48x40:tiles8,col,reversed", "1024:matrix1"]:
        root = picture(text)
        wide, high = numbers(root, "width", "height")
        boxes = []
        for one in root.iter(SVG + "text"):
            x, y, size = numbers(one, "x", "y", "font-size")
            length = 0.602 * size * len(one.text)
            x -= length * {None: 0, "middle": 0.5, "end": 1}[one.get("text-anchor")]
            boxes.append((x, y - 0.75 * size, x + length, y + 0.2 * size, one.text))
        for i, box in enumerate(boxes):
            expect(0 <= box[0] and box[2] <= wide and 0 <= box[1] and box[3] <= high, text, box, wide, high)
            for other in boxes[max(0, i - 400):i]:
                expect(not overlaps(box, other), text, box, other)


def test_an_svg_needs_nothing_else():
    status, out, _ = lay("show", "64x48x40:tiles8,col,reversed", "--svg", "-")
    expect(status == 0 and "href" not in out and "<style" not in out and "<script" not in out)
    expect(out.count("http") == 1, out[:400])
    expect(re.search(r'<rect width="\d+" height="\d+" rx="6" fill="#ffffff"/>', out), out[:400])


def test_a_png_is_one_with_the_right_checks():
    for text in SMALL[:6] + ["1024:matrix2"]:
        status, _, said = lay("show", text, "--png", "a.png", "--svg", "a.svg")
        expect(status == 0 and said == "", text, said)
        data, at, chunks = open("a.png", "rb").read(), 8, {}
        expect(data[:8] == b"\x89PNG\r\n\x1a\n", text)
        while at < len(data):
            length, name = struct.unpack(">I4s", data[at:at + 8])
            check = struct.unpack(">I", data[at + 8 + length:at + 12 + length])[0]
            expect(check == zlib.crc32(data[at + 4:at + 8 + length]), text, name)
            chunks[name] = data[at + 8:at + 8 + length]
            at += 12 + length
        wide, high = struct.unpack(">II", chunks[b"IHDR"][:8])
        rows = zlib.decompress(chunks[b"IDAT"])
        root = xml.parse("a.svg").getroot()
        expect([wide / 2, high / 2] == numbers(root, "width", "height") and len(rows) == high * (wide + 1), text)
        expect(max(rows) < len(chunks[b"PLTE"]) // 3 and len(set(rows)) > 4, text)


def read_png(path):
    """Rows of colours' numbers."""
    data, at, packed = open(path, "rb").read(), 8, b""
    while at < len(data):
        length, name = struct.unpack(">I4s", data[at:at + 8])
        if name == b"IHDR":
            wide = struct.unpack(">I", data[at + 8:at + 12])[0]
        packed += data[at + 8:at + 8 + length] if name == b"IDAT" else b""
        at += 12 + length
    rows = zlib.decompress(packed)
    return [rows[first + 1:first + 1 + wide] for first in range(0, len(rows), wide + 1)]


def test_a_png_has_a_margin_at_its_right():
    for text, by in (("[3:-1][4:0]", "block"), ("[4][4]", "owner"), (BLOCKS, "bank"), ("[2][2]", "line")):
        expect(lay("show", text, "--by", by, "--png", "a.png")[0] == 0, text)
        expect(all(set(row[-16:]) == {row[-1]} for row in read_png("a.png")), text, by)


def test_a_layout_over_places_has_a_storage_a_place():
    for options in ([], ["--by=owner"]):
        root = picture("P=(2)(2); A=[4][4]; [[#P_0][#A_0]][[#P_1][#A_1]]", *options)
        expect("injective" not in xml.tostring(root, "unicode"), options)
        expect([word.text for word in of_class(root, "storage", "text")] ==
               ["storage of 4 places, side by side", "0", "15"], options)
    expect("not shown to be injective" in xml.tostring(picture("[3:-1][4:0]"), "unicode"))


def test_odd_layouts_are_drawn_too():
    for text in ODD:
        drawn(text)
        status, _, said = lay("show", text, "--svg", "a.svg", "--png", "a.png")
        expect(status == 0 or (status == 2 and "too many points" in said), text, status, said)


def test_a_matrix_and_a_problem_of_a_bench_are_drawn():
    expect("[6:1][4:6]" in drawn("6x4:col") and "normal form [4][6]" in drawn("4x6"))
    out = lay("show", "4x6x8:row,col,tiles2")[1]
    expect([line[0] for line in out.splitlines() if " of 4x6x8 " in line] == ["A", "B", "C"], out)
    expect("A, B, C of 8 col" in drawn("8:col"))
    alike = {drawn(text).split("\n", 1)[1] for text in ("6 4 col", "6x4:col", "[6:1][4:6]")}
    expect(len(alike) == 1, alike)


def refused(*arguments, about, status=2, **keywords):
    got, out, said = lay("show", *arguments, **keywords)
    expect(got == status and out == "" and about in said and said.startswith("lay: "), arguments, got, out, said)
    return said


def test_a_caret_stands_below_the_mistake():
    def lines(text, **keywords):
        said = refused(text, about="at character", **keywords).splitlines()
        expect(len(said) == 3 and said[2].strip() == "^", said)
        return said[1], said[2].index("^")
    line, at = lines("[4][6")
    expect(line == "  [4][6" and at == len(line), line, at)
    line, at = lines("A=[4][6];\n\t[#A_0][7#A_1]")
    expect(line == "   [#A_0][7#A_1]" and line[at] == "[", line, at)
    line, at = lines("[4]é[x")
    expect(line[at] == "é", line, at)
    for width in (20, 40, 200):
        line, at = lines("[1]" * 90 + "x" + "[1]" * 90, env=dict(os.environ, COLUMNS=str(width)))
        expect(len(line) <= width and line[at] in "[x", width, line, at)
    line, at = lines("4x6:[4:1][6:4")
    expect(line == "  [4:1][6:4" and at == len(line), line)


def test_what_cannot_be_drawn_is_refused():
    refused("tiles", about="'tiles'")
    refused("colour", about="'colour'")
    refused("ik,kj->ij:i=2", about="'ik,kj->ij:i=2'")
    refused("4x6:diagonal", about="'diagonal'")
    refused("4x6:[2][2]", about="4 x 6")
    refused("5x6x7:row,col", about="one layout or three")
    refused("[4]", "--by=colour", about="'colour'")
    refused("[4]", "--type=f8", about="'f8'")
    refused("[4][4]", "--by=thread", about="--kernel")
    refused("[4][4]", "--kernel=parray", about="--by=thread")
    refused("[4][4]", "--by=thread", "--kernel=simt", about="'simt'")
    refused("[4][4]", "--by=thread", "--kernel=parray", "--type=f16", about="f16")
    refused("[4]", "--by=thread", "--kernel=parray", about="matrix")
    refused("[4]", "--by=owner", about="1 dimension\n")
    refused("[2][3][4]", "--by=owner", about="3 dimensions\n")
    refused("[4]", "--svg", "nowhere/a.svg", about="nowhere/a.svg")
    refused("[4]", "--svg", ".", about=".:")
    refused("[4]", "--svg", "a", "--png", "a", about="both")
    refused("[4]", "--svg", "-", "--term", about="standard output")
    if os.path.exists("/dev/full"):
        refused("[4]", "--svg", "/dev/full", about="/dev/full", status=1)
        refused("[4]", "--png", "/dev/full", about="/dev/full", status=1)


def test_a_picture_is_not_written_to_a_terminal():
    shown = on_a_terminal("show", "[4]", "--png", "-")
    expect("terminal" in shown and len(shown) < 200, shown)


run(globals())
