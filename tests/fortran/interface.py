"""The module for Fortran has each function, constant and structure of layoutgemm.h, with the same arguments, in order.

interface.py HEADER MODULE
"""
import pathlib
import re
import sys

SCALARS = {"int": "integer(c_int)", "int64_t": "integer(c_int64_t)", "size_t": "integer(c_size_t)",
           "unsigned": "integer(c_int)", "char": "character(kind=c_char)", "float": "real(c_float)",
           "double": "real(c_double)"}
STRUCTURES = ("lay_options", "lay_product", "lay_plan_info", "lay_runs")
COMPLEX = {"lay_cgemm": "complex(c_float_complex)", "lay_zgemm": "complex(c_double_complex)"}
OPTIONAL = {("lay_desc_permute", "perm"), ("lay_desc_stride", "stride"), ("lay_plan_run_many", "c"),
            ("lay_plan_run_many", "d")}


def read_declarations(text):
    """[(name, type)] of lines such as "integer(c_int), value :: m, n(*)"; (*) and = value stay out of the name."""
    found = []
    for kind, names in re.findall(r"^\s*([a-z][^!\n]*?) :: ([^!\n]*)$", text, flags=re.M):
        for name in re.split(r", (?![^(]*\))", names):
            array = "(*)" if name.endswith("(*)") else ""
            found.append((name.split("(")[0].split(" =")[0].strip(), kind + array))
    return found


def translate(function, name, kind, enums):
    """The Fortran declaration of an argument or, where function is None, of a component."""
    base, stars = re.sub(r"const\b|[*\[\]]", " ", kind).split()[0], kind.count("*") + kind.count("[]")
    optional = ", optional" if (function, name) in OPTIONAL else ""
    value = ", value" if function else ""
    is_read = kind.startswith("const")
    if function in COMPLEX and name in ("alpha", "beta", "a", "b", "c"):
        array = "(*)" if len(name) == 1 else ""
        return f"{COMPLEX[function]}, intent({'in' if is_read else 'inout'}){array}"
    if base.endswith("_fn"):
        return "type(c_funptr)" + value
    if stars == 0:
        return ("integer(c_int)" if base in enums else SCALARS.get(base, base)) + value
    if not function:
        return "type(c_ptr)"
    if base in STRUCTURES:
        optional = ", optional" if base == "lay_options" else ""
        array = "(*)" if "[]" in kind else ""
        return f"type({base}), intent({'in' if is_read else 'inout'}){optional}{array}"
    if base == "char":
        return f"character(kind=c_char), intent({'in' if is_read else 'inout'})(*)"
    if stars == 2:  # what is made, or an array of addresses
        return f"type(c_ptr), intent(in){optional}(*)" if "[]" in kind else "type(c_ptr), intent(inout)"
    if base in enums:
        return "integer(c_int), intent(inout)"
    if base in SCALARS:
        is_array = is_read or base in ("float", "double")
        array = "(*)" if is_array else ""
        return f"{SCALARS[base]}, intent({'in' if is_read else 'inout'}){optional}{array}"
    return "type(c_ptr), value"


def split_argument(text):
    """("name", "type") of "const int64_t extents[]" or "char way[96]"."""
    found = re.match(r"(.*?)(\w+)(\[\d*\])?$", text.strip())
    return found[2], found[1].strip() + (found[3] or "")


def functions_of_header(text, enums):
    results = {"void": "subroutine", "const char *": "type(c_ptr) function"}
    for result, name, arguments in re.findall(r"LAY_API\s+([\w ]+?\*?)\s*(lay_\w+)\(([^;]*)\);", text):
        listed = [] if arguments == "void" else [split_argument(a) for a in re.sub(r"\s+", " ", arguments).split(",")]
        kind = "integer(c_int)" if result in enums else SCALARS.get(result)
        yield name, results.get(result, f"{kind} function"), [(n, translate(name, n, t, enums)) for n, t in listed]


def functions_of_module(text):
    for head, name, arguments, body in re.findall(
            r"^ *([\w() ]*function|subroutine) (lay_\w+)\(([^)]*)\) bind\(c\)\n(.*?)^ *end (?:function|subroutine)",
            text, flags=re.S | re.M):
        kinds = dict(read_declarations(body))
        yield name, head, [(a.strip(), kinds.get(a.strip())) for a in arguments.split(",") if a.strip()]


def structures_of_header(text, enums):
    for name in STRUCTURES:
        fields = []
        for line in re.search(rf"typedef struct {name} {{(.*?)}}", text, flags=re.S)[1].split(";"):
            if line.strip():
                first, *others = re.sub(r"\s+", " ", line.strip()).split(", ")
                field, kind = split_argument(first)
                fields += [(f.strip("* "), translate(None, f, kind, enums)) for f in [field, *others]]
        yield name, fields


def constants(text, is_module):
    """{name: value}, whatever enum they stand in; one without a value is the one after."""
    bodies = (re.findall(r"enumerator ::(.*?)end enum", text, flags=re.S) if is_module
              else re.findall(r"enum\s*\w*\s*{(.*?)}", text, flags=re.S))
    found = {}
    for body in bodies:
        value = -1
        for item in body.replace("&", "").split(","):
            name, _, given = item.partition("=")
            value = int(given) if given.strip() else value + 1
            found[name.strip()] = value
    return found


def compare(what, wanted, found):
    for name in sorted({*wanted, *found}):
        if wanted.get(name) != found.get(name):
            yield f"{what} {name}: {wanted.get(name)} in the header, {found.get(name)} in the module"


def main():
    header = re.sub(r"/\*.*?\*/", "", pathlib.Path(sys.argv[1]).read_text(), flags=re.S)
    module = re.sub(r"&\s*\n\s*", "", pathlib.Path(sys.argv[2]).read_text())
    enums = set(re.findall(r"typedef enum (\w+)", header))
    wanted = {name: rest for name, *rest in functions_of_header(header, enums)}
    found = {name: rest for name, *rest in functions_of_module(module)}
    wrong = list(compare("function", wanted, found))
    wrong += compare("constant", constants(header, False), constants(module, True))
    types = {name: read_declarations(re.search(rf"type, bind\(c\) :: {name}\n(.*?)end type", module, flags=re.S)[1])
             for name in STRUCTURES}
    wrong += compare("structure", dict(structures_of_header(header, enums)), types)
    print("\n".join(wrong) if wrong else f"{len(wanted)} functions, {len(constants(header, False))} constants, "
          f"{len(types)} structures, the same in header and module")
    return 1 if wrong or not wanted else 0


sys.exit(main())
