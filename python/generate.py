"""Writes ``kwhy/_types.py``: a class for each object of the JSON schemas in ``analyzer-cli/schema``.

``python generate.py`` writes the file, ``python generate.py --check`` checks that it is up to date.
"""

import json
import keyword
import sys
import textwrap
from pathlib import Path

HERE = Path(__file__).resolve().parent
SCHEMAS = HERE.parent / "analyzer-cli" / "schema"
OUT = HERE / "kwhy" / "_types.py"
ROOTS = {"report": "Report", "event": "Event", "record": "Record"}
HEAD = '''"""What kwhy finds, as classes. Written by ``generate.py`` from ``analyzer-cli/schema``."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar, Dict, FrozenSet, List, Literal, Mapping, Optional

from kwhy._struct import Struct
'''


def load():
    """Returns the definitions of all schemas by name."""
    known = {}
    for file, name in ROOTS.items():
        schema = json.loads((SCHEMAS / f"{file}.json").read_text())
        known.update(schema.pop("$defs"))
        known[name] = schema
    # records get a source too, which the package fills in
    source = {"description": "The document's name.", "type": "string"}
    known["Record"]["properties"]["source"] = source
    return known


def words(schema):
    """Returns the values of an enumeration of strings, or None if the schema is not one."""
    if "enum" in schema:
        return schema["enum"]
    choices = schema.get("oneOf", [])
    if choices and all("const" in choice for choice in choices):
        return [choice["const"] for choice in choices]
    return None


def merged(schema):
    """Returns an object schema with the members of all its variants, or None if the schema is not an object."""
    if "properties" in schema:
        return schema
    choices = schema.get("oneOf")
    if not choices or not all("properties" in choice for choice in choices):
        return None
    properties = {}
    for choice in choices:
        for name, member in choice["properties"].items():
            known = properties.setdefault(name, {k: v for k, v in member.items() if k != "const"})
            if "const" in member:
                known.setdefault("enum", []).append(member["const"])
    required = set.intersection(*(set(choice["required"]) for choice in choices))
    return {**schema, "properties": properties, "required": sorted(required)}


class Type:
    """The type of a member, and the expression that converts a JSON value to it."""

    def __init__(self, name, convert=None, default=None, optional=False):
        self.name, self.convert, self.default, self.optional = name, convert, default, optional


def type_of(schema, known):
    if "$ref" in schema:
        name = schema["$ref"].rsplit("/", 1)[1]
        target = known[name]
        if merged(target):
            return Type(name, f"{name}.from_dict({{}})")
        if words(target):
            return Type(name)
        return type_of(target, known)
    if "anyOf" in schema:
        inner = [each for each in schema["anyOf"] if each.get("type") != "null"]
        inner = type_of(inner[0], known)
        return Type(inner.name, inner.convert, optional=True)
    if words(schema):
        return Type("Literal[" + ", ".join(json.dumps(word) for word in words(schema)) + "]")
    kind = schema.get("type")
    if isinstance(kind, list):
        rest = [each for each in kind if each != "null"]
        inner = type_of({**schema, "type": rest[0]}, known)
        return Type(inner.name, inner.convert, optional=True)
    if kind == "array":
        inner = type_of(schema["items"], known)
        convert = inner.convert and f"[{inner.convert.format('each')} for each in {{}}]"
        return Type(f"List[{inner.name}]", convert, "list")
    if kind == "object":
        more = schema.get("additionalProperties", True)
        inner = type_of(more, known).name if isinstance(more, dict) else "Any"
        return Type(f"Dict[str, {inner}]", None, "dict")
    simple = {"string": "str", "integer": "int", "number": "float", "boolean": "bool"}
    return Type(simple[kind])


def comment(text):
    return "".join(f"    #: {line}\n" for line in textwrap.wrap(text, 104))


def struct(name, schema, known):
    """Returns the source of the class for an object schema."""
    required = schema.get("required", [])
    members = []
    for key, member in sorted(schema["properties"].items(), key=lambda it: it[0] not in required):
        kind = type_of(member, known)
        own = key + "_" if keyword.iskeyword(key) else key
        annotation, default = kind.name, ""
        if kind.optional:
            annotation = f"Optional[{annotation}]"
        if key not in required:
            if kind.default:
                default = f" = field(default_factory={kind.default})"
            elif kind.name == "bool":
                # parts of a time count as stated unless the JSON says otherwise
                default = f" = {key.endswith('_stated')}"
            else:
                annotation = annotation if kind.optional else f"Optional[{annotation}]"
                default = " = None"
        text = comment(member.get("description", ""))
        members.append((key, own, f"{text}    {own}: {annotation}{default}\n", kind, default))
    doc = schema.get("description", name)
    lines = [f'@dataclass\nclass {name}(Struct):\n    """{doc}"""\n\n']
    lines += [text for _, _, text, _, _ in members]
    named = sorted(required)
    lines.append("\n    _required: ClassVar[FrozenSet[str]] = frozenset(\n")
    lines.append(f"        {named}\n    )\n")
    renamed = {own: key for key, own, *_ in members if own != key}
    if renamed:
        lines.append(f"    _renamed: ClassVar[Mapping[str, str]] = {renamed}\n")
    lines.append("\n    @classmethod\n")
    lines.append(f'    def from_dict(cls, json: Mapping[str, Any]) -> "{name}":\n')
    lines.append('        """Makes it of JSON."""\n        get = json.get\n        return cls(\n')
    for key, own, _, kind, default in members:
        if key in required and not kind.optional:
            value = f'json["{key}"]'
            made = kind.convert.format(value) if kind.convert else value
        elif kind.default:
            made = f'get("{key}") or {"[]" if kind.default == "list" else "{}"}'
            made = kind.convert.format(f'(get("{key}") or [])') if kind.convert else made
        elif kind.convert:
            made = kind.convert.format(f'json["{key}"]')
            made = f'{made} if get("{key}") is not None else None'
        elif default == " = True" or default == " = False":
            made = f'get("{key}", {default[3:]})'
        else:
            made = f'get("{key}")'
        lines.append(f"            {own}={made},\n")
    lines.append("        )\n")
    return "".join(lines)


def main():
    known = load()
    objects = {name: merged(schema) for name, schema in known.items() if merged(schema)}
    used, open_ = set(), list(ROOTS.values())
    while open_:
        name = open_.pop()
        if name in used:
            continue
        used.add(name)
        text = json.dumps(known[name])
        open_ += [other for other in known if f'"#/$defs/{other}"' in text]
    parts = [HEAD]
    for name in sorted(used):
        if words(known[name]):
            values = ", ".join(json.dumps(word) for word in words(known[name]))
            lines = textwrap.fill(values, 104, initial_indent="    ", subsequent_indent="    ",
                                  break_on_hyphens=False)
            parts.append(f"{name} = Literal[\n{lines}\n]\n")
    structs = sorted(used & set(objects))
    for name in structs:
        parts.append(struct(name, objects[name], known))
    text = "\n\n\n".join(part.strip("\n") for part in parts) + "\n"
    if "--check" in sys.argv:
        return 0 if OUT.read_text() == text else "kwhy/_types.py is out of date: run generate.py"
    OUT.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
