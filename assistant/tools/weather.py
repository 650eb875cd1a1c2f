"""The weather tool, by Open-Meteo's API, which needs no key (https://open-meteo.com/en/docs)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date, datetime, timedelta
from typing import Annotated, TypeVar
from urllib.parse import urlsplit

from pydantic import BaseModel, Field, ValidationError

from assistant.addresses import is_loopback
from assistant.context.wording import Language, day
from assistant.messages import Json
from assistant.tools.definition import RunContext, Tool, ToolFailed, tool

FORECAST_URL = "https://api.open-meteo.com"
PLACES_URL = "https://geocoding-api.open-meteo.com"
DAYS_AHEAD = 16
TIMEOUT_SECONDS = 10.0
_LONGEST_NAME = 60

_QUESTION = re.compile(
    r"\bweather\b|\bforecast\b|\btemperature\b|\bumbrella\b"
    r"|\b(?:rain|snow|sunny|cloudy|windy|humid)\w*\b|\bhow (?:cold|hot|warm)\b"
    r"|天气|气温|温度|下雨|下雪|带伞|刮风|多少度|冷不冷|热不热",
    re.IGNORECASE,
)
_AHEAD = {"today": 0, "今天": 0, "tomorrow": 1, "明天": 1, "后天": 2}

# WMO code table 4677, as far as Open-Meteo uses it; each word holds up to the next code.
_SKY: tuple[tuple[int, str, str], ...] = (
    (0, "clear", "晴"),
    (1, "mostly clear", "大致晴朗"),
    (2, "partly cloudy", "局部多云"),
    (3, "overcast", "阴"),
    (45, "foggy", "有雾"),
    (51, "drizzle", "毛毛雨"),
    (56, "freezing drizzle", "冻毛毛雨"),
    (61, "light rain", "小雨"),
    (63, "rain", "中雨"),
    (65, "heavy rain", "大雨"),
    (66, "freezing rain", "冻雨"),
    (71, "light snow", "小雪"),
    (73, "snow", "中雪"),
    (75, "heavy snow", "大雪"),
    (77, "snow grains", "米雪"),
    (80, "rain showers", "阵雨"),
    (82, "violent rain showers", "强阵雨"),
    (85, "snow showers", "阵雪"),
    (95, "a thunderstorm", "雷暴"),
    (96, "a thunderstorm with hail", "雷暴伴冰雹"),
)


class Place(BaseModel):
    """A place as the geocoding service knows it."""

    name: str
    latitude: float
    longitude: float
    country: str = ""
    admin1: str = ""


class _Places(BaseModel):
    results: list[Place] = Field(default_factory=list[Place])


class _Current(BaseModel):
    time: datetime
    temperature_2m: float
    weather_code: int
    wind_speed_10m: float


class _Daily(BaseModel):
    time: list[date]
    weather_code: list[int]
    temperature_2m_max: list[float]
    temperature_2m_min: list[float]
    precipitation_probability_max: list[int | None]


class Forecast(BaseModel):
    """What the forecast service says of one place: now (its local time), and day by day."""

    current: _Current
    daily: _Daily


Content = TypeVar("Content", bound=BaseModel)


def weather_tools(base_url: str | None = None) -> tuple[Tool, ...]:
    """Return the weather tool over a service.

    Args:
        base_url: of a service that answers both `/v1/search` and `/v1/forecast`; None means
            Open-Meteo's two.
    """
    service = _Service(base_url or PLACES_URL, base_url or FORECAST_URL)

    @tool(
        description=(
            "Tells the weather in a city: now, or the forecast of a day up to two weeks ahead."
        ),
        max_age="1h",
        live=True,
        when=asks_for_weather,
        timeout=2 * TIMEOUT_SECONDS + 5,
    )
    def get_weather(
        run: RunContext,
        city: Annotated[str, Field(description="the city's name, with its country if unclear")],
        day: Annotated[
            str | None, Field(description="YYYY-MM-DD or tomorrow; leave out for now")
        ] = None,
    ) -> str:
        """Say what the weather in `city` is, or will be."""
        wanted = _wanted(day, run.now.date()) if day and day.strip() else None
        place = service.place(city, run.language)
        forecast = service.forecast(place)
        if wanted is None or wanted == forecast.current.time.date():
            return _now(place, forecast, run.language)
        return _on(wanted, place, forecast, run)

    return (get_weather,)


def asks_for_weather(question: str) -> bool:
    """Whether the weather is asked for."""
    return _QUESTION.search(question) is not None


class _Service:
    """The two endpoints. What they answer is checked; whatever is wrong is told as a sentence."""

    def __init__(self, places_url: str, forecast_url: str) -> None:
        self._places_url = f"{places_url.rstrip('/')}/v1/search"
        self._forecast_url = f"{forecast_url.rstrip('/')}/v1/forecast"

    def place(self, city: str, language: Language) -> Place:
        """Find a city; what follows a comma tells cities of one name apart."""
        name, *rest = [part.strip() for part in re.split("[,，]", city) if part.strip()] or [""]
        if not name:
            raise ToolFailed("The city is empty; ask the user which city is meant.")
        for spelling in dict.fromkeys((name, name.removesuffix("市"))):
            parameters = {"name": spelling, "count": 10, "language": language, "format": "json"}
            if found := self._get(self._places_url, parameters, _Places).results:
                return next((place for place in found if _lies_in(place, rest)), found[0])
        raise ToolFailed(f"The weather service knows no city {city!r}.")

    def forecast(self, place: Place) -> Forecast:
        """Ask for the weather of a place, in its own time zone."""
        parameters = {
            "latitude": place.latitude,
            "longitude": place.longitude,
            "current": "temperature_2m,weather_code,wind_speed_10m",
            "daily": "weather_code,temperature_2m_max,temperature_2m_min"
            ",precipitation_probability_max",
            "timezone": "auto",
            "forecast_days": DAYS_AHEAD,
        }
        return self._get(self._forecast_url, parameters, Forecast)

    def _get(self, url: str, parameters: Mapping[str, Json], kind: type[Content]) -> Content:
        import httpx

        host = urlsplit(url).netloc
        try:
            response = httpx.get(
                url, params=parameters, timeout=TIMEOUT_SECONDS, trust_env=not is_loopback(url)
            )
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise ToolFailed(
                f"The weather service {host} cannot be reached ({type(error).__name__}),"
                " so the weather is not known."
            ) from None
        if response.status_code != 200:
            raise ToolFailed(
                f"The weather service {host} answered with an error ({response.status_code}),"
                " so the weather is not known."
            )
        try:
            return kind.model_validate_json(response.content)
        except ValidationError:
            raise ToolFailed(
                f"The weather service {host} sent what cannot be read, so the weather is not known."
            ) from None


def _lies_in(place: Place, regions: list[str]) -> bool:
    known = f"{place.country} {place.admin1}".lower()
    return bool(regions) and all(region.lower() in known for region in regions)


def _wanted(text: str, today: date) -> date:
    plain = text.strip().lower()
    try:
        wanted = date.fromisoformat(plain) if plain not in _AHEAD else None
    except ValueError:
        raise ToolFailed(f"{text!r} is no date; write it as YYYY-MM-DD.") from None
    return wanted or today + timedelta(days=_AHEAD[plain])


def _now(place: Place, forecast: Forecast, language: Language) -> str:
    now = forecast.current
    sky, wind = _sky(now.weather_code, language), round(now.wind_speed_10m)
    where, degrees = _called(place, language), round(now.temperature_2m)
    today = _span(forecast.daily, 0, language)
    if language == "zh":
        return (
            f"{where}现在{degrees}°C，{sky}，风速{wind}公里/小时"
            f"（当地时间{now.time:%H:%M}）。今天{today}。"
        )
    return (
        f"In {where} it is {degrees} °C now, {sky}, wind {wind}"
        f" km/h (at {now.time:%H:%M} local time). Today: {today}."
    )


def _on(wanted: date, place: Place, forecast: Forecast, run: RunContext) -> str:
    if wanted not in forecast.daily.time:
        first, last = forecast.daily.time[0], forecast.daily.time[-1]
        raise ToolFailed(f"There is no forecast for {wanted}, only from {first} to {last}.")
    index = forecast.daily.time.index(wanted)
    sky = _sky(forecast.daily.weather_code[index], run.language)
    when = day(datetime.combine(wanted, datetime.min.time(), run.zone), run.zone, run.language)
    span = _span(forecast.daily, index, run.language)
    where = _called(place, run.language)
    if run.language == "zh":
        return f"{where}{when}的天气预报：{sky}，{span}。"
    return f"Forecast for {where} on {when}: {sky}, {span}."


def _span(daily: _Daily, index: int, language: Language) -> str:
    low, high = round(daily.temperature_2m_min[index]), round(daily.temperature_2m_max[index])
    chance = daily.precipitation_probability_max[index]
    if language == "zh":
        rain = "" if chance is None else f"，降水概率{chance}%"
        return f"{low}到{high}°C{rain}"
    rain = "" if chance is None else f", {chance} % chance of rain or snow"
    return f"{low} to {high} °C{rain}"


def _called(place: Place, language: Language) -> str:
    """The place's name, which is the service's text: one line of bounded length."""
    name, country = (" ".join(text.split())[:_LONGEST_NAME] for text in (place.name, place.country))
    if not country or country == name:
        return name
    return f"{name}（{country}）" if language == "zh" else f"{name} ({country})"


def _sky(code: int, language: Language) -> str:
    found = [entry for entry in _SKY if entry[0] <= code] or [_SKY[0]]
    _code, english, chinese = found[-1]
    return chinese if language == "zh" else english
