$LOAD_PATH.push(File.join(__dir__, "files"))
saved = $LOADED_FEATURES.dup
10.times do
  100.times { |n| require "nested#{n}" }
  $LOADED_FEATURES.clear
  $LOADED_FEATURES.concat(saved)
end
