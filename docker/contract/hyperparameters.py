"""Hyperparameters by the `catalog.yaml` beside the programs: the one place that states defaults and ranges."""

import os
import sys

import yaml


class BadHyperparameters(ValueError):
    pass


def rules_of(entry):
    """What each hyperparameter of a catalog entry may hold: its type is that of its default, its range stands in `limits`: a kind, the
    least and the greatest value and, where not all between them are taken, the number that they are multiples of."""
    rules = {}
    for name, default in yaml.safe_load(entry["hyperparameters"]).items():
        limit = entry["limits"].get(name)
        if isinstance(default, bool):
            rules[name] = (bool, None)
        elif isinstance(default, str):
            rules[name] = (str, limit)
        else:
            rules[name] = (int if limit[0] == "integer" else float, limit[1:])
    return rules


def check(name, value, rule):
    kind, limit = rule
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        value = float(value)
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise BadHyperparameters(f"{name}: must be {kind.__name__}, got {value!r}")
    if kind is str and limit is not None and value not in limit:
        raise BadHyperparameters(f"{name}: must be one of {', '.join(limit)}")
    if kind in (int, float) and not limit[0] <= value <= limit[1]:
        raise BadHyperparameters(f"{name}: must be between {limit[0]} and {limit[1]}, got {value}")
    if kind in (int, float) and len(limit) > 2 and value % limit[2]:
        raise BadHyperparameters(f"{name}: must be a multiple of {limit[2]}, got {value}")
    return value


def read_hyperparameters(entry, given):
    """Defaults of a catalog entry, overridden by YAML text or an object; unknown names and bad values are refused."""
    try:
        values = yaml.safe_load(given) if isinstance(given, str) else given
    except yaml.YAMLError as error:
        raise BadHyperparameters(f"hyperparameters: not valid YAML: {error}") from error
    values = values or {}
    if not isinstance(values, dict):
        raise BadHyperparameters("hyperparameters: must be a mapping of names to values")
    rules = rules_of(entry)
    for name in values:
        if name not in rules:
            raise BadHyperparameters(f"hyperparameters: unknown name {name!r}; {entry['name']} has {', '.join(rules)}")
    merged = {**yaml.safe_load(entry["hyperparameters"]), **values}
    return {name: check(name, merged[name], rule) for name, rule in rules.items()}


def catalog_entry(model, task):
    """The entry of a model of a task; the platform checks with the same file."""
    with open(os.path.join(os.path.dirname(os.path.abspath(sys.argv[0])), "catalog.yaml"), encoding="utf-8") as file:
        catalog = yaml.safe_load(file)
    entries = [{**entry, "limits": {**catalog.get("limits", {}), **entry.get("limits", {})}, "licence": catalog["license"] if catalog.get("opt_in") else None}
               for entry in catalog["models"]]
    tasks = sorted({entry["task"] for entry in entries})
    if task not in tasks:
        raise BadHyperparameters(f"task: this runtime trains {', '.join(tasks)} only, not {task!r}")
    fitting = [entry for entry in entries if entry["task"] == task]
    for entry in fitting:
        if entry["name"] == model or (not model and entry["default"]):
            return entry
    raise BadHyperparameters(f"model: unknown {model!r}; this runtime has {', '.join(entry['name'] for entry in fitting)}")
