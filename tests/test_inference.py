"""Networks as files from outside: run, or refused in one line before anything is allocated."""

from random import Random

import pytest

pytest.importorskip("onnxruntime", reason="ONNX Runtime is not installed")
pytest.importorskip("onnx", reason="the package onnx is not installed")

from tiny_networks import FORGERIES, save, tiny_network

from plyground import load_agent
from plyground.errors import CannotPlayError, OptionError, PlygroundError
from plyground.inference import Inference
from plyground.inference.file import LARGEST_FILE, NetworkFile


def test_a_tiny_network_plays(connect_four, tmp_path):
    weights = save(tiny_network(connect_four), tmp_path / "tiny.onnx")
    for agent in ("network", "alphazero"):
        thought = load_agent(f"{agent}(weights={weights!r})").think(connect_four.start())
        assert thought.action in range(7)


@pytest.mark.parametrize("forge", FORGERIES, ids=lambda forge: forge.__name__)
def test_a_forged_file_is_refused_before_it_is_run(forge, connect_four, tmp_path):
    model = tiny_network(connect_four)
    forge(model)
    weights = save(model, tmp_path / "forged.onnx")
    with pytest.raises(
        OptionError, match=r"forged\.onnx is not a network that can be run"
    ) as raised:
        load_agent(f"alphazero(weights={weights!r})").prepare(connect_four)
    assert FORGERIES[forge] in str(raised.value)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("content", [b"", b"not a network", b"\x80" * 40])
def test_a_file_of_another_kind_is_refused(content, tmp_path):
    (tmp_path / "other.onnx").write_bytes(content)
    with pytest.raises(OptionError, match=r"other\.onnx is not a network"):
        NetworkFile(tmp_path / "other.onnx")


def test_a_file_is_not_read_if_it_is_too_large(tmp_path):
    with (tmp_path / "huge.onnx").open("wb") as file:
        file.truncate(LARGEST_FILE + 1)
    with pytest.raises(OptionError, match="larger than 256 MiB"):
        NetworkFile(tmp_path / "huge.onnx")


def test_a_network_whose_numbers_are_not_finite_is_refused(connect_four, tmp_path):
    model = tiny_network(connect_four)
    kernel = model.graph.initializer[0]
    kernel.raw_data = b"\xff" * len(kernel.raw_data)
    weights = save(model, tmp_path / "nan.onnx")
    for agent in ("network", "alphazero"):
        with pytest.raises(CannotPlayError, match="not finite"):
            load_agent(f"{agent}(weights={weights!r})").think(connect_four.start())


def test_damaged_files_are_run_or_refused_in_one_line(connect_four, tmp_path):
    """Bytes changed at random: whatever the runtime is given, no other error reaches a player."""
    content = tiny_network(connect_four).SerializeToString()
    draw, answers = Random(1), []
    for number in range(300):
        damaged = bytearray(content)
        for _ in range(draw.randint(1, 3)):
            damaged[draw.randrange(len(damaged))] = draw.randrange(256)
        path = tmp_path / f"{number}.onnx"
        path.write_bytes(damaged)
        try:
            Inference(connect_four, str(path)).ask_about(connect_four.start())
            answers.append("")
        except PlygroundError as error:
            answers.append(str(error))
    assert 0 < answers.count("") < 300
    assert not any("\n" in answer for answer in answers)
