"""Small images inside the page itself."""

from base64 import b64encode
from importlib.util import find_spec
from io import BytesIO

from adjudge.models.datasets.contents import Media

SIDE = 128  # pixels at most
AS_IT_IS = 24_000  # bytes of an image that is small enough without change
TYPES = ("image/png", "image/jpeg", "image/gif", "image/webp", "image/bmp", "image/svg+xml")


def thumbnail(media: Media) -> str | None:
    """The image as a data URI of some kilobytes; None for sounds, and for large images without Pillow."""
    if media.type not in TYPES:
        return None
    if len(media.content) > AS_IT_IS:
        made = _smaller(media.content) if find_spec("PIL") is not None else None
        return None if made is None else _uri(made, "image/jpeg")
    return _uri(media.content, media.type)


def _smaller(content: bytes) -> bytes | None:
    from PIL import Image

    made = BytesIO()
    try:
        with Image.open(BytesIO(content)) as image:
            image.thumbnail((SIDE, SIDE))
            image.convert("RGB").save(made, "JPEG", quality=80)
    except (OSError, ValueError, Image.DecompressionBombError):  # damaged, or no image at all
        return None
    return made.getvalue()


def _uri(content: bytes, kind: str) -> str:
    return f"data:{kind};base64,{b64encode(content).decode()}"
