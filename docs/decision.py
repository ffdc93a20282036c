"""Draw "which command when": narrow enough for a phone, in the colors of the page, light or dark."""

WIDTH, ROW, HEAD, GAP, MIDDLE = 400, 38, 44, 14, 196  # pixels
STYLE = """<style>
  text { fill: #1f2328; font: 14px system-ui, sans-serif }
  .head { fill: #e8f0fb; stroke: #5b7fb0 } .head + text { font-weight: 600; font-size: 15px }
  .command { fill: #dcebff } .command + text { font: 13px ui-monospace, monospace }
  path { stroke: #8c96a3; fill: none }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 } .head { fill: #1d2b40; stroke: #5b7fb0 } .command { fill: #17345c }
  }
</style>"""
QUESTIONS = {
    "What do you have?": [
        ("model files and data", "predict"),
        ("logs of language models", "import"),
        ("a file for each model", "merge"),
        ("predictions in one file", "check"),
        ("votes on pairs of answers", "prefer"),
    ],
    "No labels yet?": [
        ("a first order, for free", "rank"),
        ("how many will it take?", "plan"),
        ("a plan for a spreadsheet", "select"),
        ("label in the browser", "label"),
    ],
    "What do you want to know?": [
        ("which model is best", "rank --labels"),
        ("may I stop labeling?", "rank --until"),
        ("is B as good as A?", "compare"),
        ("how good is this one?", "estimate"),
        ("for each site, each month?", "rank --slice"),
        ("in fog, noise, blur?", "shift"),
    ],
    "Who else has to know?": [
        ("people: one HTML file", "report"),
        ("a pipeline", "rank --json"),
    ],
}


def picture() -> str:
    """The questions from top to bottom, each with its answers and the command for each."""
    parts, top = list[str](), 8
    for number, (question, rows) in enumerate(QUESTIONS.items()):
        if number:
            parts.append(f'<path d="M{WIDTH / 2} {top - GAP}V{top}"/>')
        parts.append(_box("head", 8, top, WIDTH - 16, HEAD - 8, question))
        top += HEAD
        for answer, command in rows:
            parts.append(f'<text x="16" y="{top + 20}">{answer}</text>')
            parts.append(_box("command", MIDDLE + 12, top, WIDTH - MIDDLE - 20, ROW - 8, f"adjudge {command}"))
            top += ROW
        top += GAP
    height = top - GAP
    told = "; ".join(f"{question} {', '.join(f'{a}: {c}' for a, c in rows)}" for question, rows in QUESTIONS.items())
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" '
        f'role="img" aria-label="{told}">\n{STYLE}\n' + "\n".join(parts) + "\n</svg>\n"
    )


def _box(kind: str, left: float, top: float, width: float, height: float, text: str) -> str:
    return (
        f'<rect class="{kind}" x="{left}" y="{top}" width="{width}" height="{height}" rx="6"/>'
        f'<text x="{left + width / 2}" y="{top + height / 2 + 5}" text-anchor="middle">{text}</text>'
    )
