"""scikit-learn's callbacks, from 1.9 on; before, the same names that do nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Self, TypeVar

Method = TypeVar("Method", bound=Callable[..., Any])


class _NoContext:
    """What `CallbackContext` is where nobody listens."""

    def subcontext(self, **_: Any) -> _NoContext:
        return self

    def call_on_fit_task_begin(self, **_: Any) -> _NoContext:
        return self

    def call_on_fit_task_end(self, **_: Any) -> bool:
        return False


class _NoCallbackSupport:
    # No `set_callbacks`: nobody shall think that there are callbacks.
    def _init_callback_context(self, **_: Any) -> _NoContext:
        return _NoContext()


def _as_it_is(method: Callable[..., Any]) -> Callable[..., Any]:
    return method


if TYPE_CHECKING:  # with a base class of unknown type an estimator would have any attribute

    class CallbackSupportMixin:
        def set_callbacks(self, *callbacks: Any) -> Self: ...
        def _init_callback_context(self, **_: Any) -> Any: ...

    def with_callbacks(method: Method) -> Method: ...

else:
    try:
        from sklearn.callback import CallbackSupportMixin, with_callbacks
    except ImportError:
        CallbackSupportMixin, with_callbacks = _NoCallbackSupport, _as_it_is


def progress_bar() -> Any:
    """Progress bar of a fit, by passes over the data: a callback for ``set_callbacks``.

    It is `sklearn.callback.ProgressBar`, which needs scikit-learn 1.9 and rich, and in a notebook
    ipywidgets.

    Returns
    -------
    sklearn.callback.ProgressBar
        The callback.

    Raises
    ------
    ImportError
        If one of the two is not there. The message names the extra that brings them.

    Examples
    --------
    >>> from topictemper import TemperedLDA, progress_bar
    >>> lda = TemperedLDA(20).set_callbacks(progress_bar())  # doctest: +SKIP
    """
    try:
        from sklearn.callback import ProgressBar

        return ProgressBar()
    except ImportError as error:
        raise ImportError(
            "a progress bar needs scikit-learn 1.9 and rich: pip install 'topictemper[progress]'"
        ) from error
