# frozen_string_literal: true

require_relative "test_helper"

# Releases of one application, deployed through a `current` link, share one image: gems stay warm across a deploy.
class DeployTest < TestCase
  GEM = {
    "gems/specifications/part-1.gemspec" => "",
    "gems/gems/part-1/lib/part.rb" => "PART = 1\nrequire 'part/inner'\n",
    "gems/gems/part-1/lib/part/inner.rb" => "INNER = 1\n"
  }.freeze

  def release(number)
    {
      "Gemfile" => "",
      "config/boot.rb" => "require #{Program::SETUP.inspect}\n",
      "lib/own.rb" => "OWN = #{number}\n",
      "bin/start.rb" => <<~RUBY
        require_relative "../config/boot"
        Warmstart.instrumentation = ->(event, path) { $events << [event, File.basename(path)] }
        $events = []
        $LOAD_PATH.unshift(File.expand_path("../lib", __dir__))
        require "own"
        require "part"
        p OWN, PART, INNER, __dir__, $events, Warmstart.session.directory
      RUBY
    }
  end

  # /srv/shop/{releases/N, shared, current -> releases/N}
  def deploy(srv, number, shared_cache: false, keep: 2)
    folder = File.join(srv, "releases", number.to_s)
    release(number).each do |name, content|
      path = File.join(folder, name)
      FileUtils.mkdir_p(File.dirname(path))
      File.write(path, content)
    end
    if shared_cache
      FileUtils.mkdir_p([File.join(srv, "shared/cache"), File.join(folder, "tmp")])
      File.symlink(File.join(srv, "shared/cache"), File.join(folder, "tmp/cache"))
    end
    FileUtils.rm_f(File.join(srv, "current"))
    File.symlink("releases/#{number}", File.join(srv, "current"))
    Dir[File.join(srv, "releases/*")].sort[0...-keep].each { |old| FileUtils.rm_rf(old) }
    sleep Program::AGEING
  end

  # [own number, events, image's folder]
  def boot(program, srv, env = {})
    gems = program.path("gems/gems/part-1/lib")
    run = program.ruby("-I", gems, File.join(srv, "current/bin/start.rb"), env: env, chdir: srv)
    assert_equal ["exit 0", ""], [run.status, run.stderr]
    lines = run.stdout.lines(chomp: true)
    assert_equal %w[1 1], lines[1, 2]
    [Integer(lines[0]), lines[4], lines[5].delete('"'), lines[3]]
  end

  def assert_gems_stay_warm(shared_cache:, env:)
    program = program(GEM.merge("main.rb" => ""))
    srv = File.join(program.base, "srv/shop")
    folders =
      (1..3).map do |number|
        deploy(srv, number, shared_cache: shared_cache)
        own, events, folder, directory = boot(program, srv, env.call(program))
        assert_equal number, own
        assert_equal File.join(srv, "releases", number.to_s, "bin").inspect, directory
        expected = number == 1 ? ":miss, \"part.rb\"" : ":hit, \"part.rb\"], [:hit, \"inner.rb\"]"
        assert_includes events, expected, "release #{number}"
        assert_includes events, ":miss, \"own.rb\""
        assert_equal "[[:hit, \"own.rb\"], [:hit, \"part.rb\"], [:hit, \"inner.rb\"]]",
                     boot(program, srv, env.call(program))[1],
                     "second boot of release #{number}"
        folder
      end
    [folders, srv]
  end

  test "three releases share one image in the user's cache folder" do
    folders, = assert_gems_stay_warm(shared_cache: false, env: ->(_) { {} })
    assert_equal 1, folders.uniq.size
  end

  test "three releases share one image through tmp/cache, a link to shared/" do
    folders, srv = assert_gems_stay_warm(shared_cache: true, env: ->(_) { { "WARMSTART_CACHE_DIR" => nil } })
    assert_equal 1, folders.map { |folder| File.realpath(folder) if File.exist?(folder) }.compact.uniq.size
    refute_empty Dir[File.join(srv, "shared/cache/warmstart/*.manifest")]
  end

  test "ten releases, and the fifth again" do
    program = program(GEM.merge("main.rb" => ""))
    srv = File.join(program.base, "srv/shop")
    (1..10).each do |number|
      deploy(srv, number, keep: 10)
      2.times { assert_equal number, boot(program, srv).first }
    end
    size = -> { Dir[File.join(program.cache, "*/*")].sum { |path| File.size(path) } }
    before = size.call
    FileUtils.rm_f(File.join(srv, "current"))
    File.symlink("releases/5", File.join(srv, "current"))
    own, events, = boot(program, srv)
    assert_equal [5, "[[:hit, \"own.rb\"], [:hit, \"part.rb\"], [:hit, \"inner.rb\"]]"], [own, events]
    assert_operator size.call, :<=, 2 * before
  end

  # The bytes that the image's manifest names.
  def image_size(program)
    folder = File.dirname(Dir[File.join(program.cache, "*/*.manifest")].fetch(0))
    ids = File.read(Dir[File.join(folder, "*.manifest")].fetch(0)).scan(/^segment (\h+)/).flatten
    ids.sum { |id| File.size(Dir[File.join(folder, "*#{id}*.segment")].fetch(0)) }
  end

  test "of releases of which two are kept, an image never has twice what is used" do
    program = program(GEM.merge("main.rb" => ""))
    srv = File.join(program.base, "srv/shop")
    methods = (1..300).map { |number| "def m#{number}(a) = [a, 'text', #{number}]\n" }.join
    sizes =
      (1..9).map do |number|
        deploy(srv, number)
        File.write(File.join(srv, "releases/#{number}/lib/own.rb"), "OWN = #{number}\n#{methods}")
        sleep Program::AGEING
        assert_equal number, boot(program, srv).first
        assert_equal "[[:hit, \"own.rb\"], [:hit, \"part.rb\"], [:hit, \"inner.rb\"]]", boot(program, srv)[1]
        image_size(program)
      end
    assert_operator sizes[1], :>, 1.5 * sizes[0]
    assert_operator sizes.max, :<=, 2 * sizes[1], sizes.inspect
    waste = Dir[File.join(program.cache, "*/*.segment")].sum { |path| File.size(path) } - sizes.last
    assert_operator waste, :<=, 32 << 20
  end

  test "the same folder reached under two names is one application" do
    program = program(GEM.merge("main.rb" => ""))
    srv = File.join(program.base, "srv/shop")
    deploy(srv, 1)
    2.times { boot(program, srv) }
    run = program.ruby("-I", program.path("gems/gems/part-1/lib"), File.join(srv, "releases/1/bin/start.rb"))
    assert_includes run.stdout, ":hit, \"part.rb\"], [:hit, \"inner.rb\"]"
  end

  test "two applications have two images" do
    program = program(GEM.merge("main.rb" => ""))
    folders =
      %w[one two].map do |name|
        srv = File.join(program.base, name, "shop")
        deploy(srv, 1)
        boot(program, srv)[2]
      end
    assert_equal 2, folders.uniq.size
  end
end
