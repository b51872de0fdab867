# frozen_string_literal: true

require_relative "test_helper"
require_relative "support/marked_values"

# What the extensions remember beyond a call, the collector must know of: or it frees it, or compaction moves it.
class MarkedValuesTest < TestCase
  FOLDERS = %w[ext/warmstart/*.c ext/warmstart/ruby/**/*.{c,h} ext/warmstart_profiler/*.{c,h}].freeze

  # Nobody reads through these: they are compared, with something that stays where it is as long as it lives.
  COMPARED = {
    "ws_thread.ruby" => "Ruby marks each living thread, and what it marks so does not move; threads that end are told"
  }.freeze

  # Texts that live long are no bytes of Strings: where each comes from.
  TEXTS = {
    "arena.base" => "the memory of a recording",
    "categories.name" => "literals",
    "ordered_file.feature" => "lies in the image, which stays mapped",
    "ordered_file.path" => "lies in the image, which stays mapped",
    "known.refusal" => "literals",
    "ws_boot.directory" => "copied",
    "ws_boot.key" => "copied",
    "ws_boot.dlext" => "copied",
    "ws_boot.root" => "copied",
    "ws_governor.ended_by" => "literals",
    "ws_loading.path" => "lies in the image, which stays mapped",
    "ws_method.text" => "copied",
    "own.module" => "literals",
    "own.name" => "literals",
    "ws_patch.name" => "literals",
    "ws_tally.reason" => "literals"
  }.freeze

  SAMPLE = <<~C
    static VALUE lost, kept = Qnil, *list;
    static const char *text;
    static VALUE name_of_ours;
    typedef struct ws_part { VALUE inner; } ws_part;
    typedef struct ws_thing { struct ws_thing *next; VALUE fiber, path; const char *title; ws_part part; } ws_thing;
    typedef struct ws_call { VALUE argument; } ws_call;
    static ws_thing *innermost;
    static struct { int group; VALUE method; } methods[3];
    typedef struct ws_entry { VALUE class; } ws_entry;
    static struct {
        int count;
        struct { VALUE nested; } parts[2];
        ws_entry entries[3];
        VALUE behind;
    } table;
    static struct { VALUE moved, left; } place;
    static void mark(void *nothing) { rb_gc_mark(innermost->fiber); rb_gc_mark(list[0]); }
    static void move(void *nothing) { rb_gc_mark_movable(place.moved); rb_gc_mark_movable(place.left); }
    static void follow(void *nothing) { place.moved = rb_gc_location(place.moved); }
    void init(void) { rb_gc_register_address(&kept); name_of_ours = ID2SYM(rb_intern("name")); }
  C

  def values
    @values ||=
      MarkedValues.new(
        FOLDERS
          .flat_map { |pattern| Dir[File.join(Program::REPOSITORY, pattern)] }
          .to_h { |path| [path, File.read(path)] }
      )
  end

  test "a VALUE that is not marked is found, whatever holds it" do
    found = MarkedValues.new("sample.c" => SAMPLE)
    assert_equal %w[
                   lost
                   methods.method
                   place.left
                   table.behind
                   table.nested
                   ws_entry.class
                   ws_part.inner
                   ws_thing.path
                 ],
                 found.unmarked.map(&:name).sort
    assert_equal %w[text ws_thing.title], found.texts.map(&:name).sort
  end

  test "each VALUE that lives longer than a call is marked" do
    assert_equal COMPARED.keys.sort, values.unmarked.map(&:name).uniq.sort
  end

  test "each text that lives longer than a call is no String's" do
    assert_equal TEXTS.keys.sort, values.texts.map(&:name).uniq.sort
  end
end
