"""Runs in a Python that has VLMEvalKit: a folder of exported questions, answered by a stub model.

Arguments: the folder, a folder for the toolkit's files, `video` or `frames`, and the replies as JSON.
"""

import json
import runpy
import sys
from pathlib import Path

import torch

# A build of torchvision for GPUs does not find its operators beside torch for CPUs; none is used here.
library = torch.library.Library("torchvision", "DEF")
library.define("nms(Tensor d, Tensor s, float t) -> Tensor")
library.define("qnms(Tensor d, Tensor s, float t) -> Tensor")

import pandas as pd  # noqa: E402
import vlmeval.config  # noqa: E402  # pyright: ignore[reportMissingImports]
from vlmeval.dataset import EgoExoBench_MCQ  # noqa: E402  # pyright: ignore[reportMissingImports]

FOLDER, WORK, FORM, REPLIES = (*map(Path, sys.argv[1:3]), sys.argv[3], json.loads(sys.argv[4]))


class Stub:
    """A model that replies with given texts in turn, to media that are there."""

    is_api = False
    VIDEO_LLM = FORM == "video"

    def __init__(self, **_: object) -> None:
        self.replies = iter(REPLIES)

    def generate(self, message: list[dict], dataset: str | None = None) -> str:
        media = [part for part in message if part["type"] != "text"]
        assert media and all(Path(part["value"]).is_file() for part in media)
        shown.append([part["type"] for part in media])
        return next(self.replies)

    def set_dump_image(self, _: object) -> None:
        """Called by the toolkit; a stub dumps nothing."""


shown: list[list[str]] = []
vlmeval.config.supported_VLM["stub"] = Stub
sys.argv[1:] = ["--model", "stub", "--work-dir", str(WORK), "--judge", "exact_matching"]
runpy.run_path(str(FOLDER / "run_vlmevalkit.py"), run_name="__main__")
(WORK / "shown.json").write_text(json.dumps(shown))

# The same file with numbers that are not 0, 1, 2 ..., and not one reply that is right.
replied = pd.read_csv(WORK / "stub" / "stub_EgoExoBench_MCQ.tsv", sep="\t")
replied["index"] += 100
replied["prediction"] = ["B" if answer == "A" else "A" for answer in replied["answer"]]
(WORK / "cut").mkdir()
replied.to_csv(WORK / "cut" / "stub_EgoExoBench_MCQ.tsv", sep="\t", index=False)
EgoExoBench_MCQ.evaluate(str(WORK / "cut" / "stub_EgoExoBench_MCQ.tsv"), model="exact_matching")
