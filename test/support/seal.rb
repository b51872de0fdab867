# frozen_string_literal: true

# seal.rb RECORDED SEALED ROOT LOAD_PATH...: makes a sealed image in the folder SEALED from the one in RECORDED, for the
# application at ROOT. It must run under the same options as the program, because they are part of the image's key.
require_relative "../../lib/warmstart"
require_relative "../../lib/warmstart/boot/image_key"

recorded, sealed, root, *load_path = ARGV
Warmstart::Native.prepare(sealed, Warmstart::Image::Key.text, "so", nil)
Warmstart::Native.merge(
  [recorded],
  { sealed: true, root: root, fingerprints: {}, load_path: load_path, stable: load_path.map { false } }
)
