"""Rows of a ranking with names that are hard to draw."""

NAMES = ['<b>"one"</b>', "two\\n'", "three", "four"]


def row(name: str, place: int, **numbers: float | int | None) -> dict[str, object]:
    value = 0.9 - 0.1 * place
    return {
        "name": name,
        "rank": place + 1,
        "tier": 1 + place // 2,
        "value": value,
        "low": value - 0.2,
        "high": value,
    } | {
        "difference": 0.1 * place,
        "difference_low": -0.5,
        "difference_high": 0.6,
        **numbers,
    }
