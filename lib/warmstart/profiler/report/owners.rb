# frozen_string_literal: true

module Warmstart
  module Profiler
    class Report
      # Finds the owner of a node: a gem, the standard library, the application ... The node's file decides. A node
      # without a file belongs to the owner of the file that asked for it.
      # @api private
      class Owners
        # kind: :gem, :standard, :application, :rubygems, :bundler, :ruby or :outside. folder: that of the application.
        Owner = Struct.new(:kind, :name, :folder)

        STANDARD = Owner.new(:standard, "standard library")
        RUBYGEMS = Owner.new(:rubygems, "RubyGems")
        BUNDLER = Owner.new(:bundler, "Bundler")
        RUBY = Owner.new(:ruby, "Ruby itself")
        OUTSIDE = Owner.new(:outside, "outside")

        # (A profile made on Windows has paths such as "C:/app", and may be read anywhere.)
        ABSOLUTE = %r{\A(?:[A-Za-z]:)?/}

        # Folders that contain gems. They tell the gem of a file if that gem was not activated, or if the profile does
        # not have its path.
        GEM_FOLDERS = %r{/(?:bundler/gems|gems|extensions/[^/]+/[^/]+)/([^/]+?)-(?:\d[^/]*|\h{7,40})/}

        # Folders of Ruby's own library: /usr/lib/ruby/3.1.0, /usr/lib/x86_64-linux-gnu/ruby/vendor_ruby/3.1.0, ...
        LIBRARY = %r{/ruby/(?:\d+\.\d+\.\d+|vendor_ruby|site_ruby)/}
        OWN_LIBRARIES = { RUBYGEMS => %r{/rubygems(?:\.rb|/)}, BUNDLER => %r{/bundler(?:\.rb|/)} }.freeze

        # Folders of an application whose subfolders count as folders of their own.
        DEEP_FOLDERS = %w[app config lib packs engines components].freeze

        def initialize(raw)
          program = raw.fetch("program")
          folder = (program["application"] || program["directory"]).to_s.chomp("/")
          @application = folder.empty? ? nil : folder
          @name = program["application"] ? "application" : "program"
          @gems =
            (raw["gems"] || [])
              .reject { |gem| gem["default"] || gem["path"].to_s.empty? }
              .sort_by { |gem| -gem["path"].size }
              .to_h { |gem| ["#{gem["path"].chomp("/")}/", Owner.new(:gem, gem["name"])] }
          @by_plain_name = @gems.values.to_h { |owner| [owner.name.delete("_-"), owner] }
          @versions = (raw["gems"] || []).to_h { |gem| [gem["name"], gem["version"]] }
          @of_path, @short = {}, {}
        end

        # @param node [Node] its parent's owner must be known
        # @return [Owner]
        def of(node)
          case node.kind
          when "ruby", "finish"
            RUBY
          when "bundler"
            BUNDLER
          else
            (node.kind == "initializer" && node.path.nil? && of_initializer(node.name)) || of_file(node)
          end
        end

        # @param path [String] an absolute path
        def of_path(path)
          @of_path[path] ||= find(path)
        end

        # "rack" -> "3.1.8"
        def version(gem) = @versions[gem]

        # The path without the application's folder; for a gem's file, with the gem's name and version in place of its
        # folder.
        def short(path) = @short[path] ||= shortened(path)

        private

        def shortened(path)
          return path unless path.match?(ABSOLUTE)
          return path.delete_prefix("#{@application}/") if inside_application?(path) && of_path(path).kind != :gem

          prefix, gem = @gems.find { |folder, _| path.start_with?(folder) }
          return [[gem.name, version(gem.name)].compact.join("-"), path.delete_prefix(prefix)].join("/") if prefix

          path[%r{/(?:gems|bundler/gems)/([^/]+-[^/]+/.*)}, 1] || path[/#{LIBRARY}(.*)/, 1] || path
        end

        def of_file(node)
          path = node.path || (node.kind == "eval" ? node.name.sub(/:\d+\z/, "") : node.from_path)
          path&.match?(ABSOLUTE) ? of_path(path) : node.parent&.owner || program_owner
        end

        # Finds the gem of "active_record.initialize_database": activerecord.
        def of_initializer(name) = name.include?(".") ? @by_plain_name[name[/\A[^.]+/].delete("_-")] : nil

        # The application may lie in a gem's folder (as an example of the gem), or a gem in the application: the longer
        # path counts.
        def find(path)
          prefix, owner = @gems.find { |folder, _| path.start_with?(folder) }
          return application(path) if prefix && inside_application?(path) && prefix.size <= @application.size + 1
          return owner.name == "bundler" ? BUNDLER : owner if prefix

          name = path[GEM_FOLDERS, 1]
          return name == "bundler" ? BUNDLER : Owner.new(:gem, name) if name
          return library(path) if path.match?(LIBRARY)
          return application(path) if inside_application?(path)

          OUTSIDE
        end

        def library(path)
          tail = path.sub(/.*#{LIBRARY}/, "/")
          OWN_LIBRARIES.find { |_, pattern| tail.match?(/\A(?:[\w.-]+\/){0,2}#{pattern}|\A#{pattern}/) }&.first ||
            STANDARD
        end

        def inside_application?(path)
          @application && path.start_with?("#{@application}/")
        end

        def application(path)
          folders = path.delete_prefix("#{@application}/").split("/")[0...-1]
          depth = DEEP_FOLDERS.include?(folders.first) ? 2 : 1
          Owner.new(:application, @name, folders.empty? ? "." : folders.first(depth).join("/"))
        end

        def program_owner = @application ? Owner.new(:application, @name, ".") : OUTSIDE
      end
    end
  end
end
