# frozen_string_literal: true

# Writes into a FIFO while a program of the tests loads it. Ruby opens a FIFO twice, the first time only to see whether
# it can be opened (rb_file_load_ok). So the writer must wait for the second reader: a child keeps both ends open, and
# closes them when it has seen this process asleep with the FIFO open.
module Feeder
  STEP = 0.005
  LOOKS = 3

  class << self
    # Makes a FIFO and yields. It need not be read. (It is a new FIFO each time: Ruby 3.4 leaves the last one open until
    # GC closes it, and until then it keeps what nobody has read.)
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

      Dir
        .glob("/proc/#{pid}/fd/*")
        .any? do |fd|
          begin
            File.readlink(fd) == path
          rescue StandardError
            false
          end
        end
    end
  end
end
