"""Two thousand acts at random in each lab, where CI does as many in all of them."""

import pytest
from labs_on_pages import PAGES
from test_labs import press_anything


@pytest.mark.parametrize("kind", PAGES)
def test_random_input_breaks_nothing(kind, open_lab):
    tab, log = open_lab(kind, f"book/{PAGES[kind][0]}.html")
    press_anything(tab, kind, 2000)
    log.assert_silent()
    tab.close()
