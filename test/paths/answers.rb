# frozen_string_literal: true

require_relative "questions"

# Asks Ruby's own File (or rules of ours) a question, and writes question and answer as a line: method, encoding,
# arguments, "=", the answer, its encoding; parts that are Strings as String#dump, separated by tabs.
module PathAnswers
  METHODS = { "expand" => :expand_path, "absolute" => :absolute_path, "absolute?" => :absolute_path? }.freeze

  module_function

  # The rules, or what answers in their place for the parts of a path. (By this system's own rules Ruby's File does that.)
  def rules(rules, question)
    names = Warmstart::Path::Names.new(windows: rules.windows?)
    names.respond_to?(question.first) ? names : rules
  end

  # @return [Array] the answer as text, and its encoding; or the error's class
  def ask(target, question, **surroundings)
    method, _encoding, *arguments = question
    method = METHODS.fetch(method, method) if target == File
    surroundings = {} unless question.first.match?(/\Aexpand|\Aabsolute\z/)
    surroundings = surroundings.except(:home) if question.first == "absolute"
    answer = target.public_send(method, *arguments, **surroundings)
    [
      answer.is_a?(Array) ? answer.map { |part| part.b }.inspect : answer.is_a?(String) ? answer.b : answer.inspect,
      answer.is_a?(String) ? answer.encoding.name : ""
    ]
  rescue ArgumentError, EncodingError => error
    ["!#{error.class}", ""]
  end

  def write(question, answer)
    [
      question[0],
      question[1],
      *question[2..].map { |part| part.is_a?(String) ? part.b.dump : part.to_s },
      "=",
      answer[0].b.dump,
      answer[1]
    ].join("\t")
  end

  # @return [Array(Array, Array)] question and answer
  def read(line)
    parts = line.chomp.split("\t", -1)
    at = parts.index("=")
    method, encoding, *arguments = parts[0...at]
    arguments = arguments.map { |part| part.start_with?("\"") ? undump(part).force_encoding(encoding) : Integer(part) }
    [[method, encoding, *arguments], [undump(parts[at + 1]), parts[at + 2]]]
  end

  def undump(text) = text.b.undump.b
end
