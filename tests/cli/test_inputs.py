"""Text of options that several commands have."""

from pathlib import Path

from tests.support.commands import adjudge, as_json, refused


def test_names_may_hold_a_comma(wide: Path) -> None:
    wide.write_text(wide.read_text().replace("cat", '"cat, big"'))
    (wide.parent / "labels.csv").write_text('sample_id,label\na,"cat, big"\nb,dog\n')
    words = ("rank", wide, "--labels", wide.parent / "labels.csv", "--metric", "f1")
    assert "name one of 'cat, big', 'dog' (--class)" in refused(*words)
    assert as_json("check", wide, "--classes", '"cat, big",dog, "owl"')["classes"] == ["cat, big", "dog", "owl"]
    assert "2 ('cat, big', 'dog')" in adjudge("check", wide).stdout
