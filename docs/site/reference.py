"""A header as a reference page: its sections, and each declaration with the comment above it."""
import re

ITEM = re.compile(r"/\*.*?\*/|^#(?:[^\n]*\\\n)*[^\n]*|[^\s/#][^;{]*(?:\{[^{}\n]*\}[^;{]*|\{.*?^\}[^;]*)?;|[^\n]",
                  re.S | re.M)
BOILERPLATE = re.compile(r"#\s*(if|ifdef|ifndef|endif|else|include|undef)\b|#define (LAY_API|TAPP_EXPORT|\w+_H_?)\b")
SPECIAL = re.compile(r"([*_\[\]<>#|$])")


def read_items(text):
    """(kind, text, whether it follows the one before without an empty line); kinds: comment, macro, code."""
    text = re.sub(r'^#ifdef __cplusplus\n(extern "C" \{|\})\n#endif\n', "", text, flags=re.M)
    end = 0
    for found in ITEM.finditer(text):
        part, gap = found[0], text[end:found.start()]
        if len(part) == 1:
            continue
        end = found.end()
        kind = "comment" if part.startswith("/*") else "macro" if part.startswith("#") else "code"
        if kind == "macro" and BOILERPLATE.match(part):
            continue
        if kind == "comment" and "\n" not in gap and end > 0 and gap.strip(" ") == "" and found.start() > 0:
            continue  # behind a declaration, on its line
        yield kind, part, "\n\n" not in gap


def read_comment(part):
    return re.sub(r"^ ?\* ?", "", re.sub(r"\s*\*/$", "", part)[2:], flags=re.M).strip("\n")


def write_prose(text):
    """Paragraphs; what is indented stays as it is."""
    out, kept = [], []
    def flush():
        if kept:
            out.append("\n```text\n" + "\n".join(kept).strip("\n") + "\n```\n")
            kept.clear()
    for line in text.splitlines():
        if line.startswith("  ") or (kept and (line.startswith(" ") or not line.strip())):
            kept.append(line)
        else:
            flush()
            out.append(SPECIAL.sub(r"\\\1", line.strip()))
    flush()
    return "\n".join(out) + "\n"


def write_code(part):
    """A function or a type, with an entry in the index; another declaration as it is."""
    plain = " ".join(re.sub(r"/\*.*?\*/", "", part, flags=re.S).split())
    plain = re.sub(r"\b(LAY_API|TAPP_EXPORT) ", "", plain).rstrip("; ")
    block = f"\n```c\n{part}\n```\n"
    if plain.startswith("typedef"):
        name = re.search(r"(\w+)(\(.*\))?$", plain)[1]
        return f"\n```{{eval-rst}}\n.. c:type:: {name}\n```\n{block}"
    if "{" not in plain and "(" in plain and "=" not in plain:
        return f"\n```{{eval-rst}}\n.. c:function:: {plain}\n```\n"
    return block


def write(path):
    """The page of a header, in Markdown."""
    out, is_first = [f"# {path.name}\n"], True
    pending = ""
    for kind, part, follows in read_items(path.read_text()):
        if kind == "comment":
            out.append(pending)
            text = read_comment(part)
            banner = re.match(r"\s*-{4} (.*?) -{2,}\s*(.*)", text, re.S)
            if banner:
                out.append(f"\n## {banner[1]}\n\n{write_prose(banner[2])}")
                pending = ""
            else:
                pending = "\n" + write_prose(text)
            if is_first:
                out.append(pending)
                pending, is_first = "", False
        elif kind == "macro":
            out.append(f"{pending}\n```c\n{part}\n```\n")
            pending = ""
        else:
            out.append(write_code(part))
            if pending:
                out.append(pending)
                pending = ""
    return "".join(out + [pending])
