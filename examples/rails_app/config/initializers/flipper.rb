# frozen_string_literal: true

Flipper.register(:librarians) { |actor| actor.respond_to?(:librarian?) && actor.librarian? }
