"""Base class of all labs: settings, scripts, and the HTML for pages without Python.

A lab's settings are texts, in the same grammar as on the command line, and its progress
is one more text, its mark `at`. Page, link and Python exchange only these texts, and
each computes the rest: the same seed gives the same random numbers. A page adopts valid
settings; if they are invalid, it sends its last valid state back.
"""

import html

import anywidget
import traitlets

from ttt_lib.agents import builtin_names
from ttt_lib.board import encode
from ttt_lib.board.widget import VIEW
from ttt_lib.validation import require

MODULE = "{}\nexport default {{ render: ttt.lab.render }};\n"


class Lab(anywidget.AnyWidget):
    """Base class of the labs: a widget whose settings are synchronised texts."""

    _setup = traitlets.Dict().tag(sync=True)
    _tables = traitlets.Dict().tag(sync=True)
    _esm = traitlets.Unicode().tag(sync=True)
    _css = traitlets.Unicode().tag(sync=True)
    kind = ""
    _made = 0

    def __init__(self, title, choose=None, **settings):
        unknown = [each for each in settings if each not in self.settings()]
        require(not unknown, f"{', '.join(unknown)}: this lab has no such setting")
        Lab._made += 1
        setup = {"kind": self.kind, "title": title, "choose": choose or {}}
        script = encode.script() + encode.common() + encode.lab(self.kind)
        script += encode.lab_script("notebook")
        super().__init__(
            _setup=setup,
            _tables=encode.shared(),
            _esm=MODULE.format(script),
            _css=encode.styles() + encode.file("labs.css"),
            model_id=f"ttt-lab-{Lab._made}",
            **settings,
        )
        self.on_msg(self._on_message)

    @classmethod
    def settings(cls):
        """Return the names of its settings, including `at`."""
        return cls.class_trait_names(setting=True)

    def _on_message(self, _, content, buffers):
        """Send the table of an agent that the page asks for."""
        match content:
            case {"load": str(name)} if name in builtin_names():
                self.send({"agent": name, "table": encode.shipped(name)})

    def _stored(self):
        """Return the settings that a page without Python needs."""
        texts = {name: getattr(self, name) for name in self.settings()}
        at = texts.pop("at")
        return dict(self._setup) | {"preset": texts, "mark": at}

    def _on_a_page(self):
        return mount(self._stored())

    def _repr_mimebundle_(self, **kwargs):
        bundle = super()._repr_mimebundle_(**kwargs)
        data, metadata = bundle if isinstance(bundle, tuple) else (bundle, {})
        return {
            "text/plain": f"Lab: {self._setup['title']}",
            "text/html": self._on_a_page(),
            VIEW: data[VIEW],
        }, metadata


def mount(setup):
    """Return the HTML element of a lab, with a text for readers without scripts."""
    return (
        f'<div data-ttt-lab="{html.escape(encode.to_json(setup))}">'
        "<p>A lab stands here, in which a method runs step by step. It needs "
        "JavaScript; in a notebook, run this cell.</p></div>"
    )
