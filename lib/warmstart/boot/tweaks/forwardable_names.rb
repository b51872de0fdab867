# frozen_string_literal: true

module Warmstart
  module Tweaks
    # Forwardable compiles "().name" for each delegator, and takes the result to pieces, to see whether the name is one that can
    # be called with a dot. A plain name can, whatever it is: keywords, too (test/tweaks_test.rb tries all of them). Others, operators
    # and assignments, Forwardable looks at itself.
    module ForwardableNames
      VERSIONS = %w[1.3.2 1.3.3].freeze          # of Ruby 3.1 to 3.4
      PLAIN = /\A[A-Za-z_][A-Za-z0-9_]*[?!]?\z/

      class << self
        # @return [true, String] why not
        def apply
          return "Forwardable #{::Forwardable::VERSION} is not known" unless VERSIONS.include?(::Forwardable::VERSION)

          original = ::Forwardable.method(:_valid_method?)
          return "Forwardable's methods are not its own" unless original.owner == ::Forwardable.singleton_class && original.arity == 1 && own_file?(original)

          applied = @applied = { original: original }
          replace { |method| (!applied.empty? && ForwardableNames.plain?(method)) || original.call(method) }
          true
        end

        # (What is defined from a Method is that method: proc.c, rb_mod_define_method.)
        def withdraw
          original = @applied&.delete(:original) or return
          replace(original) if ::Forwardable.method(:_valid_method?).source_location&.first == __FILE__
        end

        def plain?(name) = (Symbol === name || String === name) && name.to_s.ascii_only? && PLAIN.match?(name)

        private

        def replace(method = nil, &block)
          CoreExt.silently { method ? ::Forwardable.define_singleton_method(:_valid_method?, method) : ::Forwardable.define_singleton_method(:_valid_method?, &block) }
        end

        # In forwardable/impl.rb, beside the file with forwardable's methods.
        def own_file?(method)
          library = ::Forwardable.instance_method(:instance_delegate).source_location&.first.to_s
          method.source_location&.first == "#{library.delete_suffix(".rb")}/impl.rb"
        end
      end
    end
  end
end
