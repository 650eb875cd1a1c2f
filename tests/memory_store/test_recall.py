"""Recall: the right chunk in both languages, judged, within budget; nothing where nothing is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from memory_store import Chunk, Draft, Freshness, Interval, MemoryStore, Verdict
from memory_store.embedding import load_embedder
from memory_store.errors import InvalidInput
from memory_store.protocols import Embedder
from memory_store.testing import FrozenClock, TinyEmbedder

NOW = datetime(2026, 3, 20, 12, tzinfo=UTC)
DAY = timedelta(days=1)
Open = Callable[..., MemoryStore]


@pytest.fixture(scope="module")
def embedder() -> Embedder:
    return load_embedder()


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock(NOW)


@pytest.fixture
def open_store(tmp_path: Path, clock: FrozenClock, embedder: Embedder) -> Iterator[Open]:
    opened: list[MemoryStore] = []

    def open_(**options: object) -> MemoryStore:
        given = {"embedder": embedder, "clock": clock, **options}
        opened.append(MemoryStore.open(tmp_path / "home", **given))  # pyright: ignore
        return opened[-1]

    yield open_
    for store in opened:
        store.close()


@pytest.fixture
def store(open_store: Open) -> MemoryStore:
    return open_store()


def note(text: str, **more: object) -> Draft:
    return replace(Draft("note", text), **more)  # pyright: ignore


def texts(store: MemoryStore, query: str, **options: object) -> list[str]:
    return [hit.text for hit in store.recall(query, **options)]  # pyright: ignore


LEARNING = "I am learning linear algebra and have 6 hours a week for it."
LEARNING_ZH = "我在学线性代数，每周有6小时。"


def test_a_small_memory_answers_what_it_knows_in_both_languages(store: MemoryStore):
    """The statement is found by its question, first, in English and in Chinese."""
    store.remember([note(LEARNING), note(LEARNING_ZH), note("The kettle is broken.")])
    assert texts(store, "How many hours a week do I have for linear algebra?")[0] == LEARNING
    assert texts(store, "我每周有几个小时学线性代数？")[0] == LEARNING_ZH


@pytest.mark.parametrize("query", ["What is my dog's name?", "我的狗叫什么名字？"])
def test_it_returns_nothing_where_nothing_is_relevant(store: MemoryStore, query: str):
    """An unrelated memory is no answer, and says so among what was dropped."""
    store.remember([note(LEARNING), note(LEARNING_ZH)])
    recall = store.recall(query)
    assert not recall.hits
    assert {one.chunk.text for one in recall.dropped} == {LEARNING, LEARNING_ZH}
    assert {one.reason for one in recall.dropped} == {"nothing in it speaks of what is asked"}


@pytest.mark.parametrize(
    ("told", "query"),
    [
        ("The physiotherapist is called Dr Ilves; she wants me to walk.", "Who treats my leg?"),
        ("老陈每次来只要一杯美式，不加糖。", "哪位客人喝黑咖啡？"),
    ],
)
def test_a_short_statement_in_other_words_is_found(store: MemoryStore, told: str, query: str):
    """What shares no word with the question is not hidden, in a small memory either."""
    store.remember([note(LEARNING), note(LEARNING_ZH), note(told)])
    assert told in [hit.text for hit in store.recall(query)]


FAMILY = [
    "My sister Ana lives in Porto and works as a nurse.",
    "Ana's husband is called Rui; they married in 2019.",
    "My dentist is Dr Ilves, her practice is in Narva street.",
    "Dr Ilves found a cavity on my lower left molar in March.",
    "My car is a blue Skoda Fabia from 2014.",
    "The Skoda's winter tyres are in the cellar.",
    "My blood type is 0 negative.",
    "我们家的猫叫味噌，只吃三文鱼。",
    "味噌一月份打了疫苗。",
    "我在用布兰迪的书学Rust。",
    "周日我读完了Rust书的第七章。",
    "我的血型是O型阴性。",
]
SISTER = "Where does my sister live?\nYour sister Ana lives in Porto."


@pytest.mark.parametrize(
    ("context", "query", "answer"),
    [
        (SISTER, "Who is she married to?", "Rui"),
        ("Who is my dentist?\nDr Ilves.", "What did she find?", "cavity"),
        ("What car do I have?\nA blue Skoda.", "Where did I put the tyres?", "cellar"),
        ("我们家的猫叫什么？\n味噌。", "什么时候打的疫苗？", "疫苗"),
        ("我在学什么语言？\nRust。", "学到哪儿了？", "第七章"),
    ],
)
def test_a_follow_up_is_understood_by_what_was_said_before(
    store: MemoryStore, context: str, query: str, answer: str
):
    """Whom "she" means stands in the exchange before; without that some find nothing at all."""
    store.remember([note(text) for text in FAMILY])
    assert answer in "".join(texts(store, query, context=context)[:3])


@pytest.mark.parametrize(
    ("query", "answer"), [("What is my blood type?", "0 negative"), ("我的血型是什么？", "O型")]
)
def test_another_topic_is_not_drawn_back_to_the_last_one(
    store: MemoryStore, query: str, answer: str
):
    """What was said before counts less than the question itself, however long it is."""
    store.remember([note(text) for text in FAMILY])
    assert answer in texts(store, query, context=SISTER + " She is a nurse." * 200)[0]


def test_an_exact_rare_word_is_never_hidden(store: MemoryStore):
    """However little else of the question fits, an identifier or a name brings its chunk."""
    store.remember([note("Zebediah owes me 5 euros"), note("order 7731-QX shipped")])
    store.remember([note(f"Day {n}: walked along the river, had tea.") for n in range(80)])
    long = "Could you please tell me everything that was ever said here about the person {}?"
    assert "Zebediah owes me 5 euros" in texts(store, long.format("Zebediah"))
    assert "order 7731-QX shipped" in texts(store, long.format("behind 7731-QX"))


def test_recall_is_deterministic(store: MemoryStore):
    """The same question on the same memory gives the same result."""
    store.remember([note(f"Fact {n}: tea costs {n} euros in shop {n % 7}") for n in range(60)])
    assert store.recall("tea in shop 3") == store.recall("tea in shop 3")


@pytest.mark.parametrize("budget", [0, 1, 30, 100, 2000])
def test_hits_fit_the_budget_and_the_rest_says_why_not(store: MemoryStore, budget: int):
    """The hits' tokens never exceed the budget; what is left out names the reason."""
    store.remember([note(f"Tea {n} is best in shop {n}. " * (1 + n % 5)) for n in range(20)])
    recall = store.recall("tea shop", budget=budget)
    assert recall.tokens <= budget
    assert recall.tokens == sum(len(hit.text) // 4 + (len(hit.text) % 4 > 0) for hit in recall)
    assert all(dropped.reason for dropped in recall.dropped)
    assert len(recall.hits) + len(recall.dropped) == 20


def test_the_limit_counts_hits(store: MemoryStore):
    """No more hits than asked for; the next ones are dropped for that reason."""
    store.remember([note(f"Tea number {n}") for n in range(9)])
    recall = store.recall("tea", limit=3)
    assert len(recall) == 3
    assert any("limit of 3" in dropped.reason for dropped in recall.dropped)


def test_what_the_prompt_holds_is_not_repeated(store: MemoryStore):
    """An excluded chunk is dropped as such."""
    held, other = store.remember([note("Tea is in the cupboard"), note("Tea is in the kitchen")])
    recall = store.recall("tea", exclude=[held.id])
    assert [hit.chunk.id for hit in recall] == [other.id]
    assert recall.dropped[0].reason == "it stands in the prompt already"


def test_a_superseded_fact_is_replaced_by_the_current_one(store: MemoryStore):
    """The current chunk of a subject comes even where only the old one has the question's words."""
    store.remember([Draft("fact", "My city is Lisbon", subject="user.city")])
    store.remember([Draft("fact", "I moved to Porto", subject="user.city")])
    recall = store.recall("Which city do I live in?")
    assert [hit.text for hit in recall] == ["I moved to Porto"]
    assert [d.verdict for d in recall.dropped] == [Verdict.SUPERSEDED]


def test_what_two_hits_bring_along_is_dropped_once(store: MemoryStore):
    """The current value that two outdated ones bring, and that does not fit, is named once."""
    for text in ("tea", "tea tea", "stock"):
        store.remember([Draft("fact", text, subject="drink")])
    recall = store.recall("tea", budget=0)
    assert [one.chunk.text for one in recall.dropped] == ["tea tea", "stock", "tea"]


@pytest.mark.parametrize(
    "query", ["Which city did I live in in January?", "一月份我住在哪个城市 city?"]
)
def test_a_question_about_the_past_brings_history_back(store: MemoryStore, query: str):
    """Superseded chunks come back, oldest first, each with its date."""
    old = Draft("fact", "My city is Lisbon", subject="user.city", created_at=NOW - 70 * DAY)
    new = Draft("fact", "My city is Porto", subject="user.city", created_at=NOW - 2 * DAY)
    store.remember([old])
    store.remember([new])
    recall = store.recall(query)
    assert recall.past
    assert [hit.text for hit in recall] == ["My city is Lisbon", "My city is Porto"]
    assert recall.hits[0].verdict is Verdict.SUPERSEDED
    assert recall.intervals[0].holds(NOW - 70 * DAY)


def test_what_is_stale_comes_marked_or_is_dropped(store: MemoryStore, clock: FrozenClock):
    """By the caller's choice; either way it is never presented as current."""
    contract = Freshness(timedelta(hours=1), call='get_stock(sku="42")')
    store.remember([Draft("tool_result", "7 left of sku-42", freshness=contract, origin="tool")])
    clock.advance(3 * DAY)
    marked = store.recall("sku-42 stock").hits[0]
    assert marked.verdict is Verdict.STALE
    assert marked.judgement.call == 'get_stock(sku="42")'
    dropped = store.recall("sku-42 stock", stale="drop")
    assert not dropped.hits
    assert dropped.dropped[0].reason.startswith("stale")


def test_a_question_brings_its_answer(store: MemoryStore):
    """The answer comes along, though it shares no word with what is asked."""
    store.remember(
        [
            Draft("question", "Which wine goes with trout?", session="s", turn="1"),
            Draft("answer", "Riesling.", session="s", turn="1", origin="assistant"),
        ]
    )
    assert texts(store, "wine for trout") == ["Which wine goes with trout?", "Riesling."]


@pytest.mark.parametrize(
    "draft",
    [
        Draft("answer", "Riesling, chilled.", session="s", turn="1", origin="assistant"),
        Draft("tool_result", "Riesling: 9 left", session="s", turn="1", origin="tool"),
    ],
)
def test_an_answer_and_a_result_bring_their_question(store: MemoryStore, draft: Draft):
    """What was asked comes along, though it shares no word with what is asked now."""
    asked = Draft("question", "What goes with trout?", session="s", turn="1")
    store.remember([asked, draft, note("We had tea by the river.")])
    assert texts(store, "Riesling")[:2] == [draft.text, asked.text]


def test_what_was_said_again_is_as_new_as_its_last_time(store: MemoryStore, clock: FrozenClock):
    """Lisbon, Porto and Lisbon again: it is stored once, and stands above Porto."""
    lisbon, porto = "I live in the city of Lisbon.", "I live in the city of Porto."
    for text in (lisbon, porto, lisbon):
        clock.advance(10 * DAY)
        store.remember([note(text)])
    assert texts(store, "Which city do I live in?") == [lisbon, porto]
    clock.advance(1 * DAY)
    assert store.recall("Where did I say yesterday that I live?").hits[0].score.time > 0


def test_each_part_of_a_long_text_is_searched_with_its_date_and_speaker(store: MemoryStore):
    """The head that is repeated tells parts of different days apart."""
    text = "We walked for hours and saw nothing of note on the way. " * 40
    store.remember([note(text, created_at=NOW - 30 * DAY)])
    with store.ledger.read() as connection:
        heads = connection.exec_driver_sql("SELECT DISTINCT header FROM passages").scalars().all()
    assert heads == ["2026-02-18 user:"]
    assert store.recall("2026-02-18").hits[0].score.lexical


def test_how_many_more_there_were_is_told(store: MemoryStore):
    """Every candidate is a hit, dropped with a reason, or counted."""
    store.remember([note(f"Tea number {n} was good.") for n in range(140)])
    recall = store.recall("Was the tea good?", budget=100)
    assert len(recall) + len(recall.dropped) + recall.passed_over == 140
    assert recall.passed_over == 80


def test_two_statements_on_one_matter_come_newest_first(store: MemoryStore):
    """Without a subject neither supersedes the other; the newer stands above the older."""
    store.remember(
        [
            *(note(text) for text in FAMILY),
            note("My rent for the flat is 900 euros a month.", created_at=NOW - 90 * DAY),
            note("My rent for the flat is now 1,100 euros.", created_at=NOW - 3 * DAY),
        ]
    )
    hits = store.recall("How much rent do I pay a month for the flat?", limit=2).hits
    assert [hit.chunk.created_at for hit in hits] == [NOW - 3 * DAY, NOW - 90 * DAY]


OFFICE, GARAGE = "The alarm code of the office is 4711.", "The alarm code of the garage is 9933."
TWO_MATTERS = [
    (OFFICE, GARAGE, "What is the alarm code of the office?"),
    ("sku-41: 7 pieces in stock.", "sku-42: 3 pieces in stock.", "How many pieces of sku-41?"),
    ("My sister lives in Porto.", "My brother lives in Faro.", "Where does my sister live?"),
    ("Python 3.11 is on the laptop", "Python 3.12 is on the server", "What is on the laptop?"),
    ("My son's birthday is on May 3.", "My daughter's is on June 9.", "When was my son born?"),
    ("I use C# at work", "I use C at home", "What do I use at work?"),
    ("我姐姐住在波尔图。", "我哥哥住在法鲁。", "姐姐住在哪里？"),
    ("办公室的门禁密码是4711。", "车库的门禁密码是9933。", "办公室的门禁密码是多少？"),
    ("数学作业周一交。", "物理作业周五交。", "数学作业什么时候交？"),
]
UPDATES = [
    ("My phone number is 555-1234.", "My new phone number is 555-9876.", "What's my number?"),
    ("The meeting is on Tuesday.", "The meeting was moved to Thursday.", "When is the meeting?"),
    ("I weigh 82 kg.", "I weigh 79 kg today.", "How much do I weigh?"),
    ("房租每月5000元。", "房租涨到每月5500元了。", "房租是多少？"),
    ("会议在周二十点。", "会议改到周四三点。", "会议什么时候开？"),
]


def best_of(store: MemoryStore, clock: FrozenClock, told: list[str], query: str) -> list[str]:
    """What comes first of statements that were told a day apart, another one between them."""
    for text in (told[0], "The kettle is broken.", told[1]):
        clock.advance(DAY)
        store.remember([note(text)])
    return texts(store, query, limit=1)


@pytest.mark.parametrize(("fits", "newer", "query"), TWO_MATTERS)
def test_a_newer_statement_on_another_matter_stays_below(
    store: MemoryStore, clock: FrozenClock, fits: str, newer: str, query: str
):
    """What is asked for comes first, however alike the two sentences are."""
    assert best_of(store, clock, [fits, newer], query) == [fits]


@pytest.mark.parametrize(("older", "newer", "query"), UPDATES)
def test_an_update_stands_above_what_it_updates(
    store: MemoryStore, clock: FrozenClock, older: str, newer: str, query: str
):
    """Of two statements on one matter the newer comes first."""
    assert best_of(store, clock, [older, newer], query) == [newer]


def test_time_in_the_question_lifts_what_was_said_then(store: MemoryStore):
    """Of two that fit alike, the one of the named time comes first."""
    store.remember(
        [
            note("Ran along the river, 5 km.", created_at=NOW - 40 * DAY),
            note("Ran along the river, 8 km.", created_at=NOW - 1 * DAY),
        ]
    )
    recall = store.recall("How far did I run along the river yesterday?", limit=1)
    assert recall.hits[0].text == "Ran along the river, 8 km."


def test_event_time_counts_as_time(store: MemoryStore):
    """What speaks of the named time is lifted, whenever it was recorded."""
    march = Interval(datetime(2026, 2, 3, tzinfo=UTC), datetime(2026, 2, 4, tzinfo=UTC))
    store.remember(
        [note("Dentist: all fine.", about=march), note("Dentist: one tooth filled.")],
    )
    recall = store.recall("What did the dentist say on 3 February?", limit=1)
    assert recall.hits[0].text == "Dentist: all fine."


def test_a_hit_in_a_long_text_shows_the_part_that_matched(store: MemoryStore):
    """The passage is named, and shown alone where the whole would fill the budget."""
    filler = "The weather was mild and nothing much happened on that day. " * 60
    store.remember([note(filler + "My locker code is 4711. " + filler)])
    hit = store.recall("What is my locker code?", budget=400).hits[0]
    assert hit.passage is not None
    assert hit.passage.total > 5
    assert "4711" in hit.text
    assert len(hit.text) < 600


def test_an_owner_never_sees_another(open_store: Open):
    """Not by words, not by meaning, not as a neighbour in a session of the same name."""
    mine, yours = open_store(owner="me"), open_store(owner="you")
    mine.remember([Draft("question", "Where is my tea?", session="s", turn="1")])
    yours.remember([Draft("answer", "The tea is in the safe.", session="s", turn="1")])
    assert texts(mine, "Where is the tea?") == ["Where is my tea?"]
    assert texts(yours, "Where is the tea?") == ["The tea is in the safe."]


def test_another_owners_lines_do_not_stand_between_a_question_and_its_answer(open_store: Open):
    """In a session of the same name each owner's chunks follow one another."""
    mine, yours = open_store(owner="me"), open_store(owner="you")
    mine.remember([Draft("question", "Which wine goes with trout?", session="s")])
    yours.remember([note("We had tea by the river.", session="s")])
    mine.remember([Draft("answer", "Riesling.", session="s", origin="assistant")])
    assert texts(mine, "wine for trout") == ["Which wine goes with trout?", "Riesling."]


def test_of_a_very_long_question_both_ends_count(store: MemoryStore):
    """A question before or after a pasted text is found, and does not take minutes."""
    store.remember([note("The kettle is broken."), note("Zebediah owes me 5 euros.")])
    pasted = "lorem ipsum dolor sit amet " * 8_000
    assert texts(store, f"What about Zebediah? {pasted}")[0] == "Zebediah owes me 5 euros."
    assert texts(store, f"{pasted} What about the kettle?")[0] == "The kettle is broken."


def test_without_the_embedder_words_still_find(tmp_path: Path):
    """An embedder that fails leaves recall with the lexical side."""
    broken = TinyEmbedder()
    broken.failure = "out of order"
    with MemoryStore.open(tmp_path / "home", embedder=broken) as store:
        store.remember([note("order 7731 shipped")])
        assert texts(store, "7731") == ["order 7731 shipped"]


@pytest.mark.parametrize(
    ("query", "options", "message"),
    [
        ("", {}, "empty"),
        (" \n", {}, "empty"),
        ("x", {"budget": -1}, "budget -1"),
        ("x", {"limit": -2}, "limit -2"),
        ("x", {"stale": "hide"}, "stale 'hide' is unknown; use one of mark, drop"),
        ("x", {"exclude": "01ABC"}, "exclude '01ABC' is one text"),
        (7, {}, "query 7 is a int; give str"),
        ("x", {"context": ["a"]}, "context .* is a list; give str"),
    ],
)
def test_bad_input_is_refused_by_name(
    store: MemoryStore, query: str, options: dict[str, Any], message: str
):
    """The error names the value and what is allowed."""
    with pytest.raises(InvalidInput, match=message):
        store.recall(query, **options)


@pytest.mark.parametrize("query", ["\x00", "\ud800", "🙂", "a" * 100_000, '"* OR NEAR(', "שלום"])
def test_any_text_may_be_asked(store: MemoryStore, query: str):
    """Odd characters and long texts are questions like any other."""
    store.remember([note("Tea is in the cupboard")])
    assert store.recall(query).query == query


def test_every_hit_says_why_it_is_there(store: MemoryStore):
    """Ranks and scores of both sides, and a verdict with its reason."""
    store.remember([note("Tea is in the cupboard"), note("Coffee is on the shelf")])
    hit = store.recall("Where is the tea?").hits[0]
    assert hit.score.dense_rank == 1
    assert hit.score.lexical_rank == 1
    assert hit.judgement.reason


def test_the_reranker_decides_the_order(open_store: Open):
    """Its score is kept with the hit; without one nothing changes."""

    class Shortest:
        def score(self, query: str, texts: list[str]) -> list[float]:
            return [-float(len(text)) for text in texts]

    store = open_store(reranker=Shortest())
    chunks: tuple[Chunk, ...] = store.remember(
        [note("Tea, tea and more tea in the tea cupboard"), note("Tea cup")]
    )
    hits = store.recall("tea").hits
    assert [hit.chunk.id for hit in hits] == [chunks[1].id, chunks[0].id]
    assert hits[0].score.rerank == -7.0
