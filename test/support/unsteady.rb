# frozen_string_literal: true

# Tests that fail when others run at the same time, and pass alone (bin/test).
module Unsteady
  # {"Class#test_name" => why it may fail on a busy machine although nothing is wrong}. An entry is removed when the
  # cause is found.
  KNOWN = {
    "GCGovernorTest#test_the_first_warm_boot_teaches_what_it_keeps_whatever_the_step_and_the_garbage_a_small_one_nothing" =>
      "what a boot keeps is read off the process's size at moments that a busy machine shifts: 49 and 71 MB were seen for 80"
  }.freeze

  # The number of other such tests per run that are named and forgiven. If there are more, all of them are failures.
  TOLERATED = 2
end
