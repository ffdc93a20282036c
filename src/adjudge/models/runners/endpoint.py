"""A model behind an address: JSON in, labels, probabilities or numbers out.

A request is `{"inputs": [...]}`; the answer holds one of the lists `labels`, `probabilities` and `numbers`, in the same
order.
"""

import http.client
import json
import os
import time
import urllib.error
import urllib.request
from collections.abc import Mapping
from typing import Any

import numpy as np

from adjudge.core.arrays import Array
from adjudge.errors import InputError
from adjudge.models.runners.protocol import NoFeatures, Raw, Request, Takes
from adjudge.models.runners.settings import ModelSettings

AGAIN = (408, 425, 429, 500, 502, 503, 504)  # answers after which a second try may help
ANSWERS = ("probabilities", "numbers", "labels")
LONGEST_WAIT = 60.0
NOTHING = np.array(None, dtype=object)


def versions() -> Mapping[str, str]:
    return {}


def open_model(request: Request) -> "Endpoint":
    if request.features:
        raise NoFeatures("an endpoint shows no layers")
    return Endpoint(request.entry, request.settings)


class Endpoint:
    """An address that is asked with patience: time-outs, retries that wait longer each time, a limit of the rate."""

    classes = None
    takes = Takes(dtype=None, raw=True)

    def __init__(self, address: str, settings: ModelSettings) -> None:
        self._address, self._settings, self._next = address, settings, 0.0
        self._headers = {"Content-Type": "application/json"}
        if settings.token is not None:
            if settings.token not in os.environ:
                raise InputError(f"the token is looked for in ${settings.token}, which is not set; set it")
            self._headers["Authorization"] = f"Bearer {os.environ[settings.token]}"

    def run(self, inputs: Array) -> Raw:
        body = json.dumps({"inputs": _plain(inputs)}).encode()
        answer = self._asked(body)
        given = next((name for name in ANSWERS if isinstance(answer, dict) and name in answer), None)
        if given is None:
            raise InputError(f"the endpoint's answer holds none of {', '.join(ANSWERS)}; return one of these lists")
        values = answer[given]
        if not isinstance(values, list) or len(values) != len(inputs):
            found = len(values) if isinstance(values, list) else "no list of"
            raise InputError(f"the endpoint gave {found} {given} for {len(inputs)} samples; return one for each")
        if given != "labels":
            return Raw(np.array(values, dtype=np.float64))
        return Raw(np.array(["" if each is None else str(each) for each in values], dtype=object))

    def _asked(self, body: bytes) -> Any:
        """The parsed answer, after as many tries as it takes and the settings allow."""
        for tried in range(self._settings.retries + 1):
            self._wait_for_turn()
            wait = min(LONGEST_WAIT, 0.5 * 2.0**tried)
            try:
                question = urllib.request.Request(self._address, body, self._headers, method="POST")
                with urllib.request.urlopen(question, timeout=self._settings.timeout) as answer:
                    return json.load(answer)
            except urllib.error.HTTPError as error:
                with error:
                    problem = f"answered {error.code} {error.reason}"
                    if error.code not in AGAIN:
                        break
                    wait = min(LONGEST_WAIT, _seconds(error.headers.get("Retry-After"), wait))
            except TimeoutError:
                problem = f"did not answer within {self._settings.timeout:g} s"
            except urllib.error.URLError as error:
                slow = isinstance(error.reason, TimeoutError)
                problem = f"did not answer within {self._settings.timeout:g} s" if slow else f"failed ({error.reason})"
            except (OSError, http.client.HTTPException) as error:
                problem = f"broke off ({error})"
            except ValueError:
                problem = "did not answer with JSON"
                break
            if tried < self._settings.retries:
                time.sleep(wait)
        raise InputError(
            f"the endpoint {problem}, after {tried + 1} tries; what it answered before is kept: check that it runs, or "
            "give it more time (timeout, retries in its TOML), and call again"
        )

    def _wait_for_turn(self) -> None:
        if self._settings.rate is not None:
            now = time.monotonic()
            time.sleep(max(0.0, self._next - now))
            self._next = max(now, self._next) + 1 / self._settings.rate


def _seconds(told: str | None, otherwise: float) -> float:
    return float(told) if told is not None and told.isdigit() else otherwise


def _plain(inputs: Array) -> list[Any]:
    """Nested lists; null for what is not a number, which JSON does not have."""
    if inputs.dtype.kind == "f" and not np.isfinite(inputs).all():
        values: list[Any] = np.where(np.isfinite(inputs), inputs.astype(object), NOTHING).tolist()
        return values
    plain: list[Any] = inputs.tolist()
    return plain
