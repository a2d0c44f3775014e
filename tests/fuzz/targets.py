"""All targets by name. A module of targets has a list `TARGETS`; a new one is added here."""

from . import corpora, models

TARGETS = {target.name: target for target in [*corpora.TARGETS, *models.TARGETS]}
