"""The binary interface is the recorded one: functions, structures with their offsets, enumerators.

abi.py RECORD [--write] HEADER... -- COMPILER...

What the record has may neither go nor change; a structure that begins with its own size may grow at its tail. What is
new has to be recorded, too: --write does that, unless something that was there has changed. Offsets and values are what
a program that the compiler makes of the headers prints. Where abidiff is installed it compares two libraries, as well:
one of the record, one of the headers.
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile


def clean(headers):
    text = "\n".join(header.read_text() for header in headers)
    return re.sub(r"/\*.*?\*/|^\s*#(\\\n|.)*?$|\bextern \"C\" {", "", text, flags=re.S | re.M)


def squeeze(text):
    return re.sub(r"(?<!\() ?\* ?", " *", " ".join(text.split())).replace("* *", "**").strip()


def split(declarator):
    """("const lay_desc *", "a", "[3]") of "const lay_desc *a[3]", ("void (*)(int)", "f", "") of "void (*f)(int)"."""
    pointer = re.fullmatch(r"(.*\(\*)(\w+)(\)\(.*\))", squeeze(declarator))
    if pointer:
        return pointer[1] + pointer[3], pointer[2], ""
    found = re.fullmatch(r"(.*?)(\w+)((?:\[\w*\])*)", squeeze(declarator))
    return squeeze(found[1]), found[2], found[3]


def types_of(arguments):
    if squeeze(arguments) == "void":
        return "void"
    found = []
    for argument in re.split(r",(?![^(]*\))", arguments):
        kind, _, array = split(argument)
        found.append(squeeze(kind + " *") if array else kind)
    return ", ".join(found)


def fields_of(body):
    for line in body.split(";"):
        if "(*" in line:
            yield split(line)
        elif line.strip():
            first, *others = squeeze(line).split(", ")
            kind, name, array = split(first)
            yield kind, name, array
            for other in others:
                stars, name, array = split(other)
                yield squeeze(kind.rstrip("* ") + " " + stars), name, array


def read_headers(text):
    """Lines of the record without numbers, by what they are: what a program is to print the numbers of."""
    enums = re.findall(r"(?:typedef )?enum\s*(\w*)\s*{(.*?)}", text, flags=re.S)
    structures = re.findall(r"typedef struct (\w+) {(.*?)} \1;", text, flags=re.S)
    opaque = [name for name in re.findall(r"typedef struct (\w+) \1;", text) if name not in dict(structures)]
    callbacks = re.findall(r"typedef ([\w ]+?\*?)\s*(lay_\w+_fn)\((.*?)\);", text, flags=re.S)
    functions = re.findall(r"LAY_API\s+([\w ]+?\*?)\s*(\w+)\(([^;]*)\);", text)
    return enums, structures, opaque, callbacks, functions


def record_of(headers, compiler, folder):
    enums, structures, opaque, callbacks, functions = read_headers(clean(headers))
    lines = [f"opaque {name}" for name in opaque]
    lines += [f"callback {name} {squeeze(result)} ({types_of(arguments)})" for result, name, arguments in callbacks]
    lines += [f"function {name} {squeeze(result)} ({types_of(arguments)})" for result, name, arguments in functions]
    prints = []
    for name, body in enums:
        for item in body.split(","):
            value = item.split("=")[0].strip()
            if value:
                prints.append(f'printf("value {name or "-"} {value} %lld\\n", (long long){value});')
    for name, body in structures:
        prints.append(f'printf("structure {name} %zu\\n", sizeof({name}));')
        for kind, field, array in fields_of(body):
            at, size = f"offsetof({name}, {field})", f"sizeof((({name} *)0)->{field})"
            prints.append(f'printf("field {name} {field} %zu %zu {kind}{array}\\n", {at}, {size});')
    source, program = pathlib.Path(folder, "offsets.c"), pathlib.Path(folder, "offsets")
    includes = "".join(f'#include "{header.resolve()}"\n' for header in headers)
    source.write_text(f"#include <stdio.h>\n{includes}int main(void)\n{{\n" + "\n".join(prints) + "\nreturn 0;\n}\n")
    subprocess.run([*compiler, str(source), "-o", str(program)], check=True)
    return lines + subprocess.run([program], check=True, capture_output=True, text=True).stdout.splitlines()


def key_of(line):
    words = line.split()
    return tuple(words[:3] if words[0] in ("field", "value") else words[:2])


def compare(old, new):
    """What of the old lines is gone or changed; and what is new."""
    was, now = ({key_of(line): line for line in lines} for lines in (old, new))
    grows = {key[1] for key in was if key[0] == "field" and key[2] == "struct_size" and was[key].split()[3] == "0"}
    sizes = {key[1]: int(line.split()[2]) for key, line in was.items() if key[0] == "structure"}
    broken, added = [], [line for line in new if key_of(line) not in was]
    for key, line in was.items():
        found = now.get(key)
        if found is None:
            broken.append(f"gone: {line}")
        elif found != line and not (key[0] == "structure" and key[1] in grows and
                                    int(found.split()[2]) > sizes[key[1]]):
            broken.append(f"was: {line}\nis:  {found}")
        elif found != line:
            added.append(found)
    for line in added:
        words = line.split()
        if words[0] == "field" and words[1] in sizes and (words[1] not in grows or int(words[3]) < sizes[words[1]]):
            broken.append(f"not at the tail of a structure that begins with its size: {line}")
    return broken, added


def declare(record):
    """C that has what the record has."""
    lines = ["#include <stddef.h>", "#include <stdint.h>"]
    of = {"value": {}, "field": {}}
    for line in record:
        words = line.split(None, 2)
        if words[0] in of:
            of[words[0]].setdefault(words[1], []).append(words[2])
    lines += [f"typedef struct {line.split()[1]} {line.split()[1]};" for line in record
              if line.startswith(("opaque", "structure"))]
    for name, values in of["value"].items():
        body = ", ".join(" = ".join(value.split()) for value in values)
        lines.append(f"enum {{ {body} }};" if name == "-" else f"typedef enum {name} {{ {body} }} {name};")
    for line in record:
        if line.startswith("callback"):
            _, name, rest = line.split(None, 2)
            lines.append(f"typedef {rest.replace('(', name + '(', 1)};")
    for name, fields in of["field"].items():
        body = " ".join(map(declare_field, fields))
        lines.append(f"struct {name} {{ {body} }};")
    return lines


def declare_field(text):
    name, _, _, kind = text.split(None, 3)
    if "(*)" in kind:
        return kind.replace("(*)", f"(*{name})") + ";"
    array = re.search(r"(?:\[\w*\])*$", kind)[0]
    return f"{kind[:len(kind) - len(array)]} {name}{array};"


def define(functions):
    return [f"{result} {name}({arguments}) {{ __builtin_trap(); }}" for name, result, arguments in functions]


def build(source, library, compiler):
    path = library.with_suffix(".c")
    path.write_text("\n".join(source) + "\n")
    subprocess.run([*compiler, "-g", "-w", "-shared", "-fPIC", str(path), "-o", str(library)], check=True)
    return library


def ask_abidiff(record, headers, compiler, folder):
    """"" or what abidiff has to say."""
    recorded = [re.fullmatch(r"function (\w+) (.*?) \((.*)\)", line).groups() for line in record
                if line.startswith("function")]
    declared = [(name, result, arguments) for result, name, arguments in read_headers(clean(headers))[4]]
    old = build(declare(record) + define(recorded), pathlib.Path(folder, "old.so"), compiler)
    new = build([f'#include "{header.resolve()}"' for header in headers] + define(declared),
                pathlib.Path(folder, "new.so"), compiler)
    done = subprocess.run(["abidiff", old, new], capture_output=True, text=True)
    return done.stdout + done.stderr if done.returncode else ""


def check_comparison(record):
    """It finds what is to be found."""
    assert compare(record, record) == ([], [])
    function = next(line for line in record if line.startswith("function lay_copy "))
    value = next(line for line in record if line.startswith("value lay_type LAY_F64 "))
    field = next(line for line in record if line.startswith("field lay_options isa "))
    size = next(line for line in record if line.startswith("structure lay_options "))
    larger = f"structure lay_options {int(size.split()[2]) + 8}"
    for line, other in ((function, None), (value, value.replace("1", "2")), (field, field.replace(" int", " unsigned")),
                        (field, field.replace(" 4 ", " 8 ")), (size, "structure lay_options 8")):
        changed = [other if it == line else it for it in record if other or it != line]
        assert changed == record or compare(record, changed)[0], line
    for tail, breaks in ((size.split()[2], False), ("20", True)):
        longer = [larger if it == size else it for it in record] + [f"field lay_options more {tail} 8 double"]
        assert bool(compare(record, longer)[0]) == breaks, tail


def main():
    at = sys.argv.index("--")
    words, compiler = [word for word in sys.argv[1:at] if word != "--write"], sys.argv[at + 1:]
    place, headers = pathlib.Path(words[0]), [pathlib.Path(word) for word in words[1:]]
    record = place.read_text().splitlines() if place.exists() else []
    with tempfile.TemporaryDirectory() as folder:
        now = record_of(headers, compiler, folder)
        broken, added = compare(record, now)
        if "--write" in sys.argv and not broken:
            place.write_text("\n".join(now) + "\n")
            return 0
        said = broken + [f"not recorded: {line}" for line in added]
        has_abidiff = shutil.which("abidiff") is not None
        if not said and has_abidiff:
            differs = ask_abidiff(record, headers, compiler, folder)
            said += [differs] if differs else []
            other = [line.replace("LAY_F64 1", "LAY_F64 9") for line in record]
            said += [] if ask_abidiff(other, headers, compiler, folder) else ["abidiff overlooks another enumerator"]
    if not said:
        check_comparison(record)
    print("\n".join(said) if said else f"{len(record)} lines, as recorded; abidiff "
          + ("agrees" if has_abidiff else "is not installed (package abigail-tools)"))
    return 1 if said else 0


sys.exit(main())
