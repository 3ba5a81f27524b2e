"""The whole book, printed: CI prints three of its pages."""

import paper


def test_the_whole_book_is_printed_without_a_fault(browser):
    assert paper.faults(paper.book(browser, paper.parts())) == []
