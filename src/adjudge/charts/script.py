"""The script that draws charts in a browser."""

from functools import cache


@cache
def drawing_script() -> str:
    """Vega, Vega-Lite and `vegaEmbed`, out of the installed vl-convert package, which takes a second to bundle them."""
    import vl_convert

    return str(vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;"))
