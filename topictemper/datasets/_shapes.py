"""Images of shapes, the synthetic data of the factorial mixture."""

from __future__ import annotations

from typing import Literal

import numpy as np
from sklearn.utils import Bunch

from .._utils import _validation as check
from .._utils._typing import Flags, Floats

_SHAPES = {
    # Eight shapes of four pixels: five blocks of 2 x 2, two diagonals, the top row.
    "quads": """
        XX.. ..XX .... .... .... X... ...X XXXX
        XX.. ..XX .... .... .XX. .X.. ..X. ....
        .... .... XX.. ..XX .XX. ..X. .X.. ....
        .... .... XX.. ..XX .... ...X X... ....
    """,
    # Eight that overlap: cross, frame, plus, T, L, U, H, Z.
    "hand": """
        X..X XXXX .XX. XXXX X... X..X X..X XXXX
        .XX. X..X XXXX .XX. X... X..X XXXX ..X.
        .XX. X..X XXXX .XX. X... X..X XXXX .X..
        X..X XXXX .XX. .XX. XXXX XXXX X..X XXXX
    """,
}


class _Shapes(Bunch):
    data: Floats
    components: Floats
    assignments: Flags
    shape: tuple[int, int]


def make_shapes(
    n_samples: int = 1000,
    kind: Literal["quads", "hand"] = "quads",
    *,
    pi: float = 0.3,
    noise_var: float = 0.1,
    random_state: int | np.random.RandomState | None = None,
) -> _Shapes:
    """Draw images of 4 x 4 pixels, each a sum of some of eight shapes.

    Each shape has a weight, uniform in [0.5, 1], and is in an image with probability `pi`. The
    weights of overlapping shapes add up, and each pixel has Gaussian noise [1]_. The shapes are not
    those of the paper, which shows its shapes but does not list them.

    Parameters
    ----------
    n_samples : int, default=1000
        Number of images.
    kind : {"quads", "hand"}, default="quads"
        "quads" are eight shapes of four pixels that overlap little. "hand" are eight larger shapes
        that overlap heavily; fits seldom find all of them.
    pi : float, default=0.3
        Probability of each shape, in [0, 1].
    noise_var : float, default=0.1
        Variance of the noise, >= 0.
    random_state : int, RandomState or None, default=None
        An int gives the same data in every call.

    Returns
    -------
    :class:`~sklearn.utils.Bunch`
        data : ndarray of shape (n_samples, 16)
            Images.
        components : ndarray of shape (8, 16)
            The weighted shapes.
        assignments : ndarray of shape (n_samples, 8), bool
            Which shapes are in each image.
        shape : tuple of int
            Shape of an image, ``(4, 4)``.

    Raises
    ------
    TypeError, ValueError
        If an argument is out of range.

    References
    ----------
    .. [1] Mandt et al. (2016), "Variational Tempering", section 4 and figure 4.

    Examples
    --------
    >>> from topictemper.datasets import make_shapes
    >>> shapes = make_shapes(5, random_state=0)
    >>> shapes.data.shape
    (5, 16)
    >>> (shapes.components[7].reshape(shapes.shape) > 0).astype(int).tolist()
    [[1, 1, 1, 1], [0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]]
    """
    n_samples = check.integer("n_samples", n_samples, 1)
    lines = _SHAPES[check.choice("kind", kind, _SHAPES)].split("\n")[1:-1]
    pi = check.number("pi", pi, 0.0, 1.0)
    noise_var = check.number("noise_var", noise_var, 0.0)
    random = check.random_state(random_state)
    # Rows of pixels of all shapes side by side, as above.
    pixels = np.array([[list(row) for row in line.split()] for line in lines])
    binary = (pixels == "X").transpose(1, 0, 2).reshape(8, 16)
    components = binary * random.uniform(0.5, 1.0, size=(len(binary), 1))
    assignments = random.random_sample((n_samples, len(components))) < pi
    data = assignments @ components
    data += random.normal(scale=np.sqrt(noise_var), size=data.shape)
    return _Shapes(data=data, components=components, assignments=assignments, shape=(4, 4))
