# frozen_string_literal: true

# Shows everything that a program can see of an object: class, value, whether it is frozen, encoding, instance
# variables, and which objects are identical. test/documents_test.rb puts this file, without its first line, at the
# beginning of programs.
require "yaml"
class Show
  def initialize = @seen = {}.compare_by_identity

  def call(object)
    return object.inspect if object.nil? || true == object || false == object || Integer === object || Symbol === object
    return "##{@seen[object]}" if @seen.key?(object)

    @seen[object] = @seen.size
    facts = [object.class, @seen[object], object.frozen? ? "frozen" : "free", object.instance_variables.inspect]
    if String === object
      facts << object.encoding << (object.frozen? && object.equal?(-object) ? "interned" : "own") <<
        object.valid_encoding?
    end
    facts << object.default.inspect << object.default_proc.inspect << object.compare_by_identity? if Hash === object
    "#{facts.join(" ")}(#{parts(object)})"
  end

  def parts(object)
    case object
    when Array
      object.map { |part| call(part) }.join(", ")
    when Hash
      object.map { |key, value| "#{call(key)} => #{call(value)}" }.join(", ")
    when String
      object.b.inspect
    when Float
      [object].pack("G").inspect
    when Date
      [object.inspect, object.start].inspect
    else
      object.inspect
    end
  end
end

def attempt
  yield
rescue StandardError, SyntaxError, NoMemoryError, SystemStackError => error
  [error.class, error.message.sub(/fd:\d+/, "fd"), error.backtrace.map { |line| line.sub(/.*(?=psych)/, "") }]
end

def show(path = nil, &load) = puts([path, attempt { Show.new.call(load.call) }].compact.join(": "))
