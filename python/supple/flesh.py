# SPDX-License-Identifier: MIT
"""Methods with their parameters, presets, and flesh built from a character."""
import ctypes
from dataclasses import dataclass
from typing import Dict, Optional, Tuple

from . import _api
from ._library import Handle, SuppleError, check, core, io, path_bytes, pool, text
from .character import Character


@dataclass(frozen=True)
class Parameter:
    """A number that a method can be tuned with, as the library's own table has it."""
    name: str
    unit: str
    summary: str
    minimum: float
    maximum: float
    standard: float
    #: may be changed while it runs
    live: bool
    choices: Tuple[str, ...]


@dataclass(frozen=True)
class Method:
    name: str
    summary: str
    parameters: Tuple[Parameter, ...]


@dataclass(frozen=True)
class Preset:
    name: str
    summary: str


def _parameter(pointer):
    p = pointer.contents
    choices = []
    if p.choices:
        choices = [text(p.choices[i]) for i in range(int(p.maximum) + 1)]
    return Parameter(text(p.name), text(p.unit), text(p.summary), p.minimum, p.maximum, p.standard, p.live,
                     tuple(choices))


def _method_id(name):
    found = ctypes.c_int()
    if not core().supFindMethod(name.encode(), ctypes.byref(found)):
        raise SuppleError('unknown method "%s"; methods: %s' % (name, ', '.join(methods())), 'method')
    return found.value


def methods() -> Dict[str, Method]:
    """All methods by name, in the library's order."""
    found = {}
    for index in range(_api.sup_methodCount):
        name = text(core().supMethodName(index))
        count = core().supMethod_ParameterCount(index)
        parameters = tuple(_parameter(core().supMethod_Parameter(index, i)) for i in range(count))
        found[name] = Method(name, text(core().supMethodSummary(index)), parameters)
    return found


def build_times(method: str, start: float, end: float) -> Tuple[float, ...]:
    """When building flesh samples a clip that lasts from `start` to `end`: a Motion with these times is enough for it."""
    times = (ctypes.c_float * _api.SUP_MAX_BUILD_TIMES)()
    return tuple(times[:core().supMethod_BuildTimes(_method_id(method), start, end, times)])


def presets() -> Dict[str, Preset]:
    count = ctypes.c_int32()
    table = core().supPresets(ctypes.byref(count))
    return {text(table[i].name): Preset(text(table[i].name), text(table[i].summary)) for i in range(count.value)}


def preset_settings(preset: str, method: str) -> Dict[str, float]:
    """The preset as parameters of a method."""
    found = core().supFindPreset(preset.encode())
    if not found:
        raise SuppleError('unknown preset "%s"; presets: %s' % (preset, ', '.join(presets())), 'preset')
    settings = (_api.supSetting * _api.SUP_PRESET_SETTINGS)()
    count = core().supPreset_Settings(found, _method_id(method), settings)
    return {text(settings[i].parameter): settings[i].value for i in range(count)}


class Flesh(Handle):
    """A character made ready for one method. Shared by any number of actors."""

    def __init__(self, character: Character, method: str = 'position', settings: Optional[Dict[str, float]] = None,
                 preset: Optional[str] = None, threads: int = 0):
        values = dict(preset_settings(preset, method)) if preset else {}
        values.update(settings or {})
        definition = core().supDefaultFleshDef()
        definition.method = _method_id(method)
        table = (_api.supSetting * (len(values) or 1))()
        for entry, (name, value) in zip(table, values.items()):
            entry.parameter, entry.value = name.encode(), value
        definition.settings, definition.settingCount = table, len(values)
        error = _api.supError()
        shared = pool(threads)
        with shared.lock:
            flesh = core().supBuildFlesh(character._use(), ctypes.byref(definition), shared.tasks, ctypes.byref(error))
        self.character = character
        self._own(check(flesh, error), core().supDestroyFlesh, character)

    @classmethod
    def load(cls, path, character: Character):
        """Reads a .flesh file that was built for this character."""
        error = _api.supError()
        flesh = cls.__new__(cls)
        flesh.character = character
        found = io().supLoadFlesh(path_bytes(path), character._use(), ctypes.byref(error))
        flesh._own(check(found, error), core().supDestroyFlesh, character)
        return flesh

    def save(self, path):
        error = _api.supError()
        check(io().supSaveFlesh(self._use(), path_bytes(path), ctypes.byref(error)), error)

    @property
    def method(self) -> str:
        return text(core().supFlesh_MethodName(self._use()))

    def parameter(self, name: str) -> float:
        return core().supFlesh_Parameter(self._use(), find_parameter(self.method, name))


def find_parameter(method, name):
    index = core().supMethod_FindParameter(_method_id(method), name.encode())
    if index < 0:
        names = ', '.join(p.name for p in methods()[method].parameters) or 'none'
        raise SuppleError('%s has no parameter "%s"; parameters: %s' % (method, name, names), 'settings')
    return index
