"""The whole book, printed: CI prints three of its pages."""

import pdf


def test_pdf_of_whole_book_has_no_faults(browser):
    assert pdf.faults(pdf.book(browser, pdf.parts())) == []
