"""People at a labeling page who never give up, and what they were told is stored."""

import http.client
import json
import re
import time
from contextlib import closing, suppress
from dataclasses import dataclass, field
from threading import Event, Lock, Thread

TOO_LONG = 600.0  # seconds after which a case has failed


@dataclass
class Confirmed:
    """What people were told is stored."""

    said: list[tuple[str, str]] = field(default_factory=list)  # sample and label
    lock: Lock = field(default_factory=Lock)

    def add(self, sample: str, label: str) -> None:
        with self.lock:
            self.said.append((sample, label))

    def wait(self, more: int) -> None:
        """Until so many more labels are confirmed."""
        wanted, end = len(self.said) + more, time.monotonic() + TOO_LONG
        while len(self.said) < wanted:
            if time.monotonic() > end:
                raise TimeoutError(f"only {len(self.said)} of {wanted} labels were confirmed in time")
            time.sleep(0.05)


class Person(Thread):
    """Answers what it gets, and sends an answer again until it is confirmed or refused, as the page does."""

    def __init__(self, number: int, port: int, confirmed: Confirmed, end: Event) -> None:
        super().__init__(daemon=True)
        self.person, self.port, self.confirmed, self.end = f"person {number}", port, confirmed, end
        self.headers: dict[str, str] = {}

    def run(self) -> None:
        cards: list[dict[str, str]] = []
        while not self.end.is_set():
            if not self.headers:
                self.enter()
            elif not cards:
                _, told = self.ask("GET", "/api/cards")
                cards = told.get("cards", [])
                time.sleep(0.05)
            else:
                label = "abcd"[int(cards[0]["name"]) % 4]
                status, told = self.ask(
                    "POST", "/api/answers", json.dumps({"lease": cards[0]["lease"], "label": label})
                )
                if status == 200:
                    self.confirmed.add(cards[0]["name"], label)
                cards = told["cards"] if status == 200 else [] if status == 409 else cards
                time.sleep(0.02)

    def enter(self) -> None:
        form = {"content-type": "application/x-www-form-urlencoded"}
        with suppress(OSError, http.client.HTTPException, AttributeError), closing(self.line()) as line:
            line.request("POST", "/login", f"name={self.person}", form)
            cookies = [each.partition(";")[0] for each in line.getresponse().headers.get_all("set-cookie", [])]
            line.close()
            line.request("GET", "/", headers={"cookie": "; ".join(cookies)})
            token = re.search(r'adjudge-token" content="([^"]+)"', line.getresponse().read().decode())
            self.headers = {"cookie": "; ".join(cookies), "x-adjudge-token": token[1]}  # type: ignore[index]

    def line(self) -> http.client.HTTPConnection:
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)

    def ask(self, method: str, path: str, body: str | None = None) -> tuple[int, dict[str, list[dict[str, str]]]]:
        try:
            with closing(self.line()) as line:
                line.request(method, path, body, self.headers | {"content-type": "application/json"})
                answer = line.getresponse()
                return answer.status, json.loads(answer.read())
        except (OSError, http.client.HTTPException, ValueError):  # nobody is there
            time.sleep(0.2)
            return 0, {}
