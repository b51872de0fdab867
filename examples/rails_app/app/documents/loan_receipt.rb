# frozen_string_literal: true

# The slip of paper that goes home with a book.
class LoanReceipt
  Prawn::Fonts::AFM.hide_m17n_warning = true

  def initialize(loan)
    @loan = loan
  end

  def render
    document = Prawn::Document.new(page_size: "A6", margin: 24)
    document.text @loan.book.title, size: 14, style: :bold
    document.move_down 12
    document.table(rows, cell_style: { borders: [] })
    document.render
  end

  private

  def rows
    [[Loan.human_attribute_name(:due_on), I18n.l(@loan.due_on)],
     [Copy.human_attribute_name(:barcode), @loan.copy.barcode]]
  end
end
