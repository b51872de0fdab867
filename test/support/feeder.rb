# frozen_string_literal: true

# For programs of the tests: what is written into a FIFO while somebody loads it. Ruby opens a FIFO twice, the first
# time only to see whether it could (rb_file_load_ok), so who writes must wait for the reader that reads: a child keeps
# both ends open and lets go when it has seen this process asleep with the FIFO open.
module Feeder
  STEP = 0.005
  LOOKS = 3

  class << self
    # Makes a FIFO and yields. Nobody needs to read it. (A new one each time: Ruby 3.4 leaves the last one open until GC
    # closes it, and what nobody read is kept as long.)
    def feed(path, content)
      discard(path)
      File.mkfifo(path)
      ready, set = IO.pipe
      parent = Process.pid
      feeder = fork { serve(path, content, parent, ready, set) }
      set.close
      ready.read
      yield
    ensure
      ready&.close
      Process.kill(:KILL, feeder)
      Process.wait(feeder)
    end

    private

    def discard(path)
      File.unlink(path)
    rescue Errno::ENOENT
      nil
    end

    def serve(path, content, parent, ready, set)
      ready.close
      fifo = File.open(path, "r+")
      fifo.write(content)
      fifo.flush
      set.close
      looks = 0
      until looks == LOOKS
        sleep STEP
        looks = asleep_with?(parent, File.realpath(path)) ? looks + 1 : 0
      end
    ensure
      exit!
    end

    def asleep_with?(pid, path)
      return false unless File.read("/proc/#{pid}/stat")[/\) (\S)/, 1] == "S"

      Dir.glob("/proc/#{pid}/fd/*").any? { |fd| File.readlink(fd) == path rescue false }
    end
  end
end
