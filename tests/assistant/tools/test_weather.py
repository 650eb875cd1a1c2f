"""The weather tool, by real HTTP against a scripted Open-Meteo on loopback."""

import json
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from assistant.loopback import CUT, Loopback, Request, Response
from assistant.tools import RunContext, ToolRegistry
from assistant.tools.registry import Outcome
from assistant.tools.weather import asks_for_weather, weather_tools

TODAY = date(2026, 3, 2)
PLACES = {
    "Lisbon": [
        {"name": "Lisbon", "latitude": 38.7, "longitude": -9.1, "country": "Portugal"},
        {"name": "Lisbon", "latitude": 44.0, "longitude": -70.1, "country": "United States",
         "admin1": "Maine"},
    ],
    "北京": [{"name": "北京", "latitude": 39.9, "longitude": 116.4, "country": "中国"}],
}  # fmt: skip


class OpenMeteo:
    """Answers as Open-Meteo does, for the few cities it knows."""

    def __init__(self) -> None:
        self.asked: list[dict[str, list[str]]] = []
        self.instead: Response | None = None

    def __call__(self, request: Request) -> Response:
        if self.instead is not None:
            return self.instead
        address = urlsplit(request.path)
        parameters = parse_qs(address.query)
        self.asked.append(parameters)
        if address.path == "/v1/search":
            found = PLACES.get(parameters["name"][0])
            return answer({"results": found} if found else {"generationtime_ms": 0.3})
        assert address.path == "/v1/forecast"
        return answer(forecast())


def forecast() -> dict[str, Any]:
    days = [TODAY + timedelta(days=ahead) for ahead in range(16)]
    return {
        "current": {
            "time": "2026-03-02T14:00",
            "temperature_2m": 13.6,
            "weather_code": 2,
            "wind_speed_10m": 11.2,
        },
        "daily": {
            "time": [day.isoformat() for day in days],
            "weather_code": [3, 63] * 8,
            "temperature_2m_max": [15.2, 9.9] * 8,
            "temperature_2m_min": [-0.3, 4.4] * 8,
            "precipitation_probability_max": [None, 80] * 8,
        },
    }


def answer(content: dict[str, Any], status: int = 200) -> Response:
    return Response(status, {"Content-Type": "application/json"}, (json.dumps(content).encode(),))


@pytest.fixture
def service() -> OpenMeteo:
    return OpenMeteo()


@pytest.fixture
def address(service: OpenMeteo) -> Iterator[str]:
    with Loopback(service) as loopback:
        yield loopback.url


def run(address: str, language: str = "en", **arguments: str) -> Outcome:
    context = RunContext(
        language="zh" if language == "zh" else "en",
        clock=lambda: datetime(2026, 3, 2, 15, tzinfo=UTC),
    )
    return ToolRegistry(weather_tools(address)).run("get_weather", arguments, context)


def test_the_weather_now_is_a_sentence(address: str) -> None:
    """Temperature, sky, wind and today's span, with the local time of the observation."""
    outcome = run(address, city="Lisbon")
    assert outcome.ok
    assert outcome.text == (
        "In Lisbon (Portugal) it is 14 °C now, partly cloudy, wind 11 km/h (at 14:00 local time)."
        " Today: 0 to 15 °C."
    )


def test_the_weather_is_told_in_chinese(address: str) -> None:
    """A Chinese question gets a Chinese sentence, and the city is found with its 市."""
    assert run(address, "zh", city="北京市").text == (
        "北京（中国）现在14°C，局部多云，风速11公里/小时（当地时间14:00）。今天0到15°C。"
    )


@pytest.mark.parametrize("day", ["2026-03-03", "tomorrow", "明天"])
def test_a_day_ahead_is_forecast(address: str, day: str) -> None:
    """The forecast of a day names the day and the chance of rain."""
    assert run(address, city="Lisbon", day=day).text == (
        "Forecast for Lisbon (Portugal) on Tuesday 3 March 2026: rain, 4 to 10 °C,"
        " 80 % chance of rain or snow."
    )


def test_a_region_tells_cities_of_one_name_apart(address: str, service: OpenMeteo) -> None:
    """What stands after the comma chooses among the cities found."""
    assert "Lisbon (United States)" in run(address, city="Lisbon, Maine").text
    assert service.asked[-1]["latitude"] == ["44.0"]


def test_a_result_holds_for_an_hour(address: str) -> None:
    """The result carries the freshness contract by which it is served from memory."""
    outcome = run(address, city="Lisbon")
    assert outcome.freshness.max_age == timedelta(hours=1)
    assert outcome.subject == 'get_weather(city="Lisbon")'


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"city": "Nowhere"}, "knows no city 'Nowhere'"),
        ({"city": " "}, "The city is empty"),
        ({"city": "Lisbon", "day": "2026-05-01"}, "only from 2026-03-02 to 2026-03-17"),
        ({"city": "Lisbon", "day": "soon"}, "'soon' is no date"),
        ({}, "city"),
    ],
)
def test_a_question_it_cannot_answer_is_said(
    address: str, arguments: dict[str, str], said: str
) -> None:
    """An unknown city, a day out of reach and a missing argument are told to the model."""
    outcome = run(address, **arguments)
    assert not outcome.ok
    assert said in outcome.text


@pytest.mark.parametrize(
    ("instead", "said"),
    [
        (answer({"error": True, "reason": "broken"}, status=500), "answered with an error (500)"),
        (Response(200, {}, (b"<html>",)), "cannot be read"),
        (answer({"results": [{"name": "Lisbon"}]}), "cannot be read"),
        (Response(200, {}, (CUT,)), "cannot be reached"),
    ],
)
def test_a_service_that_fails_is_said(
    address: str, service: OpenMeteo, instead: Response, said: str
) -> None:
    """A failing service is an observation that the weather is not known, never a guess."""
    service.instead = instead
    outcome = run(address, city="Lisbon")
    assert not outcome.ok
    assert said in outcome.text
    assert "the weather is not known" in outcome.text


def test_a_service_that_is_not_there_is_said() -> None:
    """Nothing listens: the address is named."""
    assert "127.0.0.1:9 cannot be reached" in run("http://127.0.0.1:9", city="Lisbon").text


@pytest.mark.parametrize(
    "question",
    ["What's the weather in Oslo?", "Will it rain tomorrow?", "北京明天会下雨吗？", "今天冷不冷？"],
)
def test_questions_of_weather_are_known(question: str) -> None:
    """The tool is shortlisted for what it can answer."""
    assert asks_for_weather(question)


@pytest.mark.parametrize(
    "question", ["How many are in stock?", "还有多少天？", "Train the model", "What is a snob?"]
)
def test_other_questions_are_not_of_weather(question: str) -> None:
    """Words that only look like weather do not shortlist the tool."""
    assert not asks_for_weather(question)
