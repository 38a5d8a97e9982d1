"""The report: one file that needs no network, gone through in a browser as a reader would."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from typer.testing import CliRunner

from turnproof.cli import app

if TYPE_CHECKING:
    from selenium.webdriver import Chrome

BROWSER, DRIVER = (shutil.which(name) for name in ("chromium", "chromedriver"))
GAME = """```rules
game small "Small <game>"
  players 2
  language en
each player has
  gold : int >= 0 = 0
turn
  a "First"
  b "Second"
play act "act"
play rest "rest"
decide mood of player : calm | wild
[A] during a, active may act
[S] the mood of player p is calm if p.gold > 0
[B] during b, players may rest
[C] during b, nobody may rest
[D] at the end of a, active.gold += 1
[E] whenever act, player.gold += 2
reading [R] "Once more?"
  no (default):
  yes: at the start of b, active.gold += 1
```

Some *prose* & more, as on [another page](other.md).

```claims
game small
[X1] "Nobody gets rich": always active.gold <= 2
  expect refuted
[X2] "Nobody acts in the second step": never act during b
  expect depends on silence
```

```disputes
[Y1] "May I act first?": may I act in a
  expect yes
```
"""


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("report")
    (folder / "small.md").write_text(GAME, encoding="utf-8")
    made = folder / "report.html"
    result = CliRunner().invoke(app, ["report", str(folder / "small.md"), "-o", str(made), "--jobs", "1"])
    assert result.exit_code == 0, result.output
    return made


def test_everything_is_in_the_file_and_every_link_leads_somewhere(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert "Small &lt;game&gt;" in text
    assert "<em>prose</em> &amp; more, as on another page." in text
    assert not re.search(r'(?:src|href)="(?!#|data:)', re.sub(r'xmlns(:\w+)?="[^"]*"', "", text))
    leads_somewhere(text)


def leads_somewhere(text: str) -> None:
    ids = re.findall(r'\bid="([^"]+)"', text)
    assert len(ids) == len(set(ids))
    missing = {link for link in re.findall(r'href="#([^"]+)"', text) if link not in ids}
    assert missing == set()


def test_the_report_of_a_variant_has_the_rules_that_it_extends(tmp_path: Path) -> None:
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "small.md").write_text(GAME.split("```claims")[0], encoding="utf-8")
    variant = tmp_path / "model" / "smaller.md"
    claims = '```claims\ngame smaller\n[V1] "Gold is never lost": always active.gold >= 0\n  expect proved\n```\n'
    rules = (
        '```rules\ngame smaller "Smaller"\n  extends small\nremoves [C]\n[D] at the end of a, active.gold += 2\n```\n'
    )
    variant.write_text(f"{rules}\n{claims}", encoding="utf-8")
    made = tmp_path / "report.html"
    result = CliRunner().invoke(app, ["report", str(variant), "-o", str(made), "--jobs", "1"])
    assert result.exit_code == 0, result.output
    leads_somewhere(made.read_text(encoding="utf-8"))
    assert made.read_text(encoding="utf-8").count('id="smaller-rule-D"') == 1


@pytest.fixture(scope="module")
def browser(page: Path) -> Iterator[Chrome]:
    if BROWSER is None or DRIVER is None:
        pytest.skip("no chromium and chromedriver here: the report is not tried in a browser")
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = BROWSER
    for argument in (
        "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
        "--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage",
    ):  # fmt: skip
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(DRIVER))
    driver.get(page.as_uri())
    yield driver
    driver.quit()


def shown(browser: Chrome, query: str) -> list[Any]:
    return [one for one in browser.find_elements("css selector", query) if one.is_displayed()]


def test_search_and_filters_leave_what_is_wanted(browser: Chrome) -> None:
    assert len(shown(browser, "#small-claims .item")) == 2
    search = browser.find_element("id", "search")
    search.send_keys("rich")
    assert [one.get_attribute("id") for one in shown(browser, ".item")] == ["small-claim-X1"]
    assert browser.find_element("id", "count").text == "1 found"
    search.send_keys("\ue00c")  # Escape
    assert len(shown(browser, "#small-claims .item")) == 2
    kinds = browser.find_element("css selector", "#small-findings select")
    kinds.send_keys("contradiction")
    found = shown(browser, "#small-findings .item")
    assert found
    assert all(one.get_attribute("data-kind") == "contradiction" for one in found)
    kinds.send_keys("all")


def test_a_play_is_stepped_through(browser: Chrome) -> None:
    browser.find_element("css selector", "#small-claim-X1 summary").click()
    play = browser.find_element("css selector", "#small-claim-X1 .play")
    steps = play.find_elements("css selector", "li.step")
    assert len([step for step in steps if step.is_displayed()]) == len(steps) >= 2
    play.find_element("css selector", "[data-go=first]").click()
    assert len([step for step in steps if step.is_displayed()]) == 1
    play.find_element("css selector", "[data-go='1']").click()
    assert len([step for step in steps if step.is_displayed()]) == 2
    play.send_keys("\ue012")  # arrow to the left
    assert len([step for step in steps if step.is_displayed()]) == 1
    assert play.find_element("css selector", "output").text == f"1 / {len(steps)}"


def test_a_rule_leads_to_its_picture_and_back(browser: Chrome) -> None:
    rule = browser.find_element("id", "small-rule-D")
    link = next(one for one in rule.find_elements("css selector", "a") if one.text.startswith("flow"))
    link.click()
    assert browser.execute_script("return location.hash") == "#small-view-flow"
    top = "return document.getElementById('small-view-flow').getBoundingClientRect().top"
    assert abs(browser.execute_script(top)) < 400
    back = browser.find_element("css selector", "#small-view-flow a[*|href='#small-rule-D']")
    browser.execute_script("arguments[0].dispatchEvent(new MouseEvent('click', {bubbles: true}))", back)
    assert browser.execute_script("return location.hash") == "#small-rule-D"


def test_light_turns_to_dark(browser: Chrome) -> None:
    ground = "return getComputedStyle(document.body).backgroundColor"
    before = browser.execute_script(ground)
    browser.find_element("id", "theme").click()
    assert browser.execute_script(ground) != before
    browser.find_element("tag name", "body").send_keys("d")
    assert browser.execute_script(ground) == before


def test_nothing_is_asked_of_the_network_and_nothing_fails(browser: Chrome) -> None:
    events = [json.loads(entry["message"])["message"] for entry in log(browser, "performance")]
    asked = [event["params"]["request"]["url"] for event in events if event["method"] == "Network.requestWillBeSent"]
    assert asked
    assert [url for url in asked if not url.startswith(("file:", "data:"))] == []
    assert [entry for entry in log(browser, "browser") if entry["level"] in ("SEVERE", "WARNING")] == []


def log(browser: Chrome, kind: str) -> list[Any]:
    """What the browser has noted since it was asked last."""
    return list(browser.get_log(kind))  # type: ignore[no-untyped-call]  # selenium's own lack of a type
