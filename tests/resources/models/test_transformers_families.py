"""The transformers engine on tiny checkpoints of five families: loading, batches, adapters, formats."""

from __future__ import annotations

import importlib.util
import json
import shutil
import time
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from resources.models import EngineUnavailableError, open_engine
from resources.models.engines.transformers_vlm import Setup, TransformersVLM, grouped_by_tokens
from resources.models.prompt import Clip, Prompt
from resources.models.runs import RunConfig
from tests.resources.models.tiny_checkpoints import FAMILIES, make_checkpoint

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("torch") is None or importlib.util.find_spec("transformers") is None,
    reason="vision-language models not tested: torch or transformers is not installed",
)


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Folder of a family's checkpoint, made once."""
    base = tmp_path_factory.mktemp("checkpoints")
    return cache(lambda name: make_checkpoint(FAMILIES[name], base / name))


@pytest.fixture(scope="module")
def engine(checkpoint: Any) -> Any:
    """A family's engine, loaded once."""
    return cache(lambda name: TransformersVLM(str(checkpoint(name)), 4))


def noise(recording: str, part: int, pts: list[int]) -> list[np.ndarray]:
    seed = sum(map(ord, recording))
    return [
        np.random.default_rng([seed, i]).integers(0, 256, (72, 96, 3), dtype=np.uint8) for i in pts
    ]


def prompt(name: str, *recordings: str, text: str = "Which?", **changes: Any) -> Prompt:
    clips = [
        Clip(f"option_{letter}", rec, "content", 0.0, 1.0, ((0, 1, 0.1), (0, 2, 0.2)))
        for letter, rec in zip("ABCD", recordings, strict=False)
    ]
    base = Prompt(
        f"key-{name}",
        (*clips, text),
        choices=tuple("ABCD"),
        short_side_px=48,
        max_tokens=4,
        item=name,
    )
    return replace(base, **changes)


BATCH = [
    prompt("text", text="No clip at all?"),
    prompt("one", "rec1"),
    prompt("long", "rec1", text="word " * 30),
    prompt("two", "rec1", "rec2"),
    prompt("other", "rec2", "rec1"),
]


@pytest.mark.parametrize("family", sorted(FAMILIES))
def test_batches_reply_as_each_alone_and_pixels_count(engine: Any, family: str) -> None:
    loaded = engine(family)
    began = time.perf_counter()
    together = loaded.ask(BATCH, noise)
    # Each has its share of the time: none waits for another group at its own expense.
    assert 0 < sum(r.seconds for r in together) <= time.perf_counter() - began
    assert [r.status for r in together] == ["ok"] * 5, [r.error for r in together]
    for asked, reply in zip(BATCH, together, strict=True):
        (alone,) = engine(family).ask([asked], noise)
        assert reply.option_scores == pytest.approx(alone.option_scores, abs=1e-3)
        assert reply.prompt_tokens == alone.prompt_tokens
    by_name = {
        asked.item: reply.option_scores for asked, reply in zip(BATCH, together, strict=True)
    }
    # The same words and clips in another order.
    assert np.abs(np.subtract(by_name["two"], by_name["other"])).max() > 1e-3


@pytest.mark.parametrize("family", sorted(FAMILIES))
def test_a_letters_likelihood_is_that_of_the_first_token(engine: Any, family: str) -> None:
    """Bytes are the tokens: scoring the text "A" and asking for a letter must agree."""
    (written,) = engine(family).ask([BATCH[3]], noise)
    asked = replace(BATCH[3], likelihood="sum", choice_texts=tuple("ABCD"))
    (scored,) = engine(family).ask([asked], noise)
    assert scored.option_scores == pytest.approx(written.option_scores, abs=1e-3)
    assert json.loads(scored.text)["tokens"] == [1, 1, 1, 1]


# --- batches by tokens ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("lengths", "most", "groups"),
    [
        ([], 10, []),
        ([5, 5, 5, 5], 10, [[0, 1], [2, 3]]),
        ([9, 2, 2, 2, 8], 10, [[1, 2, 3], [4], [0]]),
        ([30, 1], 10, [[1], [0]]),
    ],
)
def test_groups_hold_prompts_of_like_length(
    lengths: list[int], most: int, groups: list[list[int]]
) -> None:
    assert grouped_by_tokens(lengths, most) == groups


def test_a_batch_stays_within_its_tokens(
    checkpoint: Any, engine: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = engine("qwen2_5_vl").ask(BATCH, noise)
    lengths = [reply.prompt_tokens for reply in plain]
    most = 2 * max(lengths)
    made = TransformersVLM(str(checkpoint("qwen2_5_vl")), 1, setup=Setup(batch_tokens=most))
    assert made.model == engine("qwen2_5_vl").model, (
        "how prompts are grouped is not part of a model"
    )
    computed: list[tuple[int, int]] = []
    generate = TransformersVLM._generate

    def spy(self: TransformersVLM, chats: list, reasons: bool) -> list:
        widest = max(int(self._inputs([chat])["attention_mask"].sum()) for chat in chats)
        computed.append((len(chats), widest))
        return generate(self, chats, reasons)

    monkeypatch.setattr(TransformersVLM, "_generate", spy)
    replies = made.ask(BATCH, noise)
    assert [r.call_key for r in replies] == [p.key for p in BATCH]
    for a, b in zip(plain, replies, strict=True):
        assert a.option_scores == pytest.approx(b.option_scores, abs=1e-3)
    assert sum(n for n, _ in computed) == 5
    assert max(n for n, _ in computed) > 1
    assert all(n * widest <= most for n, widest in computed)


def test_a_prompt_that_cannot_be_counted_is_its_own_error(checkpoint: Any) -> None:
    made = TransformersVLM(str(checkpoint("qwen2_5_vl")), setup=Setup(batch_tokens=10_000))
    bad, good = made.ask([prompt("x", text="word " * 2000), BATCH[1]], noise)
    assert "over the context of 8192" in str(bad.error)
    assert good.status == "ok"


# --- number formats, devices ----------------------------------------------------------------------


def test_number_format_is_part_of_the_label(checkpoint: Any, engine: Any) -> None:
    import torch

    made = TransformersVLM(str(checkpoint("qwen2_5_vl")), setup=Setup(dtype="bfloat16"))
    assert made.model == engine("qwen2_5_vl").model + " dtype=bfloat16"
    (reply,) = made.ask(BATCH[1:2], noise)
    (exact,) = engine("qwen2_5_vl").ask(BATCH[1:2], noise)
    assert next(made._model.parameters()).dtype == torch.bfloat16
    assert reply.option_scores == pytest.approx(exact.option_scores, abs=0.2)
    assert reply.option_scores != exact.option_scores


def test_a_device_that_is_not_here_stops_the_run(checkpoint: Any) -> None:
    made = TransformersVLM(str(checkpoint("qwen2_5_vl")), setup=Setup(device="cuda:7"))
    with pytest.raises(EngineUnavailableError, match="device 'cuda:7' is not here"):
        made.ask(BATCH[1:2], noise)


# --- adapters -------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def adapter(checkpoint: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A LoRA adapter of the language model's queries, drawn at random."""
    import torch
    from peft import LoraConfig, get_peft_model
    from transformers import AutoModelForImageTextToText

    torch.manual_seed(3)
    model = AutoModelForImageTextToText.from_pretrained(str(checkpoint("qwen2_5_vl")))
    settings = LoraConfig(r=4, target_modules=["q_proj", "v_proj"], init_lora_weights=False)
    folder = tmp_path_factory.mktemp("adapters") / "kitchens"
    get_peft_model(model, settings).save_pretrained(str(folder))
    return folder


def test_adapter_changes_replies_alike_merged_and_active(
    checkpoint: Any, engine: Any, adapter: Path
) -> None:
    base = engine("qwen2_5_vl")
    (plain,) = base.ask(BATCH[1:2], noise)
    active, merged = (
        TransformersVLM(
            str(checkpoint("qwen2_5_vl")), setup=Setup(adapter=str(adapter), merge_adapter=merge)
        )
        for merge in (False, True)
    )
    (a,), (m,) = active.ask(BATCH[1:2], noise), merged.ask(BATCH[1:2], noise)
    assert a.option_scores == pytest.approx(m.option_scores, abs=1e-3)
    assert np.abs(np.subtract(a.option_scores, plain.option_scores)).max() > 1e-2
    assert active.model.startswith(base.model + " adapter=kitchens@")
    assert active.model.replace(" active ", " merged ") == merged.model


def test_label_follows_the_adapters_content(checkpoint: Any, adapter: Path, tmp_path: Path) -> None:
    def label(folder: Path) -> str:
        setup = Setup(adapter=str(folder))
        return TransformersVLM(str(checkpoint("qwen2_5_vl")), setup=setup).model

    copy = shutil.copytree(adapter, tmp_path / adapter.name)
    (copy / "README.md").write_text("Trained on kitchens.")
    assert label(copy) == label(adapter)
    weights = bytearray((copy / "adapter_model.safetensors").read_bytes())
    weights[-1] ^= 1
    (copy / "adapter_model.safetensors").write_bytes(weights)
    assert label(copy) != label(adapter)


def test_adapters_that_cannot_be_used(checkpoint: Any, adapter: Path, tmp_path: Path) -> None:
    def opened(folder: Path, family: str = "qwen2_5_vl") -> TransformersVLM:
        return TransformersVLM(str(checkpoint(family)), setup=Setup(adapter=str(folder)))

    with pytest.raises(
        EngineUnavailableError, match=r"lacks adapter_config\.json and adapter_model"
    ):
        opened(tmp_path)
    pickled = shutil.copytree(adapter, tmp_path / "pickled")
    (pickled / "adapter_model.safetensors").rename(pickled / "adapter_model.bin")
    with pytest.raises(EngineUnavailableError, match=r"lacks adapter_model\.safetensors"):
        opened(pickled)
    other = shutil.copytree(adapter, tmp_path / "other")
    settings = json.loads((other / "adapter_config.json").read_text())
    (other / "adapter_config.json").write_text(json.dumps(settings | {"peft_type": "IA3"}))
    with pytest.raises(EngineUnavailableError, match="'IA3' is not LORA"):
        opened(other)
    # Another model's: its layers have these names, and more of them.
    (other / "adapter_config.json").write_text(
        json.dumps(settings | {"target_modules": ["q_proj", "v_proj", "o_proj"]})
    )
    with pytest.raises(EngineUnavailableError, match="is for another model"):
        opened(other).ask(BATCH[:1], noise)


def test_settings_of_a_run_reach_the_engine(checkpoint: Any, adapter: Path) -> None:
    run = RunConfig(
        "r",
        "transformers_vlm",
        "direct",
        model=str(checkpoint("qwen2_5_vl")),
        dtype="float32",
        adapter=str(adapter),
        merge_adapter=True,
    )
    label = open_engine(run).model
    assert " dtype=float32 adapter=kitchens@" in label
    assert " merged peft=" in label
    assert run.note == "It is asked with the adapter kitchens."
    if importlib.util.find_spec("torchvision") is None:
        with pytest.raises(EngineUnavailableError, match="needs torchvision"):
            open_engine(replace(run, video=True))
    with pytest.raises(
        EngineUnavailableError, match=r"engine random does not read .*; adapter, which is"
    ):
        open_engine(replace(run, engine="random", dtype="auto"))
    served = RunConfig(
        "r", "openai_server", "direct", model="m", base_url="http://h/v1", video=True
    )
    assert open_engine(served).capabilities.video
