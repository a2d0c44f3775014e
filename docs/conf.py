"""Sphinx configuration; `make docs` builds into docs/_build/html."""

import os
from importlib.metadata import version as installed_version
from pathlib import Path

# The examples parse the docstring corpus once for each checkout, outside of the user's cache.
os.environ.setdefault("TOPICTEMPER_DATA", str(Path(__file__).parent / "_build" / "data"))

project = "topictemper"
author = "The topictemper developers"
project_copyright = author
version = release = installed_version("topictemper")

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
    "numpydoc",
    "sphinx_gallery.gen_gallery",
]
templates_path = ["_templates"]
exclude_patterns = ["_build", "examples"]
# `name` in a docstring is code, and a link if something has that name.
default_role = "py:obj"

autosummary_generate = True
toc_object_entries_show_parents = "hide"  # names of methods fit into "On this page"
autodoc_typehints = "none"  # the docstrings state types in words
autodoc_member_order = "bysource"
numpydoc_show_class_members = False

sphinx_gallery_conf = {
    "examples_dirs": "examples",
    "gallery_dirs": "auto_examples",
    "download_all_examples": False,
    "min_reported_time": 600,
    "plot_gallery": True,
    "abort_on_example_error": True,
    "show_signature": False,
    "write_computation_times": False,
    "within_subsection_order": "FileNameSortKey",
}

html_theme = "pydata_sphinx_theme"
html_title = "topictemper"
html_static_path = ["_static"]
html_css_files = ["wide.css"]
html_theme_options = {
    "navigation_with_keys": False,
    "show_prev_next": True,
    "secondary_sidebar_items": {"**": ["page-toc"], "index": []},
    "footer_start": ["copyright"],
    "footer_end": [],
}
html_show_sourcelink = False
html_copy_source = False
html_sidebars = {"index": []}


def skip_member(app, what, name, obj, skip, options):
    """Leave out the methods that scikit-learn gives to every estimator."""
    if (getattr(obj, "__module__", None) or "").startswith("sklearn.") or name.endswith("_request"):
        return True
    return None


def write_report(app, exception):
    """Write the report that the guide links to."""
    if exception is not None or app.builder.name != "html":
        return
    from topictemper import TemperedLDA
    from topictemper.datasets import load_docstrings

    corpus = load_docstrings()
    lda = TemperedLDA(30, random_state=0).fit(corpus.counts)
    lda.report(
        corpus.counts,
        corpus.text,
        names=corpus.names,
        groups=[name.split(".")[0] for name in corpus.names],
        feature_names=corpus.feature_names,
        title="Docstrings of the scientific Python stack",
        path=Path(app.outdir) / "report.html",
    )


def setup(app):
    """Connect the hooks."""
    app.connect("autodoc-skip-member", skip_member)
    app.connect("build-finished", write_report)
