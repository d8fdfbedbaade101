"""A browser at the entrance of the running monitor: a director signs in and is revoked, a tablet scans its code."""

from pathlib import Path

import pytest
from playwright.async_api import expect

from hw.simulator.evening import simulate_evening
from hw.simulator.options import Options
from monitor.access.book import Book, Device, Person, without
from monitor.access.file import AccessFile
from monitor.access.passwords import hash_of
from monitor.access.roles import Role
from monitor.access.tokens import digest_of, new_token
from tests.e2e.house import House
from tests.e2e.test_page import browsing, opened

pytestmark = pytest.mark.browser
PASSWORD = "four words are good"


async def test_a_director_signs_in_and_a_tablet_scans_its_code(tmp_path: Path) -> None:
    setup = simulate_evening(Options(seed=1, discards=1)).furniture.setup
    token, access = new_token(), AccessFile(tmp_path / "access.json")
    book = Book(
        people=(Person(name="Dora", role=Role.DIRECTOR, password=hash_of(PASSWORD)),),
        devices=(Device(name="tablet", role=Role.CLUB, sha256=digest_of(token), table="T1"),),
    )
    access.write(book)
    errors: list[str] = []
    async with browsing() as browser, House(tmp_path, setup, page=True) as house:
        url = house.daemon.url
        assert url is not None
        page = await opened(browser, url + "director", errors)
        await expect(page).to_have_url(url + "sign-in?to=%2Fdirector")
        await page.get_by_label("Name").fill("dora")
        await page.get_by_label("Password").fill(PASSWORD)
        await page.keyboard.press("Enter")
        await expect(page).to_have_url(url + "director")
        await expect(page.locator("#link-text")).to_have_text("Live")
        await page.goto(url + "sign-in")
        await page.get_by_role("button", name="Sign out").click()
        await expect(page).to_have_url(url)

        tablet = await (await browser.new_context()).new_page()
        asked: list[str] = []
        tablet.on("request", lambda request: asked.append(request.url + str(request.headers.get("referer"))))
        await tablet.goto(f"{url}with#{token}")
        await expect(tablet).to_have_url(url + "club/T1")
        assert not [one for one in asked if token in one], "no address and no Referer bears the token"
        await tablet.goto(url + "sign-in")
        await expect(tablet.get_by_role("heading")).to_have_text("tablet")
        access.write(without(book, "tablet"))
        await tablet.reload()
        await expect(tablet.get_by_role("heading")).to_have_text("Sign in")
    assert errors == []
