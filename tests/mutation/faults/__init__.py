"""The faults that the tests must catch: each a name, and one text in one file that becomes another, or a list of such
pairs. A module for each subject has them in a list; FAULTS has them all, subjects by their names.

The old text must stand in its file exactly once; white space counts as one blank, so that formatting does not matter.
"""
import importlib
import pkgutil

SUBJECTS = sorted(module.name for module in pkgutil.iter_modules(__path__))
FAULTS = [fault for subject in SUBJECTS for fault in importlib.import_module(f"{__name__}.{subject}").FAULTS]
