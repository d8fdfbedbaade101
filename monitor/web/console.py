"""The director's console: what needs a ruling, and the forms with which it is ruled on.

Owns `/director`, its stream and where its forms go. Refuses to know what may be done (the docket says so) and how a
case looks (`case_cards`). A case that changed is drawn once and sent to every open console through the hub; without a
script the same forms work by whole pages, and nothing that was typed is lost when an act is refused.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Mapping
from typing import Any, Final

import msgspec
from litestar import MediaType, Request, Response, Router, get, post
from litestar.exceptions import ClientException
from litestar.response import Redirect

from monitor.access.roles import Role
from monitor.chair import Chair, Changed, Done
from monitor.docket import ActConflict, Case, Refused
from monitor.web.access_pages import author_of, proof_of
from monitor.web.act_forms import ActForm
from monitor.web.case_cards import Answer, Cases, Mine, Page, part_of, render_case, render_console
from monitor.web.guards import least, still_may
from monitor.web.hub import Hub
from monitor.web.order import by_name
from monitor.web.pages import Screen, render_round
from monitor.web.sources import Sources
from monitor.web.streaming import streamed
from monitor.web.wanted import Wanted, wanted_by
from monitor.web.watching import MERGE_S
from monitor.web.words import say

SETTLED_MOST: Final = 50
"""Settled cases that a console shows, the newest; our choice: reports have them all."""
ANSWERS_MOST: Final = 200
"""Answers that wait for the page after a form; our choice."""

AnyRequest = Request[Any, Any, Any]


class Console:
    """What all open consoles show of the queue, and what was answered to forms of late."""

    def __init__(self, chair: Chair, hub: Hub) -> None:
        """Hears of every change from now on."""
        self._chair = chair
        self._hub = hub
        self._cards: dict[str, str] = {}
        self._changed: set[str] = set()
        self._pause: asyncio.TimerHandle | None = None
        self._answers: OrderedDict[int, str] = OrderedDict()
        chair.listen(self._hear)

    def everything(self) -> Mapping[str, Cases]:
        """What a stream begins with."""
        return {"cases": Cases(cards=tuple(map(self._card, self.shown())), whole=True)}

    def shown(self, wanted: Wanted | None = None, now_utc_s: float = 0.0) -> list[Case]:
        """Cases in the queue's order; of what is settled the newest, those first."""
        cases = self._chair.docket.cases((wanted or Wanted()).as_filter(), now_utc_s)
        settled = [case for case in cases if part_of(case) == "settled"]
        return [case for case in cases if part_of(case) != "settled"] + settled[: -SETTLED_MOST - 1 : -1]

    def keep_answer(self, record: int, text: str) -> None:
        """What came of an act, until its author's next page."""
        self._answers[record] = text
        while len(self._answers) > ANSWERS_MOST:
            self._answers.popitem(last=False)

    def answer(self, record: str) -> str:
        """The text that was kept for a record's number; empty where there is none."""
        return self._answers.get(int(record), "") if record.isascii() and record.isdigit() and len(record) < 19 else ""

    def _hear(self, changed: Changed) -> None:
        for alert in changed.cases:
            self._cards.pop(alert, None)
        if self._hub.is_open(Screen.CONSOLE):
            self._changed.update(changed.cases)
            if self._pause is None:
                self._send()

    def _send(self) -> None:
        """Tell the consoles what changed, and nothing more for as long as changes are merged."""
        self._pause = None
        if not self._changed:
            return
        found = {alert: self._chair.docket.case(alert) for alert in sorted(self._changed)}
        self._changed.clear()
        cards = tuple(self._card(case) for case in found.values() if case is not None)
        gone = tuple(alert for alert, case in found.items() if case is None)
        self._hub.send(Screen.CONSOLE, "cases", Cases(cards, gone))
        self._pause = asyncio.get_running_loop().call_later(MERGE_S, self._send)

    def _card(self, case: Case) -> str:
        alert = case.alert.id
        if alert not in self._cards:
            self._cards[alert] = render_case(case, self._hub.wall_ahead_s())
        return self._cards[alert]


def console_routes(sources: Sources) -> Router:
    """The routes."""
    hub, chair, door = sources.hub, sources.chair, sources.entrance.door
    console = Console(chair, hub)

    def page(request: AnyRequest, typed: ActForm | None = None, answer: Answer | None = None) -> str:
        """The console as it is now; with a form that came to nothing, as it was typed."""
        wanted, proof = wanted_by(request.query_params), proof_of(request)
        ahead_s = hub.wall_ahead_s()
        now_utc_s = hub.now() + ahead_s
        said, parts = "", dict[str, list[str]](due=[], open=[], settled=[])
        cases = console.shown(wanted, now_utc_s)
        if typed is not None and answer is not None and typed.alert not in {case.alert.id for case in cases}:
            case = chair.docket.case(typed.alert)
            cases, said = ([case, *cases], "") if case is not None else (cases, answer.text)
        for case in cases:
            own = typed is not None and case.alert.id == typed.alert
            mine = Mine(proof, wanted.query(), max(0.0, now_utc_s - case.first_seen_utc_s))
            if own and typed is not None:
                mine = msgspec.structs.replace(mine, typed=typed, answer=answer)
            parts[part_of(case)].append(render_case(case, ahead_s, mine))
        tables = {view.table for view in hub.views(Screen.CONSOLE)} | {case.alert.table for case in console.shown()}
        return render_console(
            Page(
                due=parts["due"],
                open=parts["open"],
                settled=parts["settled"],
                tables=hub.cards(Screen.CONSOLE),
                names=sorted(tables | ({wanted.table} - {""}), key=by_name),
                notices=hub.notices(),
                round=render_round(hub.round, hub.now()),
                wanted=wanted,
                author=author_of(request.user),
                proof=proof,
                said=said or console.answer(request.query_params.get("done", "")),
            )
        )

    @get("/director", media_type=MediaType.HTML, sync_to_thread=False)
    def show(request: AnyRequest) -> str:
        return page(request)

    @get("/stream/console", sync_to_thread=False)
    def stream(request: AnyRequest) -> Response[Any]:
        return streamed(hub, hub.stream(Screen.CONSOLE, console.everything), still_may(request, door, Role.DIRECTOR))

    @post("/director/acts", media_type=MediaType.HTML)
    async def act(request: AnyRequest) -> Response[Any]:
        form = await _form(request)
        did = form.act()
        outcome: Done | ActConflict | Refused = (
            did
            if isinstance(did, Refused)
            else await chair.act(author_of(request.user), form.alert, did, form.version_seen, form.words)
        )
        case = chair.docket.case(form.alert)
        text = outcome.text or say("act.done")
        answer = Answer(isinstance(outcome, Done), text, 0 if case is None else case.version)
        if request.headers.get("accept", "").startswith("application/json"):
            return Response(answer, media_type=MediaType.JSON, status_code=200)
        if isinstance(outcome, Done):
            console.keep_answer(outcome.record, text)
            back = wanted_by(request.query_params).query(done=str(outcome.record))
            return Redirect(f"/director{back}#case-{form.alert}", status_code=303)
        return Response(page(request, form, answer), status_code=409)

    return Router("/", route_handlers=[show, stream, act], opt=least(Role.DIRECTOR), include_in_schema=False)


async def _form(request: AnyRequest) -> ActForm:
    """The form. Raises `ClientException` where a field is no text, or the form is none of ours."""
    sent = await request.form()
    try:
        form = msgspec.convert({name: sent[name] for name in ActForm.__struct_fields__ if name in sent}, ActForm)
    except msgspec.ValidationError as problem:
        raise ClientException("a field is no text") from problem
    if not form.alert or not form.did:
        raise ClientException("this is no form of the console")
    return form
