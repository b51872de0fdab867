# frozen_string_literal: true

require_relative "../library"

module Exactness
  module Programs
    # What programs read that load documents.
    DOCUMENTS = {
      "documents/a.yml" => "a: &x 1\nb: *x\n",
      "documents/b.yml" => "- [1_000, x, 1.5, ~]\n- {c: 'text', 2: on}\n",
      "documents/c.yml" => "a: :sym\n",
      "documents/d.yml" => "a: 2020-01-01\n"
    }.freeze

    # A small program of several files, and how it is started. The first file is the program itself. arguments: Ruby's
    # options; form: how Ruby gets the program, a key of FORMS; turns: whether warm boots play another turn than the
    # recording one.
    Case =
      Struct.new(:seed, :files, :links, :arguments, :form, :turns, keyword_init: true) do
        def copy =
          self.class.new(
            **to_h,
            files: files.transform_values { |list| list.map(&:copy) },
            links: links.dup,
            arguments: arguments.dup
          )

        # {path => content}, as ::Program takes it.
        def contents
          texts = files.to_h { |path, list| [path, content(list)] }
          documents = texts.each_value.any? { |text| text.b.include?("documents/") } ? DOCUMENTS : {}
          { **texts, **documents, **links.transform_values(&:to_sym) }
        end

        def size = files.sum { |_, list| list.sum { |statement| statement.lines.size } } + links.size + arguments.size

        private

        # A line after the magic comments ends an endless recursion of loads. (A file without statements is empty.)
        def content(list)
          return "" if list.empty?

          head, rest =
            list.partition.with_index do |_, index|
              list.first(index + 1).all? { |statement| statement.text.b.match?(/\A(#|\xEF\xBB\xBF)/n) }
            end
          [*head, Statement.new("Trace.count_load"), *rest].flat_map do |statement|
              statement.lines.map { |line| "#{line.b}\n" }
            end
            .join
            .sub("\xEF\xBB\xBF\n".b, "\xEF\xBB\xBF".b)
        end
      end
  end
end
