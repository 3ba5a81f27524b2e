"""Small repairs to the site that a setting or a template cannot make."""


def drop_thebe(app, pagename, templatename, context, doctree):
    """Take the scripts of sphinx-thebe off a page.

    Jupyter Book always loads them, the book does not use them, and two of them declare the same
    constant, which is an error in every reader's console.
    """
    context["script_files"] = [
        script for script in context.get("script_files", []) if "thebe" not in str(script).lower()
    ]


def setup(app):
    """Connect the repairs to Sphinx."""
    app.connect("html-page-context", drop_thebe, priority=900)  # after sphinx-thebe has added them
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
