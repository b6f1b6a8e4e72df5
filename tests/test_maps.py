"""Maps are found by name or in a file, and errors name the row and the column."""

import pytest

from plyground.errors import PlygroundError, TextError, UnknownNameError
from plyground.maps import check_rows, find_map

NAMED = {"small": "\n..#\n#..\n", "large": "....\n....\n....\n...."}


def test_a_map_is_found_by_its_name():
    assert find_map("tron", "small", NAMED) == ["..#", "#.."]


def test_a_map_is_found_in_a_file(tmp_path):
    (tmp_path / "own.txt").write_text("#.\n.#\n")
    assert find_map("tron", str(tmp_path / "own.txt"), NAMED) == ["#.", ".#"]


def test_an_unknown_map_brings_a_suggestion():
    with pytest.raises(UnknownNameError, match="map of tron 'smal'; did you mean 'small'"):
        find_map("tron", "smal", NAMED)


@pytest.mark.parametrize(
    ("content", "part"), [(b"\xff\xfe\x00", "is not text"), (b"." * 70_000, "is larger than 65536")]
)
def test_a_file_that_is_no_map_is_refused(tmp_path, content, part):
    (tmp_path / "own.txt").write_bytes(content)
    with pytest.raises(TextError, match=part):
        find_map("tron", str(tmp_path / "own.txt"), NAMED)


@pytest.mark.parametrize("source", ["\0", "x" * 5000, ".", ""])
def test_a_name_that_is_no_path_is_refused(source):
    with pytest.raises(PlygroundError):
        find_map("tron", source, NAMED)


@pytest.mark.parametrize(
    ("rows", "part"),
    [
        ([], "the map is empty"),
        ([""], "the map is empty"),
        (["...", ".."], "row 2 of the map has 2 cells, row 1 has 3"),
        (["...", ".z."], "'z' at row 2, column 2 of the map; allowed: '.', '#'"),
        (["....."], "the map is 5 x 1; at most 4 x 4 are allowed"),
        (["."] * 5, "the map is 1 x 5; at most 4 x 4 are allowed"),
    ],
)
def test_rows_that_make_no_map_are_refused(rows, part):
    with pytest.raises(TextError) as caught:
        check_rows("tron", rows, ".#", 4)
    assert part in str(caught.value)


def test_good_rows_pass():
    for text in NAMED.values():
        check_rows("tron", text.strip("\n").split("\n"), ".#", 4)
