"""Dry run of a release: inconsistencies, and the steps that only a person can do.

`python .ci/release.py` reports everything that prevents a release; with `--next` it
lists the manual steps. It changes nothing. The version is `ttt_lib.__version__`.
"""

import re
import subprocess
import sys
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[1]


def read(name):
    """Return the text of a file of this clone."""
    return (ROOT / name).read_text(encoding="utf-8")


def version():
    """Return the version of the library in this clone, without importing it."""
    return re.search(r'^__version__ = "(.*)"$', read("ttt_lib/__init__.py"), re.M)[1]


def disagreements(version, changelog, citation, page):
    """Yield a sentence for each text that has a different version or date.

    `page` is the source of the page *Changes*, which includes the changelog.
    """
    newest = re.search(r"^## (?!Unreleased$)(.*)$", changelog, re.M)[1]
    cited = yaml.safe_load(citation)
    due = f"{version}, {cited['date-released']}"
    if newest != due:
        yield f"CHANGELOG.md begins with {newest!r}; with CITATION.cff it is {due!r}."
    if cited["version"] != version:
        yield f"CITATION.cff has version {cited['version']}, the library {version}."
    if "{include} ../CHANGELOG.md" not in page:
        yield "The page book/changes.md does not include CHANGELOG.md."


def unversioned(changelog):
    """Yield a sentence if the changelog has a section *Unreleased*."""
    if re.search(r"^## Unreleased$", changelog, re.M):
        yield "CHANGELOG.md has a section Unreleased: give it the version and date."


def git(*arguments):
    """Return the lines that git prints."""
    done = subprocess.run(
        ["git", *arguments], cwd=ROOT, check=True, capture_output=True, text=True
    )
    return done.stdout.splitlines()


def unready(version):
    """Yield a sentence for uncommitted changes and for a wrong tag."""
    if changed := git("status", "--porcelain"):
        yield f"Not committed: {', '.join(line[3:] for line in changed)}."
    tags = git("tag", "--list", "v*", "--points-at", "HEAD")
    if others := [tag for tag in tags if tag != f"v{version}"]:
        yield f"This commit has the tag {others[0]}, and the version is {version}."
    elif not tags and git("tag", "--list", f"v{version}"):
        yield f"The tag v{version} is on another commit: choose the next version."


NEXT = """\
Nothing was published. Version {0} agrees everywhere. What a person does next:
1. make test && make long, on this commit.
2. Once only: at the index (PyPI), name this repository, the workflow release.yml and
   the environment "index" as the trusted publisher of ttt-lib; in the repository's
   settings, let the environment "index" wait for a person.
3. git tag -a v{0} -m "Three in a Row {0}" && git push origin v{0}
   The workflow then builds the files in dist and publishes them.
4. Set __version__ to the next version, and begin its section of CHANGELOG.md."""


def main(arguments):
    """Return the problems, one sentence a line; "" if there are none."""
    if arguments == ["--next"]:
        print(NEXT.format(version()))
        return ""
    texts = [read(name) for name in ("CHANGELOG.md", "CITATION.cff", "book/changes.md")]
    problems = *disagreements(version(), *texts), *unversioned(texts[0])
    return "\n".join([*problems, *unready(version())])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]) or 0)
