"""Imports run one way, heavy libraries stay in their layer, and the command line starts without them."""

from __future__ import annotations

import ast
import importlib.util
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import appliance

PACKAGE = Path(appliance.__file__).parent
# From the top down; a layer imports itself and those below it, never a neighbour.
LAYERS = (
    {"cli"},
    {"review"},
    {"pipeline"},
    {"audits", "judges", "store", "reports"},
    {"records", "probes", "prompts", "statistics"},
    {"config"},
    {"domain"},
    {"errors"},
)
# Libraries that only one part of the package may import.
KEPT_IN = {
    "click": ("cli",),
    "sqlite_utils": ("store",),
    "vllm": ("judges",),
    "outlines": ("judges",),
    "llguidance": ("judges",),
    "torch": ("judges",),
    "gguf": ("judges",),
    "statsmodels": ("statistics",),
    "scipy": ("statistics",),
}
HEAVY = ("pydantic", "transformers", "numpy", "jinja2", "outlines", "vllm", "torch", "sqlite_utils", "scipy")


def modules() -> Iterator[tuple[str, Path, ast.Module]]:
    """Part of the package, path, syntax tree."""
    for path in sorted(PACKAGE.rglob("*.py")):
        part = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
        yield part, path, ast.parse(path.read_text(encoding="utf-8"))


def imported(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Line and full name of every import, wherever it stands: `from a import b` names a.b."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"line {node.lineno}: a relative import hides its layer"
            yield from ((node.lineno, f"{node.module}.{alias.name}") for alias in node.names)


def height(part: str) -> int:
    return next(i for i, layer in enumerate(LAYERS) if part in layer)


def may_import(importer: str, part: str) -> bool:
    return importer == part or height(part) > height(importer)


def test_every_part_of_the_package_has_its_layer() -> None:
    known = set().union(*LAYERS) | {"__init__"}
    assert {part for part, _, _ in modules()} <= known


def test_imports_run_one_way() -> None:
    wrong = []
    for part, path, tree in modules():
        for line, name in imported(tree):
            first, *rest = name.split(".")
            if first != "appliance" or part == "__init__" or rest[:1] in ([], ["__version__"]):
                continue
            if not may_import(part, rest[0]):
                wrong.append(f"{path.relative_to(PACKAGE)}:{line} imports {name}")
    assert wrong == []


@pytest.mark.parametrize("library", KEPT_IN)
def test_a_library_stays_in_its_layer(library: str) -> None:
    wrong = [
        f"{path.relative_to(PACKAGE)}:{line}"
        for part, path, tree in modules()
        for line, name in imported(tree)
        if name.split(".")[0] == library and part not in KEPT_IN[library]
    ]
    assert wrong == []


def test_only_the_configuration_reads_the_environment() -> None:
    wrong = []
    for part, path, tree in modules():
        for node in ast.walk(tree):
            reads = isinstance(node, ast.Attribute) and node.attr in ("environ", "environb", "getenv")
            named = isinstance(node, ast.ImportFrom) and node.module == "os"
            if part != "config" and (reads or (named and _names_environment(node))):
                wrong.append(f"{path.relative_to(PACKAGE)}:{getattr(node, 'lineno', 0)}")
    assert wrong == []


def _names_environment(node: ast.AST) -> bool:
    return isinstance(node, ast.ImportFrom) and any(a.name in ("environ", "getenv") for a in node.names)


def test_every_import_of_ours_exists() -> None:
    missing = []
    for _, path, tree in modules():
        for line, name in imported(tree):
            if name.split(".")[0] == "appliance" and not _exists(name):
                missing.append(f"{path.relative_to(PACKAGE)}:{line} imports {name}")
    assert missing == []


def _exists(name: str) -> bool:
    """As a module, or as a name at the top of one."""
    if name == "appliance" or _module(name):
        return True
    module, _, attribute = name.rpartition(".")
    found = _module(module)
    return found is not None and attribute in _top_names(ast.parse(found.read_text(encoding="utf-8")))


def _module(name: str) -> Path | None:
    base = PACKAGE.parent.joinpath(*name.split("."))
    candidates = (base.with_suffix(".py"), base / "__init__.py")
    return next((path for path in candidates if path.is_file()), None)


def _top_names(tree: ast.Module) -> set[str]:
    found: set[str] = set()
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.Assign):
            found |= {t.id for target in node.targets for t in ast.walk(target) if isinstance(t, ast.Name)}
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            found.add(node.target.id)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            found |= {(alias.asname or alias.name).split(".")[0] for alias in node.names}
    return found


def test_every_other_import_is_a_library_that_is_declared() -> None:
    """The engine and what only provisioning needs may be absent: they are extras."""
    extras = {"vllm", "torch", "gguf", "llguidance", "xgrammar"}
    names = {name.split(".")[0] for _, _, tree in modules() for _, name in imported(tree)}
    absent = {
        n for n in names - extras if n not in sys.stdlib_module_names and importlib.util.find_spec(n) is None
    }
    assert absent == set()


def loaded_by(code: str) -> set[str]:
    """Top-level modules in a fresh interpreter after `code`."""
    script = f"{code}\nimport sys\nprint(*{{m.split('.')[0] for m in sys.modules}})"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_the_command_line_starts_without_heavy_libraries() -> None:
    loaded = loaded_by("import appliance.cli")
    assert "click" in loaded
    assert loaded.isdisjoint(HEAVY), loaded.intersection(HEAVY)


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["run", "--help"], ["models", "--help"]])
def test_so_do_help_and_version(arguments: list[str]) -> None:
    code = f"from appliance.cli import main\ntry:\n    main({arguments!r})\nexcept SystemExit:\n    pass"
    assert loaded_by(code).isdisjoint(HEAVY)
