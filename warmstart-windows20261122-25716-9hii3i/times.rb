began = Process.clock_gettime(Process::CLOCK_MONOTONIC)
at_exit do
  real = Process.clock_gettime(Process::CLOCK_MONOTONIC) - began
  $stderr.puts "TIMES #{real} #{Process.times.utime} #{Process.times.stime}"
end
