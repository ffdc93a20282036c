"""What can go wrong: one clear sentence each, saying what was found, where, and what to do."""


class AdjudgeError(Exception):
    """The parent of every error that adjudge raises on purpose."""


class InputError(AdjudgeError):
    """A file or an argument is not what it should be."""


class PredictionsError(InputError):
    """Predictions that do not fit together."""


class LabelsError(InputError):
    """Labels that do not fit the pool or each other."""


class MethodError(InputError):
    """An unknown method, or one that needs something these predictions do not have."""


class DatabaseError(InputError):
    """A database that cannot be reached or used; what failed may succeed later.

    The message is for whoever runs the server, and may name hosts and users; `public` is for everybody.
    """

    public = "the database cannot be used at the moment; whoever runs the server sees why"


class DiskFull(DatabaseError):
    """A disk that cannot take another row."""

    public = "the server's disk is full, so nothing can be stored; whoever runs it has to free some space"


class DamagedDatabase(DatabaseError):
    """A database that is lost or damaged: nothing is added to it, so that it can be restored."""

    public = "the database of this project is damaged; whoever runs the server sees what to do"


class NotEnoughLabels(AdjudgeError):
    """A question that the labels so far cannot answer at all."""


class AdjudgeWarning(UserWarning):
    """Something that is allowed, with what it means."""


class AdjudgeNote(AdjudgeWarning):
    """What was taken for what, or left out, without being told to; nothing looks wrong."""
