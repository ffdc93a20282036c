"""How tasks are grouped into tables."""

from pathlib import Path

import pytest

from adjudge.experiments.papers.laf_2022_tables import Quality, pools_of
from tests.support.small_tasks import small_task


def test_tasks_are_grouped_by_name(tmp_path: Path) -> None:
    names = ("zoo_9", "zoo_9_blur5", "zoo_9_ood", "glue_sst2", "fashion_sds9", "zoo_9_frost9", "Domain_Drift", "blur3")
    pools = pools_of([small_task(tmp_path, name) for name in names])
    assert [task.name for task in pools.clean] == ["zoo_9", "glue_sst2", "fashion_sds9", "zoo_9_frost9", "blur3"]
    assert [(each.clean, each.kind, each.severity) for each in pools.synthetic] == [("zoo_9", "blur", 5)]
    assert [task.name for task in pools.natural] == ["zoo_9_ood", "Domain_Drift"]


@pytest.mark.parametrize(
    ("quality", "diversity", "group"),
    [
        (0.6, 0.2, "high quality and diversity"),
        (0.6, 0.18, "high quality only"),
        (0.5, 0.2, "high diversity only"),
        (0.5, 0.1, "neither is high"),
    ],
)
def test_the_rule_of_thumb(quality: float, diversity: float, group: str) -> None:
    assert Quality(quality, diversity).group == group
