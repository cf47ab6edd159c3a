"""What an edit may do although it looks like a loss, each with its reason."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tests.attack.mutations import Mutation
from tests.attack.verdicts import Finding


@dataclass(frozen=True)
class Allowance:
    """A kind of finding that is none.

    Attributes:
        why: Why it is as it should be.
        rule: Rules it is about, as a pattern.
        path: Pattern of paths, for `re.search`.
        kind: Pattern of kinds of edits.
        note: Pattern of the edit's note.
        worlds: Pattern of worlds.
    """

    why: str
    rule: str
    path: str = ""
    kind: str = ""
    note: str = ""
    worlds: str = ""

    def fits(self, world: str, mutation: Mutation, finding: Finding) -> bool:
        """Whether a finding is of this kind."""
        return (
            re.fullmatch(self.rule, finding.rule) is not None
            and re.search(self.path, mutation.path) is not None
            and re.search(self.kind, mutation.kind) is not None
            and re.search(self.note, mutation.note) is not None
            and re.search(self.worlds, world) is not None
        )


ALLOWED = (
    # -- nothing was lost that anyone could know of
    Allowance(
        "people may not blink, and pictures may show nobody",
        r"emptied_\w+",
        r"blinks\.csv|/Segmentation/[^/]+/[0-9]+\.json",
        "no_items",
    ),
    Allowance(
        "a frame, and a video's events, may be empty",
        r"emptied_\w+",
        r"ego_pose/.*\.json|priming_info\.json|assoc_info\.json|annotations_master\.json",
        "no_items",
        r"^(?!document)",
    ),
    Allowance(
        "not every release has videos that were taken at once",
        r"emptied_\w+",
        r"ego4d\.json",
        "no_items",
        "concurrent_video_sets",
    ),
    Allowance(
        "nobody reads this member",
        "emptied_unsaid",
        r"\.json$",
        "no_items",
        r"^(info|licenses|physical_settings|split_to_take_uids|taxonomy|template_data|gaze_offset"
        r"|dt_optitrack_minus_device_ns|videos|categories) ",
    ),
    Allowance(
        "questions are read from the lists of splits where these are there",
        r"emptied_unsaid|contradiction_unsaid",
        r"tagged_qas\.json",
    ),
    Allowance(
        "the file has no header: its first line is a row",
        r"column_lost_silently|emptied_silently",
        r"egopet_pretrain\.csv|MECCANO_\w+_(actions|annotations_\w+)\.csv",
    ),
    Allowance(
        "columns that some versions of the format lack",
        "column_lost_silently",
        r"closed_loop_trajectory\.csv|aria_trajectory\.csv|gaze\w*\.csv",
        "remove_column",
        "quality_score|depth_m|worn|blink|eye_cpf|section id",
    ),
    Allowance(
        "columns that need not be there, lost with their name or with the column",
        r"column_lost_silently|value_lost_silently|rows_lost_silently",
        r"(?i)charades|round\d\.csv|scene_objects|video_info|EPIC_100_|HD_EPIC_|recipe",
        "remove_column|quote|flip_bytes",
    ),
    # -- an edit that says something else, and is read as it says
    Allowance(
        "a recording's number, a take's value and a video's length belong to several recordings",
        "many_recordings",
        r"takes\.json|lengths\.json|TF2023\w+\.json|MECCANO_\w+\.csv|ego_\w+\.txt|^recordings/",
    ),
    Allowance(
        "a picture less may put right what was refused, and a frame less may cut a phase in two",
        "rows_appear",
        r"egocross_testbed_imgs\.json|egosurgery_phase/",
    ),
    Allowance(
        "times are compared with frames to the millisecond, and class numbers may be equal",
        "number_sometimes_ignored",
        r"UAD/.*\.csv|instances_\w+\.json",
    ),
    Allowance(
        "runs of frames, places in a list and directions do not move in proportion",
        "number_out_of_step",
        r"VID\d+\.json|TF2023\w+\.json|gaze\w*\.csv|2d_bounding_box\.csv|skeleton_\w+\.csv",
    ),
    Allowance(
        "an interaction without an object is one",
        "rows_lost_silently",
        r"ENIGMA-51_annotations_master\.json",
        "make_null|delete_key",
    ),
    Allowance(
        "a sample at another time is another sample",
        "contradiction_unsaid",
        r"Skeleton_\w+\.json",
        "contradict_item",
        "/timestamp_ns: ",
    ),
    Allowance(
        "an operator who is not named is another one than who was named, and acts from then on",
        "rows_appear",
        r"VID\d+\.json",
        "delete_key",
        "/operator deleted",
    ),
    Allowance(
        "a picture may have any size",
        "number_out_of_step",
        r"instances_meccano_\w+\.json",
        "change_number",
        '"height": |"width": ',
    ),
    Allowance(
        "a decision is what was decided on which item by whom; numbers of tasks, texts and kinds of regions are not"
        " read",
        "contradiction_unsaid",
        r"tasks\.json",
        "contradict_item",
        r"/id: |/type: |/data/text: ",
        "reviews",
    ),
    # -- what is read of a line is what the line before says too
    Allowance(
        "the file lists videos; nothing else of a line is read",
        "contradiction_unsaid",
        r"EPIC_100_uda|EPIC_100_test|online_calibration\.jsonl|round\d\.csv|blinks\.csv"
        r"|Extension_Participants",
    ),
    Allowance(
        "nobody reads the changed member",
        "contradiction_unsaid",
        r"\.json$",
        "",
        r"/videos/|/taxonomy/|/SkeletonMetadata/|physical_settings|/nodes/|/result/0 also"
        r"|/[0-9a-f]{60}[0-9a-f]*/(?!narration_text)\w+: ",
    ),
    Allowance(
        "stamps of UTC, gravity and quality of a pose are not all read",
        "contradiction_unsaid",
        r"(closed_loop|aria)_trajectory\.csv",
    ),
    Allowance(
        "the refusal names the file that what was changed is missing for",
        "rows_lost_named_elsewhere",
    ),
    Allowance(
        "a line end that is damaged joins two words of a list",
        "rows_lost_silently",
        r"\.txt$",
        "flip_bytes",
    ),
    Allowance(
        "nobody narrated this pass",
        "rows_lost_silently",
        r"narration\.json",
        "make_null",
        "narration_pass",
    ),
    Allowance(
        "the other video of the list has one recording, the old one two",
        "rows_lost_silently",
        r"splits/ego_\w+\.txt",
        "change_number",
    ),
)


def allowance(world: str, mutation: Mutation, finding: Finding) -> Allowance | None:
    """Why a finding is none, if it is none."""
    return next((a for a in ALLOWED if a.fits(world, mutation, finding)), None)
