"""Guidelines: Markdown that cannot bring anything but text and links."""

import re

from hypothesis import given
from hypothesis import strategies as st

from adjudge.labeling.web.markdown import rendered

OURS = re.compile(
    r"</?(?:h[2-6]|p|ul|ol|li|blockquote|pre|code|strong|em)>|</a>"
    r'|<a href="(?:https?://|mailto:)[^"<>]*" target="_blank" rel="noopener noreferrer">'
)
PARTS = [
    "<script>",
    "<",
    ">",
    '"',
    "'",
    "[a](",
    "javascript:x",
    "https://e.org/?a=1&b=",
    ")",
    "*",
    "**",
    "_",
    "`",
    "# ",
    "- ",
    "1. ",
]


def test_what_it_knows() -> None:
    text = "# Birds #\nA `*wren*` is\n**small**.\n\n- one\n- _two_\n1. first\n> said\n```\n<b>\n```\n[x](https://e.org/a_b_c)"
    assert rendered(text).splitlines() == [
        "<h2>Birds</h2>",
        "<p>A <code>*wren*</code> is <strong>small</strong>.</p>",
        "<ul><li>one</li><li><em>two</em></li></ul>",
        "<ol><li>first</li></ol>",
        "<blockquote>said</blockquote>",
        "<pre><code>&lt;b&gt;</code></pre>",
        '<p><a href="https://e.org/a_b_c" target="_blank" rel="noopener noreferrer">x</a></p>',
    ]


@given(st.lists(st.one_of(st.sampled_from([*PARTS, "\n", "```", "> "]), st.text(max_size=3)), max_size=20).map("".join))
def test_no_tag_but_ours_comes_out(text: str) -> None:
    assert not set("<>") & set(OURS.sub("", rendered(text)))
