"""Layers as they stand in a file, and what PyTorch says of weights that do not fit; command lines and lines of logs."""

import pytest

from aiops_gym.sim.software.federated import network, speech

TEXT = """class Net(nn.Module):
    def __init__(self):
        self.conv = nn.Conv2d(3, 6, kernel_size=5)  # pictures
        self.pool = nn.MaxPool2d(2, 2)
        self.fc1 = torch.nn.Linear(6 * 14 * 14, 84)
        self.fc2 = nn.Linear(84, out_features=10)
"""
SHAPES = [(6, 3, 5, 5), (6,), (84, 1176), (84,), (10, 84), (10,)]


def shapes(text):
    return network.list_shapes(network.read_layers(text))


def test_layers_are_read_in_order_and_others_are_left_alone():
    assert network.find_class(TEXT) == "Net"
    assert [shape for _, shape in shapes(TEXT)] == SHAPES
    assert network.find_mismatch(shapes(TEXT), SHAPES) == []
    assert network.find_clash(network.read_layers(TEXT)) == ""


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("(84, out", "(80, out", ["size mismatch for fc2.weight: copying a param with shape torch.Size([10, 84]) "]),
        ("features=10", "features=9", ["size mismatch for fc2.weight: ", "size mismatch for fc2.bias: "]),
        ("14 * 14", "14 * 13", ["size mismatch for fc1.weight: "]),
        (
            "        self.fc2",
            "        self.fc3 = nn.Linear(9, 9)\n        self.fc2",
            ["Missing key(s) in state_dict: "] + 2 * ["size"],
        ),
    ],
)
def test_weights_that_do_not_fit_are_told_one_by_one(old, new, expected):
    found = network.find_mismatch(shapes(TEXT.replace(old, new)), SHAPES)
    assert len(found) == len(expected)
    assert all(line.startswith(start) for line, start in zip(found, expected, strict=True))


def test_layers_that_do_not_fit_one_another_are_found_when_they_are_applied():
    clash = network.find_clash(network.read_layers(TEXT.replace("(84, out", "(80, out")))
    assert clash == "mat1 and mat2 shapes cannot be multiplied (32x84 and 80x10)"


@pytest.mark.parametrize(
    "text", ["", "class Net:\n    pass\n", "class Net(nn.Module):\n  self.a = nn.Linear(x, y)\n", "(" * 9_999]
)
def test_what_is_no_network_has_no_layers(text):
    assert network.read_layers(text) == []


def test_words_are_filled_in_and_others_stay():
    words = {"levels": {"INFO": "I: ", "-": ""}, "hello": [["INFO", "<name> says <other>"], ["-", "<name>"]]}
    assert speech.write(words, "hello", name="<other>", x=1) == ["I: <other> says <other>", "<other>"]
