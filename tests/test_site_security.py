"""What the site refuses: foreign hosts and origins, forged tokens, huge and malformed requests."""

import asyncio
import json
import resource
import socket
import sqlite3
from contextlib import ExitStack, closing, contextmanager

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from site_of import WAIT, Visitor, running
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

from plyground.web.catalogue import Catalogue
from plyground.web.security import Guard


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    with running(folder / "games.sqlite", "--workers", "2") as started:
        yield started
        assert "Traceback" not in started.stop()


@pytest.fixture(scope="module")
def visitor(site):
    return Visitor(site.address)


@pytest.fixture(scope="module")
def made(visitor):
    return visitor.make("connect_n", seats=[{"kind": "person"}] * 2)


def refused(visitor, game, **headers):
    with pytest.raises((ConnectionClosed, InvalidStatus)), visitor.join(game, **headers) as page:
        page.hear()
    return True


@contextmanager
def files_allowed(count):
    """Let this process, and those that it starts, open so many files."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard < count:
        pytest.skip(f"needs {count} open files")
    resource.setrlimit(resource.RLIMIT_NOFILE, (count, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.fixture(scope="module")
def open_site(tmp_path_factory):
    """Yield the port of a server that other machines could reach, and its token."""
    with ExitStack() as stack:
        with files_allowed(256):  # no more than some systems allow by default
            store = tmp_path_factory.mktemp("open") / "games.sqlite"
            site = stack.enter_context(running(store, "--host", "0.0.0.0", "--workers", "1"))
        address, token = site.address.split("/?token=")
        yield int(address.rpartition(":")[2]), token


def test_foreign_hosts_and_origins_are_refused(site, visitor, made):
    assert site.address.startswith("http://127.0.0.1:")
    for host in ("evil.example", "evil.example:80", "", "127.0.0.1.evil.example", "192.168.0.7"):
        answer = visitor.http.get("/", headers={"Host": host})
        assert (answer.status_code, answer.json()) == (403, {"error": "unknown host"}), host
    form = {"game": "connect_n"}
    for headers in (
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1:1"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ):
        answer = visitor.http.post("/api/games", json=form, headers=headers)
        assert answer.status_code == 403, headers
        assert refused(visitor, made, **headers)
    own = {"Origin": site.address, "Sec-Fetch-Site": "same-origin"}
    assert visitor.http.post("/api/games", json=form, headers=own).status_code == 201
    with visitor.join(made, **own) as page:
        assert page.hear()["type"] == "state"


def test_headers_of_every_answer(visitor):
    for address in ("/", "/game/x", "/api/catalogue", "/static/missing.js", "/nothing"):
        headers = visitor.http.get(address).headers
        assert "script-src 'self'" in headers["content-security-policy"]
        assert "unsafe" not in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
    cookie = httpx.get(f"{visitor.http.base_url}").headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Lax" in cookie


def test_forged_tokens_have_no_seat(site, visitor, made):
    for token in ("", "x", "0" * 32, "../../etc/passwd", '"', "a" * 5000, "ä"):
        cookie = f"plyground={token}".encode()
        with httpx.Client(base_url=site.address, headers={"Cookie": cookie}) as forger:
            state = forger.get(f"/api/games/{made}").json()
            assert not any(seat["yours"] for seat in state["seats"])
            assert state["legal"] == []
            answer = forger.post(f"/api/games/{made}/moves", json={"ply": 0, "action": 3})
            assert answer.status_code == 403
    assert visitor.http.get(f"/api/games/{made}").json()["ply"] == 0


def test_huge_and_malformed_requests(visitor, made):
    big = "x" * 100_000
    for content in (big, json.dumps({"game": big})):
        headers = {"Content-Type": "application/json"}
        assert visitor.http.post("/api/games", content=content, headers=headers).status_code == 413
    chunks = (b"x" * 10_000 for _ in range(20))
    assert visitor.http.post("/api/games", content=chunks).status_code == 413
    for form, status in (
        ({"game": "connect_n", "position": "7/7"}, 400),
        ({"game": "connect_n", "position": "9" * 19_000}, 400),
        ({"game": "connect_n", "options": {"width": 10**30}}, 400),
        ({"game": "connect_n", "seats": []}, 400),
        ({"game": "connect_n", "from": {"id": "nothing"}}, 404),
        ({"game": "/etc/passwd"}, 400),
        ({"game": "examples/tic_tac_toe.py"}, 400),
        ({"game": "tron", "options": {"map": "/etc/passwd"}}, 400),
        ({"game": "connect_n", "more": 1}, 422),
    ):
        answer = visitor.http.post("/api/games", json=form)
        assert answer.status_code == status, answer.text
        assert "Traceback" not in answer.text
    for name, options in (
        ("remote", {"command": "touch /tmp/x"}),
        ("program", {}),
        ("alphazero", {"weights": "/etc/passwd"}),
        ("relay", {"first": "remote(command='touch /tmp/x')"}),
        ("openspiel", {"native": "python"}),
        ("/tmp/bot.py", {}),
    ):
        seats = [{"kind": "person"}, {"kind": "agent", "agent": {"name": name, "options": options}}]
        form = {"game": "connect_n", "seats": seats}
        assert visitor.http.post("/api/games", json=form).status_code == 400, name
    for name in ("../../../../etc/passwd", "..%2f..%2fapp.py", "%2e%2e/app.py"):
        assert visitor.http.get(f"/static/{name}").status_code == 404


def closing_code(visitor, game, *messages):
    """Return the code with which a channel is closed after these messages."""
    try:
        with visitor.join(game) as page:
            for message in messages:
                page.socket.send(message)
            while True:
                page.hear()
    except ConnectionClosed as closed:
        return closed.rcvd.code


def test_a_channel_that_breaks_the_protocol_is_closed(site, visitor, made):
    for message in ("", "{}", "[1]", '{"type": "hello", "version": {}}', "{" * 1000):
        assert closing_code(visitor, made, message) == 1008
    assert closing_code(visitor, made, "x" * 70_000) == 1009
    assert closing_code(visitor, "missing") == 4404
    with closing(sqlite3.connect(site.store, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        assert closing_code(visitor, "missing") == 1013  # come back later
    again = json.dumps({"type": "stop", "request": "again"})
    assert closing_code(visitor, made, *[again] * 200) == 1008


def test_other_hosts_need_the_token(open_site):
    port, token = open_site
    address = f"http://127.0.0.1:{port}"
    assert httpx.get(f"{address}/").status_code == 403
    assert httpx.get(f"{address}/?token=wrong").status_code == 403
    assert httpx.get(f"{address}/static/x").status_code == 403
    with (
        pytest.raises((ConnectionClosed, InvalidStatus)),
        connect(f"ws://127.0.0.1:{port}/ws/game/x") as channel,
    ):
        channel.recv()
    bearer = {"Authorization": f"Bearer {token}"}
    assert httpx.get(f"{address}/api/catalogue", headers=bearer).status_code == 200
    with httpx.Client(follow_redirects=True) as browser:
        answer = browser.get(f"{address}/arena?token={token}&a=b")
        assert answer.status_code == 200
        assert str(answer.url) == f"{address}/arena?a=b"
        assert browser.get(f"{address}/api/catalogue").status_code == 200
    assert httpx.get(f"{address}/", headers=bearer | {"Host": "evil.example"}).status_code == 403


def test_a_thousand_idle_connections_lock_nobody_out(open_site):
    port, token = open_site
    bearer = {"Authorization": f"Bearer {token}"}
    with ExitStack() as idle:
        idle.enter_context(files_allowed(2048))
        for _ in range(1100):
            idle.enter_context(socket.create_connection(("127.0.0.1", port), WAIT))
        for _ in range(3):
            answer = httpx.get(f"http://127.0.0.1:{port}/api/status", headers=bearer, timeout=WAIT)
            assert answer.status_code == 200


@pytest.mark.parametrize(
    ("path", "leads_to"),
    [
        ("/", "/?a=b"),
        ("/game/x-Y_1", "/game/x-Y_1?a=b"),
        ("/api/games/x/record.txt", "/api/games/x/record.txt?a=b"),
        ("/\\evil.com/", "/"),
        ("//evil.com/", "/"),
        ("/\t//evil.com/", "/"),
        ("/%5Cevil.com", "/"),
        ("/%09//evil.com", "/"),
        ("/game/\\\\evil.com", "/"),
        ("http://evil.com/", "/"),
        ("evil.com", "/"),
        ("", "/"),
    ],
)
def test_a_link_with_the_token_leads_to_a_page_of_this_site(path, leads_to):
    sent = []

    async def redeem():
        async def send(message):
            sent.append(message)

        scope = {
            "type": "http", "method": "GET", "raw_path": path.encode(),
            "query_string": b"token=secret&a=b", "headers": [(b"host", b"127.0.0.1:8000")],
        }  # fmt: skip
        await Guard(None, "0.0.0.0", "secret")(scope, None, send)

    asyncio.run(redeem())
    headers = dict(sent[0]["headers"])
    assert (sent[0]["status"], headers[b"location"]) == (303, leads_to.encode())


def test_the_catalogue_offers_nothing_that_runs_programs():
    offered = Catalogue()
    assert {"mcts", "alphabeta", "random"} <= offered.agents.keys()
    assert not offered.agents.keys() & {"remote", "brown_tron", "nycu_sheep", "kaggle_connectx"}


def test_no_request_that_fits_the_description_breaks_the_server(site):
    schema = schemathesis.openapi.from_url(f"{site.address}/api/openapi.json")
    bounded = settings(
        max_examples=6, deadline=None, phases=[Phase.generate], database=None,
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    for operation in schema.get_all_operations():

        @bounded
        @given(case=operation.ok().as_strategy())
        def call(case):
            answer = case.call(base_url=site.address)
            assert answer.status_code < 500 or answer.status_code == 503, answer.text
            assert "Traceback" not in answer.text

        call()
