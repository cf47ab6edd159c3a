"""Any transformers vision-language model whose files are on this machine.

Frames go in as pictures, in the model's own turn format; as videos where the run says so, with the time
of every frame if the model's processor takes times. Replies are greedy, unless the prompt names a
temperature: then they are drawn with a seed that follows from the prompt. Nothing is fetched, no pickled
weights are opened, and code beside the weights runs only where the run says so by name. A question's
text cannot write the model's turn or picture markers: they are encoded as characters.
"""

from __future__ import annotations

import gc
import inspect
import io
import logging
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from blake3 import blake3

from resources.models.base import (
    REASONING_TOKENS,
    Capabilities,
    EngineUnavailableError,
    Media,
    is_cut_in_reasoning,
    is_open_reasoning,
    likelihood_reply,
    prepare,
    scored_texts,
    to_jpeg,
)
from resources.models.engines.adapters import adapter_label, find_adapter, with_adapter
from resources.models.engines.clip_videos import Timing, parts_with_clips, timing
from resources.models.engines.transformers_files import (
    digest_of,
    find_model,
    load_processor,
    runtime,
    torchvision_version,
)
from resources.models.engines.video_forms import VideoForm, video_form
from resources.models.prompt import Clip, Prompt
from resources.models.reply import ClipForm, Reply, clip_form

_LOG = logging.getLogger("parallax")

# Where a turn format that begins the model's reasoning says so.
_TAIL_TOKENS = 8
# Of the picture that processors of videos are tried out with: rows, columns, channels.
_TRIAL_SHAPE = (64, 96, 3)


@dataclass(frozen=True, slots=True)
class Setup:
    """How a model is loaded and fed.

    Attributes:
        dtype: Number format; `auto` takes that of the files.
        device: Where it computes; `auto` takes a GPU if there is one.
        adapter: Folder of a LoRA adapter; empty for none.
        merge_adapter: Whether the adapter is added into the weights.
        batch_tokens: Most tokens computed together, padding included; None leaves it to the number
            of prompts.
        video: Whether clips go in as videos.
    """

    dtype: str = "auto"
    device: str = "auto"
    adapter: str = ""
    merge_adapter: bool = False
    batch_tokens: int | None = None
    video: bool = False


def grouped_by_tokens(lengths: Sequence[int], most_tokens: int) -> list[list[int]]:
    """Positions of prompts that are computed together: as many of like length as fit.

    Args:
        lengths: Tokens of each prompt.
        most_tokens: Most tokens of a group when all are padded to its longest; a longer prompt is
            alone.
    """
    groups: list[list[int]] = []
    for at in sorted(range(len(lengths)), key=lambda at: lengths[at]):
        # In ascending order the newest is the longest.
        if groups and (len(groups[-1]) + 1) * lengths[at] <= most_tokens:
            groups[-1].append(at)
        else:
            groups.append([at])
    return groups


class TransformersVLM:
    """A vision-language model in process.

    Args:
        name: Folder, or name in the local cache.
        batch: Requests computed together, padded on the left. Padding changes sums in their last
            bits, so two batch sizes may break an exact tie differently.
        trust_remote_code: Whether code beside the weights may run.
        setup: How it is loaded and fed.

    Raises:
        EngineUnavailableError: Model, adapter, torch or transformers are not here.
    """

    capabilities = Capabilities(images=True, option_likelihood=True)
    # How videos are taken; None where clips go in as images.
    _form: VideoForm | None = None

    def __init__(
        self,
        name: str,
        batch: int = 4,
        trust_remote_code: bool = False,
        setup: Setup = Setup(),
    ) -> None:
        versions = runtime()
        self._folder = find_model(name)
        self._trust = trust_remote_code
        self._batch = batch
        self._setup = setup
        self._adapter = find_adapter(setup.adapter) if setup.adapter else None
        label = name if not Path(name).expanduser().is_dir() else self._folder.name
        code = " remote code" if trust_remote_code else ""
        self.model = f"{label}@{digest_of(self._folder)}{code} {versions} turn=1"
        # What is not set is not named: a label stands for the same replies as it always did.
        if setup.dtype != "auto":
            self.model += f" dtype={setup.dtype}"
        if self._adapter is not None:
            self.model += " " + adapter_label(self._adapter, setup.merge_adapter)
        if setup.video:
            self.capabilities = replace(self.capabilities, video=True)
            self.model += f" video=1 {torchvision_version()}"
        self._model: Any = None
        self._processor: Any = None
        self._reasons = False

    def ask(self, batch: Sequence[Prompt], media: Media) -> list[Reply]:
        """One reply per prompt, in order; letters are generated, option texts are scored."""
        if batch and self._model is None:
            self._load()
        form = self._form
        chats, replies = prepare(batch, lambda r, decoded: _Chat(r, media, decoded, form))
        scored = [chat for chat in chats if chat.prompt.likelihood is not None]
        # What is drawn at random is drawn alone: it must not depend on what else is asked.
        drawn = [c for c in chats if c.prompt.likelihood is None and c.prompt.temperature > 0]
        spoken = [c for c in chats if c.prompt.likelihood is None and c.prompt.temperature == 0]
        groups = [[chat] for chat in (*scored, *drawn)]
        for group in chain(groups, self._groups(spoken)):
            for chat, reply in zip(group, self._try(group), strict=True):
                replies[chat.prompt.key] = reply
        return [replies[prompt.key] for prompt in batch]

    def close(self) -> None:
        """Give back the memory of the weights, which the next prompt loads again."""
        if self._model is None:
            return
        import torch

        kind = self._model.device.type
        self._model = self._processor = None
        # What was freed is kept for this process until it is told to give it back.
        gc.collect()
        if kind != "cpu":
            getattr(torch, kind).empty_cache()

    def _groups(self, chats: list[_Chat]) -> list[list[_Chat]]:
        """Chats that are computed together."""
        most = self._setup.batch_tokens
        if most is None:
            return [chats[at : at + self._batch] for at in range(0, len(chats), self._batch)]
        lengths: list[int] = []
        for chat in chats:
            try:
                lengths.append(int(self._inputs([chat])["attention_mask"].sum()))
            except Exception:  # noqa: BLE001 - alone it fails again, and is its own row
                lengths.append(most + 1)
        return [[chats[at] for at in group] for group in grouped_by_tokens(lengths, most)]

    def _try(self, group: list[_Chat]) -> list[Reply]:
        """Replies of a group; where it fails, each of it is tried alone.

        The seconds of each are its share of the time, so that those of all calls sum up to it.
        """
        began = time.perf_counter()
        try:
            replies = self._answered(group)
        except Exception as cause:  # noqa: BLE001 - a fault of one request is its row
            _share(group, began)
            if len(group) == 1:
                return [Reply.failed(group[0].prompt, cause, group[0].seconds)]
            return [reply for chat in group for reply in self._try([chat])]
        _share(group, began)
        return [
            replace(reply, seconds=chat.seconds) for chat, reply in zip(group, replies, strict=True)
        ]

    def _answered(self, group: list[_Chat]) -> list[Reply]:
        """Replies of a group, in order."""
        if group[0].prompt.likelihood is not None:
            return [self._score(group[0])]
        replies = self._generate(group, self._reasons)
        cut = [
            at
            for at, (chat, reply) in enumerate(zip(group, replies, strict=True))
            if is_cut_in_reasoning(
                chat.prompt,
                reply.text or "",
                reply.finish_reason,
                opens_reasoning=chat.opens_reasoning,
            )
        ]
        if cut and not self._reasons:
            self._reasons = True
            for at, reply in zip(cut, self._generate([group[at] for at in cut], True), strict=True):
                replies[at] = reply
        return replies

    def _load(self) -> None:
        from transformers import AutoModelForImageTextToText
        from transformers.utils.logging import disable_progress_bar

        disable_progress_bar()
        folder = str(self._folder)
        safe: dict[str, Any] = {"local_files_only": True, "trust_remote_code": self._trust}
        try:
            self._processor = load_processor(self._folder, safe, video=self._setup.video)
            if self._setup.video:
                self._form = video_form(self._processed_video)
                if not self._form.takes_times:
                    _LOG.warning(
                        "%s takes no times of frames: %s is told their order, and not when they were taken",
                        type(self._processor).__name__,
                        self._folder.name,
                    )
            loaded: Any = AutoModelForImageTextToText.from_pretrained(
                folder,
                dtype=self._setup.dtype,
                use_safetensors=True,
                output_loading_info=True,
                **safe,
            )
            model, told = loaded
            # The library draws what it does not find: such a model would answer at random.
            absent = sorted({*told["missing_keys"], *map(str, told["mismatched_keys"])})
            if absent:
                raise ValueError(f"{len(absent)} weights are missing, {absent[0]} among them")
            if self._adapter is not None:
                model = with_adapter(model, self._adapter, self._setup.merge_adapter)
        except Exception as cause:
            raise EngineUnavailableError(
                f"transformers_vlm: {folder} does not load: {cause}; only if it needs code of its"
                " own and you trust that code, set `trust_remote_code = true` in the run"
            ) from cause
        self._model = model.to(_device(self._setup.device)).eval()

    def _processed(self, chats: Sequence[_Chat]) -> Any:
        return self._processor.apply_chat_template(
            [chat.messages for chat in chats],
            add_generation_prompt=True,
            tokenize=True,
            return_dict=True,
            return_tensors="pt",
            sanitize_control_tokens=True,
            processor_kwargs={"padding": True, **_video_arguments(chats)},
        )

    def _processed_video(self, times_s: Sequence[Sequence[float]]) -> Any:
        """Inputs of a prompt that shows clips of one and the same picture at these times."""
        clips = [
            Clip(
                f"option_{letter}",
                "grey",
                "content",
                0.0,
                times[-1],
                tuple((0, 0, t) for t in times),
            )
            for letter, times in zip("ABCD", times_s, strict=False)
        ]
        grey = np.full(_TRIAL_SHAPE, 128, np.uint8)
        prompt = Prompt("video", (*clips, "?"))
        form = VideoForm(takes_times=True, mixes_lengths=True)
        return self._processed([_Chat(prompt, lambda _r, _p, pts: [grey for _ in pts], {}, form)])

    def _inputs(self, chats: Sequence[_Chat], n_reply: int = 0) -> Any:
        inputs = self._processed(chats)
        text = self._model.config.get_text_config()
        room = getattr(text, "max_position_embeddings", None)
        longest = int(inputs["attention_mask"].sum(-1).max())
        over = 0 if room is None else longest + n_reply - room
        if over > 0:
            raise ValueError(f"question and frames are {over} tokens over the context of {room}")
        return inputs.to(self._model.device)

    def _generate(self, chats: list[_Chat], reasons: bool) -> list[Reply]:
        import torch
        from transformers import GenerationConfig

        prompt, tokenizer = chats[0].prompt, self._processor.tokenizer
        room = prompt.reasoning_tokens
        if room is None:
            room = REASONING_TOKENS if reasons else 0
        most = prompt.max_tokens + room
        inputs = self._inputs(chats, most)
        # Drawn from the whole distribution: cuts a model ships (top-k, top-p) are left out too.
        draws: dict[str, Any] = (
            {"do_sample": True, "temperature": prompt.temperature, "top_k": 0, "top_p": 1.0}
            if prompt.temperature > 0
            else {"do_sample": False}
        )
        told: Any = self._model.generation_config
        ends = told.eos_token_id
        ends = [] if ends is None else ends if isinstance(ends, list) else [ends]
        ends = ends or [tokenizer.eos_token_id]
        # Settings a model ships for sampling, and its repetition penalty, are left out.
        plain = GenerationConfig(
            **draws,
            num_beams=1,
            repetition_penalty=1.0,
            max_new_tokens=most,
            eos_token_id=ends,
            pad_token_id=tokenizer.pad_token_id if tokenizer.pad_token_id is not None else ends[0],
            return_dict_in_generate=True,
            output_logits=True,
        )
        with torch.inference_mode(), torch.random.fork_rng(enabled=prompt.temperature > 0):
            if prompt.temperature > 0:
                torch.manual_seed(_draw_seed(prompt))
            out = self._model.generate(**inputs, generation_config=plain)
        first = torch.log_softmax(out.logits[0].float(), dim=-1).cpu()
        width = inputs["input_ids"].shape[1]
        replies: list[Reply] = []
        for at, chat in enumerate(chats):
            new = out.sequences[at, width:].tolist()
            tail = inputs["input_ids"][at, -_TAIL_TOKENS:].tolist()
            chat.opens_reasoning = is_open_reasoning(tokenizer.decode(tail))
            stop = next((i for i, token in enumerate(new) if token in ends), None)
            said = new if stop is None else new[:stop]
            replies.append(
                Reply(
                    chat.prompt.key,
                    "ok",
                    tokenizer.decode(said, skip_special_tokens=True),
                    option_scores=self._letters(first[at], chat.prompt),
                    bytes_hash=chat.bytes_hash,
                    finish_reason="length" if stop is None else "stop",
                    prompt_tokens=int(inputs["attention_mask"][at].sum()),
                    completion_tokens=len(new) if stop is None else stop + 1,
                    clips_sent_as=chat.clips_sent_as,
                )
            )
        return replies

    def _letters(self, first: Any, prompt: Prompt) -> tuple[float, ...] | None:
        """Log-probability of each letter as the first token, where each is one token."""
        tokens = [
            self._processor.tokenizer.encode(letter, add_special_tokens=False)
            for letter in prompt.choices
        ]
        if any(len(each) != 1 for each in tokens):
            return None
        return tuple(round(float(first[each[0]]), 4) for each in tokens)

    def _score(self, chat: _Chat) -> Reply:
        prompt = chat.prompt
        texts = scored_texts(prompt)
        inputs = self._inputs([chat])
        encode = self._processor.tokenizer.encode
        options = [
            encode(text, add_special_tokens=False, split_special_tokens=True) for text in texts
        ]
        sums = [round(self._log_likelihood(inputs, tokens), 4) for tokens in options]
        lengths = [len(tokens) for tokens in options]
        said, scores = likelihood_reply(prompt, sums, lengths)
        return Reply(
            prompt.key,
            "ok",
            said,
            option_scores=scores,
            bytes_hash=chat.bytes_hash,
            finish_reason="stop",
            prompt_tokens=int(inputs["attention_mask"].sum()),
            completion_tokens=sum(lengths),
            clips_sent_as=chat.clips_sent_as,
        )

    def _log_likelihood(self, inputs: Mapping[str, Any], tokens: list[int]) -> float:
        """Summed log-likelihood of the tokens after the prompt and its frames."""
        import torch

        prompt = inputs["input_ids"]
        more = torch.tensor([tokens], device=prompt.device, dtype=prompt.dtype)
        whole = dict(inputs)
        for name, value in inputs.items():
            # What runs along the tokens grows with them: 1 in the mask, 0 (text) in token types.
            if getattr(value, "shape", None) == prompt.shape:
                fill = torch.ones_like(more) if name == "attention_mask" else torch.zeros_like(more)
                whole[name] = torch.cat([value, more if name == "input_ids" else fill.to(value)], 1)
        if "logits_to_keep" in inspect.signature(self._model.forward).parameters:
            whole["logits_to_keep"] = len(tokens) + 1
        with torch.inference_mode():
            logits = self._model(**whole, use_cache=False).logits[0, -len(tokens) - 1 : -1]
        steps = torch.log_softmax(logits.float(), dim=-1)
        return float(steps.gather(1, more[0][:, None].to(steps.device)).sum())


class _Chat:
    """A prompt as the messages of a chat, with its pictures."""

    def __init__(
        self,
        prompt: Prompt,
        media: Media,
        decoded: dict[Clip, list[np.ndarray]],
        form: VideoForm | None = None,
    ) -> None:
        self.prompt = prompt
        began = time.perf_counter()
        # Some turn formats begin the reasoning themselves.
        self.opens_reasoning = False
        sent = blake3()
        content: list[dict[str, Any]] = []
        self.timings: list[Timing] = []
        parts = parts_with_clips(prompt, media, decoded)
        lengths = {
            len(part.frames) for part in parts if not isinstance(part, str) and part.is_video
        }
        video = form is not None and (form.mixes_lengths or len(lengths) == 1)
        for part in parts:
            if isinstance(part, str):
                content.append({"type": "text", "text": part})
                continue
            pictures = [_picture(frame, prompt.encoding) for frame in part.frames]
            for picture in pictures:
                sent.update(str(picture.size).encode() + picture.tobytes())
            if video and part.is_video:
                self.timings.append(timing(part.clip))
                sent.update(repr(self.timings[-1]).encode())
                content.append({"type": "video", "video": np.stack(pictures)})
            else:
                content += [{"type": "image", "image": picture} for picture in pictures]
        self.messages: list[dict[str, Any]] = [{"role": "user", "content": content}]
        if prompt.system:
            system = [{"type": "text", "text": prompt.system}]
            self.messages.insert(0, {"role": "system", "content": system})
        self.bytes_hash = sent.hexdigest(length=16) if prompt.clips else None
        # Time that it took alone, and its share of what was computed together.
        self.seconds = time.perf_counter() - began
        kinds = [part["type"] for part in content]
        self.clips_sent_as: ClipForm | None = clip_form(kinds.count("image"), kinds.count("video"))


def _share(group: Sequence[_Chat], began: float) -> None:
    """Share out the time since `began` among chats that were computed together."""
    seconds = (time.perf_counter() - began) / len(group)
    for chat in group:
        chat.seconds += seconds


def _video_arguments(chats: Sequence[_Chat]) -> dict[str, Any]:
    """What a processor needs to know of the videos of a batch; nothing where there are none."""
    timings = [[each.metadata() for each in chat.timings] for chat in chats]
    if not any(timings):
        return {}
    return {"video_metadata": timings, "do_sample_frames": False}


def _device(name: str) -> str:
    """Device by its name in the configuration.

    Raises:
        EngineUnavailableError: It is not here.
    """
    import torch

    if name == "auto":
        return "cuda" if torch.cuda.is_available() else "cpu"
    try:
        torch.empty(0, device=name)
    except (RuntimeError, AssertionError) as cause:
        raise EngineUnavailableError(
            f"transformers_vlm: device {name!r} is not here ({str(cause).splitlines()[0]}); correct"
            " the run, or leave it out for a GPU if there is one"
        ) from cause
    return name


def _draw_seed(prompt: Prompt) -> int:
    """Seed of a reply that is drawn at random: equal prompts and seeds give equal replies."""
    text = f"{prompt.sampling_seed or 0}/{prompt.key}"
    return int.from_bytes(blake3(text.encode()).digest(length=4), "big")


def _picture(frame: np.ndarray, encoding: str) -> Any:
    from PIL import Image

    if encoding == "rgb":
        return Image.fromarray(frame)
    with Image.open(io.BytesIO(to_jpeg(frame, encoding))) as picture:
        return picture.convert("RGB")
