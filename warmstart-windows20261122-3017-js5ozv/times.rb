at_exit { $stderr.puts "TIMES #{Process.times.utime} #{Process.times.stime}" }
