"""The whole book, printed: CI prints three of its pages."""

import pdf


def test_the_whole_book_is_printed_without_a_fault(browser):
    assert pdf.faults(pdf.book(browser, pdf.parts())) == []
