"""Reports the progress of a training program to `heliostat run`: one call per step.

    import heliostat
    for batch in loader:
        ...
        heliostat.step(samples=len(batch))

    with heliostat.evaluating():
        ...

Without Heliostat (HELIOSTAT_STEPS is empty or not set) every call does nothing. The module imports only the standard
library; a callback imports its framework when it is created. Of several processes only rank 0 reports (RANK, LOCAL_RANK,
SLURM_PROCID, OMPI_COMM_WORLD_RANK); without ranks, the first process that calls the module. Call it from one thread.
"""
import contextlib
import mmap
import os
import time

__all__ = ["step", "evaluating", "idle", "is_reporting", "hf_callback", "lightning_callback", "keras_callback"]

_MAGIC, _VERSION, _SIZE = int.from_bytes(b"HLIOSTEP", "little"), 1, 64
# Offsets of heliostat/node/training_progress/step_layout.h, in words of eight bytes.
_STEPS, _SAMPLES, _PHASE, _LAST, _PID = 2, 3, 4, 5, 6
_TRAIN, _EVALUATE, _IDLE = 0, 1, 2


def _rank():
    for name in ("RANK", "LOCAL_RANK", "SLURM_PROCID", "OMPI_COMM_WORLD_RANK"):
        if os.environ.get(name, "").isdigit():
            return int(os.environ[name])
    return None


def _lives(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def _open():
    """The shared words, or None when Heliostat does not listen or another process reports."""
    path, rank = os.environ.get("HELIOSTAT_STEPS"), _rank()
    if not path or rank not in (None, 0):
        return None
    try:
        with open(path, "r+b") as file:
            words = memoryview(mmap.mmap(file.fileno(), _SIZE)).cast("Q")
    except (OSError, ValueError):
        return None  # Heliostat has exited; training continues
    if words[0] != _MAGIC or words[1] != _VERSION:
        return None
    other = words[_PID]
    if other not in (0, os.getpid()) and _lives(other):
        return None
    words[_PID] = os.getpid()
    return words


def _nothing(samples=None):
    """Reports nothing: the step() of a process without Heliostat."""


def _reporter(words, now=time.monotonic_ns):
    def report(samples=None):
        """Reports one training step; `samples` is its number of samples, if known."""
        if samples:
            words[_SAMPLES] += int(samples)
        words[_LAST] = now()
        words[_STEPS] += 1

    return report


_words = None
_report = None


def _first(samples=None):
    # Opened at the first step, not at import: a process that only imports this (a data loader, a launcher) does not train.
    _begin()
    _report(samples)


def _begin():
    global _words, _report, step  # pylint: disable=global-statement
    if _report is None:
        _words = _open()
        _report = _reporter(_words) if _words is not None else _nothing
        step = _report


def step(samples=None):
    """Reports one training step; `samples` is its number of samples, if known."""
    (_report or _first)(samples)


if not os.environ.get("HELIOSTAT_STEPS"):
    step = _report = _nothing


def is_reporting():
    """Whether Heliostat gets the steps of this process."""
    _begin()
    return _words is not None


def _forget():
    # A forked child (a data loader's worker) shares the parent's memory map and must not report.
    global _words, _report, step  # pylint: disable=global-statement
    _words, _report, step = None, _nothing, _nothing


os.register_at_fork(after_in_child=_forget)


@contextlib.contextmanager
def _phase(phase):
    _begin()
    words = _words
    if words is None:
        yield
        return
    before, words[_PHASE] = words[_PHASE], phase
    try:
        yield
    finally:
        words[_PHASE] = before


def evaluating():
    """A context for `with`: evaluation. Its time does not count as a training step."""
    return _phase(_EVALUATE)


def idle():
    """A context for `with`: waiting, saving, any time that is neither training nor evaluation."""
    return _phase(_IDLE)


class _Phases:
    """Evaluation as frameworks report it: one call at its begin, and one at its end, which may be missing."""

    def __init__(self):
        self._open = None

    def begin(self):
        if self._open is None:
            self._open = evaluating()
            self._open.__enter__()

    def end(self):
        if self._open is not None:
            self._open.__exit__(None, None, None)
            self._open = None


def hf_callback():
    """A transformers.TrainerCallback: Trainer(..., callbacks=[heliostat.hf_callback()])."""
    from transformers import TrainerCallback  # pylint: disable=import-outside-toplevel,import-error

    class HeliostatCallback(TrainerCallback):
        def __init__(self):
            super().__init__()
            self._phases = _Phases()

        def on_step_begin(self, args, state, control, **more):
            self._phases.end()

        def on_step_end(self, args, state, control, **more):
            batch = getattr(args, "train_batch_size", 0) or 0
            step(batch * (getattr(args, "gradient_accumulation_steps", 1) or 1) * (getattr(args, "world_size", 1) or 1))

        def on_prediction_step(self, args, state, control, **more):
            self._phases.begin()

        def on_evaluate(self, args, state, control, **more):
            self._phases.end()

    return HeliostatCallback()


def lightning_callback():
    """A Lightning callback: Trainer(..., callbacks=[heliostat.lightning_callback()])."""
    try:
        from lightning.pytorch import Callback  # pylint: disable=import-outside-toplevel,import-error
    except ImportError:
        from pytorch_lightning import Callback  # pylint: disable=import-outside-toplevel,import-error

    class HeliostatCallback(Callback):
        def __init__(self):
            super().__init__()
            self._phases = _Phases()

        def on_train_batch_end(self, *positional, **named):
            step()

        def on_validation_start(self, *positional, **named):
            self._phases.begin()

        def on_validation_end(self, *positional, **named):
            self._phases.end()

        def on_test_start(self, *positional, **named):
            self._phases.begin()

        def on_test_end(self, *positional, **named):
            self._phases.end()

    return HeliostatCallback()


def keras_callback():
    """A Keras callback: model.fit(..., callbacks=[heliostat.keras_callback()])."""
    try:
        from keras.callbacks import Callback  # pylint: disable=import-outside-toplevel,import-error
    except ImportError:
        from tensorflow.keras.callbacks import Callback  # pylint: disable=import-outside-toplevel,import-error

    class HeliostatCallback(Callback):
        def __init__(self):
            super().__init__()
            self._phases = _Phases()

        def on_train_batch_end(self, batch, logs=None):
            step()

        def on_test_begin(self, logs=None):
            self._phases.begin()

        def on_test_end(self, logs=None):
            self._phases.end()

    return HeliostatCallback()
