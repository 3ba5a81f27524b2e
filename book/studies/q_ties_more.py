"""The first setting of the study `q_ties` with many more seeds."""

from studies.q_ties import GAMES, RNG, RULES, SETTINGS, trial

__all__ = ["GAMES", "RNG", "RULES", "SEEDS", "SETTINGS", "trial"]
SEEDS = 240
SETTINGS = dict([*SETTINGS.items()][:1])
