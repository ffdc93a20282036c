"""What the page is told."""

import time

from adjudge.charts.cells import chance
from adjudge.simulation.contract import example_pool
from tests.support.labeling import Visit, disagree, page
from tests.support.pools import Begin


def test_the_ranking_follows_the_labels(begin: Begin) -> None:
    pool, truth = example_pool(models=5, samples=400, classes=4, seed=1)
    with page(begin(pool=pool, method="pooled")) as client:
        ada = Visit(client)
        for _ in range(12):
            while not (cards := ada.get("/api/cards").json()["cards"]):
                time.sleep(0.02)
            sample = int(cards[0]["name"])
            ada.post("/api/answers", {"lease": cards[0]["lease"], "label": "abcd"[truth[sample]]})
        limit = time.monotonic() + 300
        while (told := ada.get("/api/look").json())["look"] is None or told["look"]["labels"] < 12:
            assert time.monotonic() < limit, told
            time.sleep(0.05)
        look = told["look"]
        assert look["models"][0]["rank"] == 1
        assert look["standing"]["rule"] == "likely within 0.01"
        chances = [row["chance_of_best"] for row in look["models"]]
        assert 1 <= sum(chances) < 1.1  # models that tie all count
        assert [row["chance_text"] for row in look["models"]] == [chance(each) for each in chances]
        points = look["curves"]["data"]["values"]
        assert {point["labels"] for point in points} <= set(range(1, 13))
        assert points


def test_people_decide_what_they_disagree_on(begin: Begin) -> None:
    with page(begin(overlap=2, share=1.0)) as client:
        for name, label in (("ada", "a"), ("bob", "b")):
            visit = Visit(client, name)
            lease = visit.get("/api/cards").json()["cards"][0]["lease"]
            visit.post("/api/answers", {"lease": lease, "label": label})
        [dispute] = visit.get("/api/disputes").json()
        assert {each["person"]: each["label"] for each in dispute["said"]} == {"ada": "a", "bob": "b"}
        assert visit.post("/api/decisions", {"place": 0, "label": "b"}).json() == []
        assert visit.post("/api/decisions", {"place": 99, "label": "b"}).status_code == 409


def test_history_lists_and_changes(begin: Begin) -> None:
    with page(begin()) as client:
        ada, bob = Visit(client), Visit(client, "bob")
        for label in ("a", "b"):
            card = ada.get("/api/cards").json()["cards"][0]
            ada.post("/api/answers", {"lease": card["lease"], "label": label, "note": f"said {label}"})
        found = ada.get("/api/history").json()
        assert found["total"] == 2
        assert [(each["label"], each["note"]) for each in found["answers"]] == [("b", "said b"), ("a", "said a")]
        old = found["answers"][1]
        told = {"lease": old["lease"], "label": "c", "note": "no, c", "sample": old["name"]}
        assert ada.post("/api/history", told).status_code == 200
        assert bob.post("/api/history", told).status_code == 409
        assert ada.post("/api/history", told | {"sample": "another"}).status_code == 409
        newest = ada.get("/api/history").json()["answers"][0]
        assert (newest["place"], newest["label"], newest["note"]) == (old["place"], "c", "no, c")
        assert ada.get("/api/history?start=1").json()["answers"][0]["label"] == "b"
        assert ada.get(f"/api/samples/{old['place']}").json()["name"] == old["name"]
        assert ada.get("/api/samples/999").status_code == 404


def test_the_queue_shows_the_sample_and_all_answers(begin: Begin) -> None:
    with page(begin(overlap=2, share=1.0)) as client:
        assert Visit(client).get("/api/queue").json()["total"] == 0
        bob = disagree(client, 3)
        found = bob.get("/api/queue?start=1").json()
        assert (found["total"], found["at"], found["sample"]["place"]) == (3, 1, 1)
        assert [each["note"] for each in found["said"]] == ["ada was here", "bob was here"]
        bob.post("/api/decisions", {"place": 1, "label": "c"})  # a class that nobody named
        assert bob.get("/api/queue?start=9").json()["at"] == 1
        told = bob.get("/api/project").json()
        assert [(each["person"], each["answers"], each["agreement"]) for each in told["people"]] == [
            ("ada", 3, 0.0),
            ("bob", 4, 0.0),
        ]
        assert {"label": "c", "count": 1} in told["labels"]
