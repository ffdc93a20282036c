"""Options that say how samples are chosen."""

from pathlib import Path

from tests.support.commands import as_json, refused


def test_what_a_method_does_not_look_at_is_refused(wide: Path) -> None:
    words = ("select", wide, "--budget", 2, "--method", "sds")
    assert "'sds' does not look at a single model; leave out --model" in refused(*words, "--model", "net")
    assert "'sds' does not use features; leave out --features" in refused(*words, "--features", wide)
    assert "ces needs the features of one model" in refused("select", wide, "--budget", 2, "--method", "ces")
    assert "'sds' has no option 'grup'; it takes group, candidates, skip" in refused(*words, "--option", "grup=1")
    assert "give a value like 0.27" in refused(*words, "--option", "group=much")


def test_an_option_is_never_dropped_in_silence(wide: Path, tmp_path: Path) -> None:
    (tmp_path / "labels.csv").write_text("sample_id,label\na,cat\nb,dog\nc,cat\n")
    words = ("rank", wide, "--labels", tmp_path / "labels.csv", "--drawn", "uniform")
    assert "the option 'level' has no value" in refused(*words, "--option", "level")
    assert "'pooled' has no option 'lvl'" in refused(*words, "--option", "lvl=0.9")
    assert as_json(*words, "--option", "level=0.9")["level"] == 0.9
    assert "the level 95 is not between 0.5 and 1" in refused(*words, "--option", "level=95")
    assert "leave out --option" in refused(*words, "--option", "level=0.9", "--until", "separated")
    assert "combined with its options" in refused(*words, "--option", "level=0.9", "--metric", "macro-f1")
    assert "the option 'goal' has no value" in refused("label", wide, "--terminal", "--option", "goal")


def test_an_unknown_method_suggests_the_nearest(wide: Path) -> None:
    assert "did you mean 'random'?" in refused("select", wide, "--budget", 2, "--method", "randm")
    assert "did you mean 'drawn'?" in refused("rank", wide, "--method", "dran")
