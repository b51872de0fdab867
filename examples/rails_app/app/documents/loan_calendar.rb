# frozen_string_literal: true

# The due dates of a reader's loans, for calendar programs.
class LoanCalendar
  def initialize(loans)
    @loans = loans
  end

  def to_ical
    @loans.each_with_object(Icalendar::Calendar.new) do |loan, calendar|
      calendar.event do |event|
        event.dtstart = Icalendar::Values::Date.new(loan.due_on)
        event.summary = loan.book.title
      end
    end.to_ical
  end
end
