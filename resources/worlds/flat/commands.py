"""The words of scripts ("get the cup", "glance at it over the shoulder") and how they are played."""

from __future__ import annotations

from typing import Final

import numpy as np

from resources.worlds.flat.camera import looking
from resources.worlds.flat.movement import LEVEL, REACH_S, Mover
from resources.worlds.flat.places import EYE_M, Point, furniture
from resources.worlds.flat.render import box_corners, outlines
from resources.worlds.flat.tracks import GRIP_M, SIDES, ThingKey
from resources.worlds.flat.truth import Fixation, Glance, Side
from resources.worlds.tools.chance import between, digest

_UP: Final = float(np.radians(48))
Command = tuple[str, ...]


class Actor(Mover):
    """One person who carries out commands one after the other."""

    # Commands: every `do_x` is a word of the scripts.

    def do_go(self, name: str) -> None:
        """Walks somewhere."""
        self.go(name)

    def do_step(self, number: str) -> None:
        """What follows belongs to this step of the task."""
        self.step = int(number)

    def do_wait(self, seconds: str) -> None:
        """Stands still."""
        self.stay(float(seconds))

    def do_face(self, x: str, y: str, hold_s: str = "0.8") -> None:
        """Looks at a place at the height of the eyes."""
        self.look((float(x), float(y), EYE_M - 0.1), "", float(hold_s))

    def do_look(self, name: str, hold_s: str = "0.8") -> None:
        """Looks at a resting thing or a piece of furniture."""
        items = self.stage.items
        if name in items:
            self.look(items[name].middle, name, float(hold_s))
            return
        lo, hi = furniture()[name].bounds
        self.look(((lo[0] + hi[0]) / 2, (lo[1] + hi[1]) / 2, hi[2] - 0.1), name, float(hold_s))

    def do_get(
        self, instance: str, hand: str = "", hold_s: str = "0.35", turn_s: str = "0.45"
    ) -> None:
        """Takes a thing with one hand or both, after a look at it."""
        item = self.stage.items[instance]
        source = item.on
        self.go(self.standing_at(source))
        sides = SIDES if hand == "both" else (self.free_hand(hand),)
        self.look(item.middle, instance, float(hold_s), float(turn_s))
        start = self.t
        self.reach(sides, item.point, item.kind)
        contact = self.t
        for side in sides:
            self.held[side] = instance
        item.keys.append(ThingKey(contact, item.point, self.person_id, sides))
        item.on = ""
        self.keep_gaze(start, contact + 0.15)
        for side in sides:
            self.hand_home(side)
        self.t += 0.45
        self.note_action(
            "get", instance, "both" if len(sides) == 2 else sides[0], start, contact, source=source
        )

    def do_put(self, instance: str, target: str, hold_s: str = "0.3", turn_s: str = "0.45") -> None:
        """Puts a held thing on furniture or on another thing, after a look at the place."""
        stage = self.stage
        item, sides = stage.items[instance], self.holding(instance)
        if target in stage.items:
            below = stage.items[target]
            self.go(self.standing_at(below.on))
            x, y, z = below.point
            place: Point = (x, y, z + below.kind.size_m[2])
        else:
            self.go(target)
            place = stage.free_slot(furniture()[target], self.xy)
        self.look((place[0], place[1], place[2] + 0.02), "", float(hold_s), float(turn_s))
        start = self.t
        self.reach(sides, place, item.kind)
        for side in sides:
            self.held[side] = ""
        item.keys.append(ThingKey(self.t, place))
        item.on = target
        contact = self.t
        self.keep_gaze(start, contact + 0.15)
        for side in sides:
            self.hand_home(side)
        self.t += 0.45
        self.note_action(
            "put", instance, "both" if len(sides) == 2 else sides[0], start, contact, target=target
        )

    def do_switch(self, verb: str, name: str, aspect: str, value: str, hand: str = "") -> None:
        """Opens, closes, turns on or off a thing or a piece of furniture with a free hand."""
        stage = self.stage
        side = self.free_hand(hand)
        if name in stage.items:
            item = stage.items[name]
            self.go(self.standing_at(item.on))
            x, y, z = item.point
            touch: Point = (x, y, z + item.kind.size_m[2] + GRIP_M)
            centre = item.middle
        else:
            self.go(name)
            touch = centre = furniture()[name].handle
        self.look(centre, name, 0.35)
        start = self.t
        self.move_hand(side, touch, REACH_S)
        self.t += REACH_S
        contact = self.t
        if name in stage.items:
            stage.items[name].states.append((contact + 0.1, aspect, value))
        else:
            stage.furniture_states.setdefault(name, []).append((contact + 0.1, value))
        self.t += 0.3
        self.keep_gaze(start, self.t)
        self.hand_home(side)
        self.t += 0.45
        self.note_action(verb, name, side, start, contact)

    def do_cut(self, instance: str, tool: str) -> None:
        """Cuts a resting thing with a held knife, the other hand on it if it is free."""
        stage = self.stage
        item, knife = stage.items[instance], stage.items[tool]
        self.go(self.standing_at(item.on))
        side = self.holding(tool)[0]
        other: Side = "left" if side == "right" else "right"
        self.look(item.middle, instance, 0.35)
        start = self.t
        (x, y, z), (w, _, h) = item.point, item.kind.size_m
        both = not self.held[other]
        if both:
            self.move_hand(other, (x - w / 2 - 0.06, y, z + 0.08), REACH_S)
        above = z + h + knife.kind.size_m[2] + GRIP_M + 0.01
        self.move_hand(side, (x, y - 0.1, above), REACH_S)
        self.t += REACH_S
        contact = self.t
        for n in range(4):
            self.move_hand(side, (x + 0.03 * n, y + (0.08 if n % 2 == 0 else -0.1), above), 0.4)
            self.t += 0.4
        item.states.append((contact + 0.8, "shape", "cut"))
        self.keep_gaze(start, self.t)
        for each in (side, other) if both else (side,):
            self.hand_home(each)
        self.t += 0.45
        self.note_action("cut", instance, "both" if both else side, start, contact, tool=tool)

    def do_pour(self, instance: str, target: str) -> None:
        """Pours from a held thing into a resting one."""
        stage = self.stage
        item, into = stage.items[instance], stage.items[target]
        self.go(self.standing_at(into.on))
        sides = self.holding(instance)
        self.look(into.middle, target, 0.35)
        start = self.t
        x, y, z = into.point
        self.reach(sides, (x, y, z + into.kind.size_m[2] + 0.06), item.kind)
        contact = self.t
        self.t += 1.0
        into.states.append((contact + 0.5, "content", "full"))
        self.keep_gaze(start, self.t)
        for side in sides:
            self.hand_home(side)
        self.t += 0.45
        self.note_action(
            "pour", instance, sides[0] if len(sides) == 1 else "both", start, contact, target=target
        )

    def do_work(self, verb: str, instance: str, name: str) -> None:
        """Moves a held thing to and fro over furniture: wash at the sink, wipe a table."""
        item, sides = self.stage.items[instance], self.holding(instance)
        self.go(name)
        piece = furniture()[name]
        if name == "sink":
            place: Point = (0.4, 2.3, 0.9)
        else:
            place = self.stage.free_slot(piece, self.xy)
        self.look((place[0], place[1], place[2]), name, 0.35)
        start = self.t
        self.reach(sides, place, item.kind)
        contact = self.t
        drop = item.kind.size_m[2] + GRIP_M
        for n in range(4):
            across = 0.12 if n % 2 == 0 else -0.12
            for side in sides:
                dx, dy = (0.0, across) if name == "sink" else (across, 0.0)
                self.move_hand(side, (place[0] + dx, place[1] + dy, place[2] + drop), 0.35)
            self.t += 0.35
        self.keep_gaze(start, self.t)
        for side in sides:
            self.hand_home(side)
        self.t += 0.45
        if verb == "wipe":
            self.note_action(verb, name, sides[0], start, contact, tool=instance)
        else:
            self.note_action(verb, instance, sides[0], start, contact, target=name)

    def do_glance(self, instance: str, sector: str) -> None:
        """Sees a thing, turns away so that it lies in a sector, then turns to it fast."""
        item, wanted = self.stage.items[instance], int(sector)
        if (
            not self.fixations
            or self.fixations[-1].instance != instance
            or self.t - self.fixations[-1].end_s > 0.5
        ):
            self.look(item.middle, instance, 1.25)
        found = self.hidden_view(instance, wanted)
        if found is None:
            raise ValueError(
                f"{self.stage.key}: {instance} stays in view in sector {sector}; see can_hide"
            )
        yaw, pitch = found
        self.turn(yaw, pitch, 0.5)
        away = self.t
        far = looking((*self.xy, EYE_M), yaw, pitch)
        point = far.position + far.rotation[:, 2] * 1.2
        self.fixations.append(
            Fixation(away, away + 2.1, "", (float(point[0]), float(point[1]), float(point[2])))
        )
        self.stay(2.1)
        turn = self.t
        self.look(item.middle, instance, 1.0, turn_s=0.4)
        fixed = self.fixations[-1].start_s
        self.glances.append(Glance(self.person_id, instance, away, turn, fixed, wanted))

    def hidden_view(self, instance: str, sector: int) -> tuple[float, float] | None:
        """Yaw and pitch of a head that has a resting thing in this sector but not in its picture."""
        item = self.stage.items[instance]
        toward, _ = self.aim(item.middle)
        spread = float(
            np.radians(between(-10, 10, self.stage.key, instance, sector, len(self.glances)))
        )
        yaw = toward + np.pi / 4 * sector + spread
        (w, d, h), (x, y, z) = item.kind.size_m, item.point
        corners = box_corners([(x - w / 2, y - d / 2, z)], [(x + w / 2, y + d / 2, z + h)])
        for pitch in (LEVEL, 0.2, _UP) if sector in (2, 3, 4, 5, 6) else (_UP,):
            x0, y0, x1, y1 = outlines(
                self.stage.camera, looking((*self.xy, EYE_M), yaw, pitch), corners
            )[0]
            width, height = self.stage.camera.width_px, self.stage.camera.height_px
            if np.isnan(x0) or x1 < -4 or x0 > width + 3 or y1 < -4 or y0 > height + 3:
                return float(yaw), float(pitch)
        return None


def play(actors: list[Actor], scripts: list[list[Command]]) -> float:
    """Runs all scripts, always the person whose clock is behind; returns the end, seconds.

    The command `("meet",)` lets everybody wait until all have come to theirs.
    """
    left = [list(script) for script in scripts]
    waiting: set[int] = set()
    while any(left):
        ready = [k for k in range(len(actors)) if left[k] and k not in waiting]
        if not ready:
            when = max(actors[k].t for k in waiting)
            for k in sorted(waiting):
                actors[k].stay(when - actors[k].t)
                left[k].pop(0)
            waiting.clear()
            continue
        k = min(ready, key=lambda j: (actors[j].t, j))
        if left[k][0][0] == "meet":
            waiting.add(k)
            continue
        word, *rest = left[k].pop(0)
        getattr(actors[k], f"do_{word}")(*rest)
    return max(actor.t for actor in actors)


def order_of(names: list[str], *keys: object) -> list[str]:
    """The names in an order that depends on the keys only."""
    return sorted(names, key=lambda name: digest(*keys, name))
