"""Every error of the configuration is a ConfigError of one sentence that says where, what and how."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from assets.configuration import check_settings, load_configuration
from resources.config import ConfigError, load_settings
from resources.models.runs import RunConfig

STORE = 'store = "tables"\n'
SOURCE = STORE + '[sources.house]\nlayout = "egoexolearn"\nroot = "raw"\n'
RUN = STORE + '[runs.r]\nengine = "random"\nprotocol = "own"\n'
BENCHMARK = STORE + "[benchmarks.egoprox]\nsources = []\n"
PROTOCOL = STORE + "[protocols.mine]\n"


def message(folder: Path, text: str) -> str:
    """What is said of a configuration, without the path of its file."""
    path = folder / "parallax.toml"
    path.write_text(text)
    with pytest.raises(ConfigError) as raised:
        load_configuration(path)
    said = str(raised.value)
    assert said.startswith(str(path)), "the file is named"
    assert "\n" not in said
    return said.removeprefix(str(path))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        # TOML
        ("store = tables\n", "line 1, column 9 is not valid TOML"),
        (STORE + "store = 1\n", "line 2, column 10 is not valid TOML"),
        (STORE + "[runs.r\n", "line 2, column 8 is not valid TOML"),
        (STORE + 'page = """\n', "end of document is not valid TOML"),
        # keys
        ('page = "x"\n', "store is missing; write for example `store = "),
        (STORE + "stroe = 1\n", ":2: stroe is not a known key; did you mean `store`?"),
        (STORE + "[source.x]\n", "source is not a known key; did you mean `sources`?"),
        (RUN + "temprature = 0.5\n", ":5: runs.r.temprature is not a known key; did you mean `temp"),
        (RUN + "zzzzzz = 0.5\n", "runs.r.zzzzzz is not a known key; use one of `adapter`, `api_key_env`"),
        (STORE + '[runs.r]\nprotocol = "own"\n', ":2: runs.r.engine is missing; write for example"),
        (STORE + '[sources.s]\nlayout = "adt"\n', ":2: sources.s.root is missing; write for"),
        (STORE + '[text_models.t]\nengine = "random"\nlimit = 3\n', "text_models.t.limit is not a "),
        (STORE + '[translation]\nmodel = "x"\n', "translation.model is not a known key"),
        # types
        ("store = 1\n", ":1: store = 1 is not a text in quotes"),
        (STORE + 'plugins = "x.py"\n', 'plugins = "x.py" is not a list of different texts'),
        (STORE + "sources = 3\n", ":2: sources = 3 is not a table; write its keys below `[sources.<"),
        (STORE + "[sources]\nhouse = 3\n", "sources.house = 3 is not a table; write its keys below"),
        (SOURCE + 'excerpt = "yes"\n', ':5: sources.house.excerpt = "yes" is not true or false'),
        (SOURCE + "reviews = [1]\n", "sources.house.reviews = [1] is not a list of different texts"),
        (RUN + "limit = true\n", "runs.r.limit = true is not a whole number of at least 1"),
        (RUN + "limit = 2026-01-01\n", "runs.r.limit = 2026-01-01 is not a whole number"),
        (RUN + "auto = 0\n", "runs.r.auto = 0 is not true or false"),
        # values
        (RUN + "limit = 0\n", "runs.r.limit = 0 is not a whole number of at least 1; write for exa"),
        (RUN + "temperature = nan\n", "runs.r.temperature = nan is not a number from 0 to 2"),
        (RUN + "max_tokens = -1\n", "runs.r.max_tokens = -1 is not a whole number from 1"),
        (RUN + 'base_url = "host:80"\n', "run r: base_url is not an http(s) address; write for"),
        (RUN + 'base_url = "http://h:x/v1"\n', "run r: base_url is not an http(s) address"),
        (SOURCE + "sentence_threshold = 2\n", "sentence_threshold = 2 is not a number from -1 to 1"),
        (SOURCE.replace('"raw"', '""'), 'sources.house.root = "" is not the path of a folder'),
        (BENCHMARK + 'reading = "lax"\n', 'reading = "lax" is not one of `strict`, `paper`'),
        (BENCHMARK + "blind_limit = 0\n", "blind_limit = 0 is not a whole number of at least 1"),
        (STORE + '[sources."a.b"]\n', "sources.a.b is not a valid name; use letters, digits"),
        # names of what must exist
        (SOURCE + 'reviews = ["x"]\n', 'names "x", which is not another source that holds reviews'),
        (SOURCE + 'sentence_match = "embeding"\n', "did you mean `embedding`?"),
        (BENCHMARK + 'blind = "r"\n', 'blind = "r" is not the name of a configured run; none is con'),
        (RUN + 'benchmarks = ["egoprox"]\n', 'names "egoprox", which is not a configured benchmark'),
        (STORE + '[words]\nthesaurus = "x"\n', "words.thesaurus is not a known key"),
        (
            STORE + '[words]\nwordnet = "dict"\n',
            'words.wordnet = "dict" is not a folder of WordNet, as it has no file index.noun; install',
        ),
        (STORE + '[translation]\nengine = "x"\n', 'translation.engine = "x" is not the name of a'),
        (
            RUN + '[translation]\nsecond = "r"\n',
            "translation.second is set without `engine`; name the first one as `engine`",
        ),
        (RUN + '[text_models.r]\nengine = "random"\n', "text_models.r is also the name of a run"),
        (BENCHMARK + 'judges = ["qwne"]\n[judges.qwen]\nengine = "random"\n', "did you mean `qwen`?"),
        (STORE + '[judges.j]\nengine = "random"\nmode = "lax"\n', 'judges.j.mode = "lax" is not one'),
        (STORE + '[judges.j]\nengine = "random"\nlimit = 3\n', "judges.j.limit is not a known key"),
        (SOURCE.replace("learn", "lern"), 'layout: "egoexolern" is not a known layout; did you mea'),
        (BENCHMARK.replace("prox", "porx"), '"egoporx" is not a known benchmark; did you mean `ego'),
        (BENCHMARK + 'protocol = "egoprox_cod"\n', "did you mean `egoprox_cot`?"),
        (RUN.replace('"own"', '"nothing"'), 'runs.r.protocol = "nothing" is not a declared protoc'),
        (
            BENCHMARK + RUN.removeprefix(STORE) + 'subtasks = ["intention"]\n',
            'subtasks: "intention" is not a subtask of its benchmarks; did you mean `intention_rela',
        ),
        (
            BENCHMARK + '[runs.r]\nengine = "tiny-vlm"\nprotocol = "blind"\nsamples = 2\n',
            "runs.r.samples = 2 would buy the same reply to egoprox again, since nothing is drawn",
        ),
        (RUN + "temperature = 0.0\n", ":5: runs.r.temperature is for openai_server, tiny-vlm, transformer"),
        (STORE + '[text_models.t]\nengine = "smollm2"\nmodel = "m"\n', "text_models.t.model is for open"),
        (RUN + "merge_adapter = true\n", "run r: merge_adapter = true without an adapter to merge; state"),
        (STORE + '[judges.j]\nengine = "random"\nbudget = 5\nprompt_price = 1\ncompletion_price = 1\n', "judges.j.budget is for"),
        # protocols
        (PROTOCOL + "version = 1\n", "protocol mine: prompt is missing; name a template, or a proto"),
        (PROTOCOL + 'extends = "direkt"\n', "did you mean `direct`?"),
        (PROTOCOL + 'extends = "mine"\n', "protocols `mine` extend each other; let one of them"),
        (PROTOCOL + 'extends = "direct"\nmaxtokens = 1\n', "did you mean `max_tokens`?"),
        (PROTOCOL + 'extends = "direct"\nencoding = "png"\n', 'encoding = "png" is not `rgb` or'),
        (PROTOCOL + 'extends = "direct"\nsampling = "some"\n', "sampling rule 'some' is not one of"),
        (PROTOCOL + 'extends = "blind"\ncrop = "gaze"\n', "without media to crop; set `sampling`"),
        (STORE + '[protocols.direct]\nextends = "blind"\n', "has the name of a declared protocol"),
        # plug-ins
        (STORE + 'plugins = ["no_such_module"]\n', "cannot be imported (ModuleNotFoundError: "),
        (STORE + 'plugins = ["gone.py"]\n', "gone.py is neither a Python file"),
    ],
)  # fmt: skip
def test_an_error_names_file_key_value_rule_and_remedy(
    text: str, said: str, tmp_path: Path
) -> None:
    found = message(tmp_path, text)
    assert said in found
    assert re.search(r"; |\(texts stand|did you mean", found), "a remedy follows"


@pytest.mark.parametrize("code", ["1 / 0\n", "def f(:\n", "import nothing_of_that_name\n"])
def test_a_plug_in_whose_code_fails_is_a_configuration_error(code: str, tmp_path: Path) -> None:
    (tmp_path / "broken_one.py").write_text(code)
    said = message(tmp_path, STORE + 'plugins = ["broken_one.py"]\n')
    assert "broken_one.py cannot be imported (" in said
    assert said.endswith("; correct its code, or its name under `plugins`")


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    gone, folder, latin = tmp_path / "gone.toml", tmp_path / "folder", tmp_path / "latin.toml"
    folder.mkdir()
    latin.write_bytes(b'store = "caf\xe9"\n')
    for path, said in (
        (gone, "no configuration at .*parallax init"),
        (folder, "folder: the configuration cannot be read"),
        (latin, "byte 12 is not UTF-8"),
    ):
        with pytest.raises(ConfigError, match=said):
            load_settings(path)


def test_what_may_be_a_key_is_not_repeated(tmp_path: Path) -> None:
    for line in (
        'api_key_env = "sk-proj-secret"\n',
        'api_key = "sk-proj-secret"\n',
        'base_url = "https://me:secret@host/v1"\n',
        'base_url = "https://host/v1?key=secret"\n',
    ):
        assert "secret" not in message(tmp_path, RUN + line)


def test_values_are_shown_on_one_line_and_bounded(tmp_path: Path) -> None:
    said = message(tmp_path, BENCHMARK + f'reading = "a\\n\\u202e{"x" * 500}"\n')
    assert "\\n\\u202e" in said
    assert len(said) < 300


def test_a_run_made_in_code_keeps_the_same_rules() -> None:
    with pytest.raises(ValueError, match="run r: auto = 0 is not true or false"):
        RunConfig("r", "random", "own", auto=0)  # pyright: ignore[reportArgumentType]


def test_names_are_checked_without_a_file(tmp_path: Path) -> None:
    """Settings that were made in code have no file to name."""
    path = tmp_path / "parallax.toml"
    path.write_text(SOURCE)
    settings = load_settings(path)
    check_settings(settings)
    assert settings.file == path
