"""What all labs have in common: settings, scripts, a place on a page without Python.

A lab's settings are texts, in the one grammar that the command line has, too, and how
far it has come is one more, its mark `at`. So page, address and Python agree on a
state by telling each other these texts, and each computes the rest: with the same seed
they have the same luck. A page takes over what makes sense; where it does not, the page
tells its last good state.
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
    """What all labs have in common."""

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
        script += encode.room("notebook")
        super().__init__(
            _setup=setup,
            _tables=encode.shared(),
            _esm=MODULE.format(script),
            _css=encode.styles() + encode.file("labs.css"),
            model_id=f"ttt-lab-{Lab._made}",
            **settings,
        )
        self.on_msg(self._hear)

    @classmethod
    def settings(cls):
        """Return the names of its settings, `at` among them."""
        return cls.class_trait_names(setting=True)

    def _hear(self, _, content, buffers):
        """Bring the table of an agent that the page asks for."""
        match content:
            case {"load": str(name)} if name in builtin_names():
                self.send({"agent": name, "table": encode.shipped(name)})

    def _stored(self):
        """Return what a page without Python needs."""
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
    """Return the place of a lab on a page, with words for where no script runs."""
    return (
        f'<div data-ttt-lab="{html.escape(encode.to_json(setup))}">'
        "<p>A lab stands here, in which a method runs step by step. It needs "
        "JavaScript; in a notebook, run this cell.</p></div>"
    )
