# frozen_string_literal: true

require_relative "../test_helper"
require_relative "../support/browser"
require_relative "../support/profile_generator"
require_relative "../../lib/warmstart/profiler/report"

# The page: whole in one file, safe whatever names are in it, and, in a browser, usable.
class ProfilerPageTest < TestCase
  Report = Warmstart::Profiler::Report
  EVIL = "</script><script>window.broken=1</script><img src=x onerror=window.broken=2>\u2028'\"&<!--"
  SELFTEST = File.join(Program::REPOSITORY, "test/support/page_selftest.js")

  def page(**options) = Report.new(ProfileGenerator.new(**options).profile).html

  # ---- the file ----

  test "it refers to nothing outside of itself" do
    html = page(gems: 6)
    refute_match(/\b(?:src|href|action)\s*=\s*(?!["']?#)/, html.gsub(%r{<(script|style).*?</\1>}m, ""))
    refute_match(/@import|url\(/, html)
    refute_match(/\b(?:fetch|XMLHttpRequest|WebSocket|import)\s*\(/, html)
  end

  test "its policy lets its own style and script run, by their digests, and nothing else" do
    html = page(gems: 3)
    policy = html[/http-equiv="Content-Security-Policy" content="([^"]+)"/, 1]
    assert_match(/\Adefault-src 'none'; /, policy)
    refute_match(/unsafe|http|\*/, policy)
    { "style" => %r{<style>(.*?)</style>}m, "script" => %r{<script>(.*?)</script>}m }.each do |kind, pattern|
      assert_equal 1, html.scan(pattern).size
      assert_includes policy, "#{kind}-src 'sha256-#{Digest::SHA256.base64digest(html[pattern, 1])}'"
    end
    refute_match(/\sstyle=|\son[a-z]+=/, html)
  end

  test "no name breaks out of the page or its data" do
    html = page(gems: 4, names: { "activemodel" => EVIL, "activesupport" => EVIL })
    assert_equal 2, html.scan("</script>").size
    refute_includes html, "<img"
    data = html[%r{<script type="application/json" id="profile">(.*?)</script>}m, 1]
    refute_match(/[<>&\u2028\u2029]/, data)
    assert(JSON.parse(data).fetch("strings").any? { |name| name.include?("</script><script>") })
  end

  test "its data is the profile's" do
    report = Report.new(ProfileGenerator.new(gems: 8).profile)
    data = JSON.parse(report.html[%r{id="profile">(.*?)</script>}m, 1])
    nodes = data.fetch("nodes")
    size = report.profile.nodes.size
    assert(
      nodes.values_at("parent", "label", "path", "from", "kind", "owner", "error").all? { |column| column.size == size }
    )
    data
      .fetch("metrics")
      .each_key { |metric| assert_equal [size, size], [nodes["total"][metric].size, nodes["self"][metric].size] }
    assert_equal (report.profile.total("wall") / 1000.0).round, nodes["total"]["wall"].first
    assert_equal report.profile.root.total_of("failed"), nodes["total"]["failed"].first
  end

  test "a profile of 5,000 nodes is less than 2 MB" do
    report = Report.new(ProfileGenerator.new(files: 170, models: 900).profile)
    assert_operator report.profile.nodes.size, :>, 4900
    assert_operator report.html.bytesize, :<, 2_000_000
  end

  test "causes, groups and advice are there without JavaScript" do
    html = page
    ["garbage collection", "By folder of the application", "Bundler.setup", "49,2", "Advice"].each do |text|
      assert_includes html, text
    end
    assert_equal Report.new(ProfileGenerator.new.profile).advice.size, html.scan("<article>").size
  end

  test "without counted calls there is no switch for them" do
    profile = ProfileGenerator.new(gems: 3).profile
    counted, html = [profile, profile.merge("calls_source" => nil)].map { |raw| Report.new(raw).html }
    ['data-metric="calls"', 'data-metric="failed"', "of them failed"].each do |text|
      assert_includes counted, text
      refute_includes html, text
    end
  end

  # ---- in a browser ----

  def browser
    missing "no Chromium here" unless Browser.find
    @browser ||= Browser.new
  end

  # The page with the script that uses it, which its policy is told of.
  def with_selftest(html)
    script = File.read(SELFTEST)
    digest = Digest::SHA256.base64digest(script)
    html.sub("script-src '", "script-src 'sha256-#{digest}' '").sub("</body>") { "<script>#{script}</script></body>" }
  end

  def write(html) = File.join(temporary_folder, "page.html").tap { |path| File.write(path, html) }

  # A window is 500 pixels wide at least; what is narrower is shown in a frame, which tells its result.
  NARROWEST = 500
  FRAME = <<~HTML
    <!DOCTYPE html><meta charset="utf-8"><iframe src="page.html" width="%d" height="900" style="border:0"></iframe>
    <script>onmessage = (event) => { const pre = document.createElement("pre"); pre.id = "selftest"; pre.textContent = event.data; document.body.append(pre); };</script>
  HTML

  def assert_page_works(html, width: 1200, **options)
    file = write(with_selftest(html))
    file = File.join(File.dirname(file), "frame.html").tap { |path| File.write(path, format(FRAME, width)) } if width <
      NARROWEST
    dom, console = browser.dom(file, width: width, **options)
    result = dom[%r{<pre id="selftest">(.*?)</pre>}m, 1] or
      flunk "the page did not come to its end\n#{console.join("\n")}"
    assert_empty result.lines(chomp: true).grep_v(/\Aok /), options.inspect
    assert_operator result.lines.size, :>, 30
    assert_empty console
  end

  test "it works at 400 and 2,000 pixels, light and dark" do
    html = page
    [[400, false], [2000, true]].each { |width, dark| assert_page_works(html, width: width, dark: dark) }
  end

  test "names that want to break out do not" do
    html = page(names: { "activesupport" => EVIL, "rack" => EVIL })
    assert_page_works(html.sub("<body>", '<body data-evil="1">'))
  end

  test "its policy stops what is not its own" do
    script = "<script>document.title = 'broken'</script></body>"
    dom, console = browser.dom(write(page(gems: 3).sub("</body>", script)))
    refute_includes dom, "<title>broken"
    assert(console.any? { |line| line.include?("Content Security Policy") })
  end

  test "light and dark look different, and nothing is cut off at 400 pixels" do
    file = write(page(gems: 10))
    light, dark =
      [false, true].map do |one|
        File.binread(browser.screenshot(file, File.join(temporary_folder, "shot.png"), width: 400, dark: one))
      end
    refute_equal light, dark
    assert_equal [400, 1000], light[16, 8].unpack("N2")
  end
end
