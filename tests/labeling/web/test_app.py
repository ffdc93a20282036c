"""Requests that nobody thought of: made up from the OpenAPI schema, none may break the server."""

from typing import Any

import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schemathesis import Case
from schemathesis.core.result import Ok

from adjudge.labeling.web.app import make_app
from tests.support.labeling import Visit, desk, page
from tests.support.pools import Begin


def test_no_request_breaks_the_server(begin: Begin) -> None:
    session = begin()
    schema = schemathesis.openapi.from_dict(make_app(desk(session)).openapi())
    strategies = [found.ok().as_strategy() for found in schema.get_all_operations() if isinstance(found, Ok)]
    assert len(strategies) == 18
    with page(session) as client:
        ada = Visit(client)

        @settings(max_examples=150, suppress_health_check=list(HealthCheck), database=None)
        @given(st.one_of(strategies))
        def fuzz(case: Case[Any]) -> None:
            ada._be_me()
            told = case.as_transport_kwargs(base_url="http://testserver")
            told["headers"] = dict(told.get("headers") or {}) | ada.headers
            told["cookies"] = None
            answer = client.request(**{key: value for key, value in told.items() if value is not None})
            assert answer.status_code < 500, (case, answer.text)

        fuzz()
