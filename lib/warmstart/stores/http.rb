# frozen_string_literal: true

require "net/http"
require "uri"

require_relative "netrc"
require_relative "store"

module Warmstart
  module Stores
    # A store on a web server that answers GET, HEAD and PUT: nginx with its dav module, Artifactory and the like. What
    # the server says is believed as little as what it keeps: no answer makes a process wait or grow without end.
    #
    # Proxies are those of the environment: http_proxy, https_proxy, no_proxy.
    # @api private
    class HTTP
      include TimeLimit

      # Seconds to connect, and to wait for the next bytes.
      CONNECT, WAIT = 10, 15
      # A request that fails for a reason that may pass is made so often, with a pause that doubles.
      TRIES, PAUSE = 5, 0.1
      REDIRECTS = 5
      # Bytes that an answer may have besides its body.
      HEADERS = 256 << 10

      # What may be gone at the next try.
      PASSING = [
        EOFError,
        IOError,
        Errno::ECONNRESET,
        Errno::ECONNREFUSED,
        Errno::ECONNABORTED,
        Errno::EPIPE,
        Net::OpenTimeout,
        Net::ReadTimeout,
        Net::WriteTimeout,
        Net::HTTPBadResponse,
        Net::HTTPHeaderSyntaxError
      ].freeze

      # The rest of what a request can fail with.
      FAILURES = [*PASSING, SystemCallError, SocketError, OpenSSL::SSL::SSLError, Net::ProtocolError].freeze

      # Counts what is read from a connection. (Net::HTTP reads headers of any number and size.)
      module Counted
        attr_accessor :left

        def read_nonblock(*arguments, **options)
          bytes = super
          raise Trouble, "the server's answer has no end" if bytes.is_a?(String) && (@left -= bytes.bytesize).negative?

          bytes
        end
      end

      # @param seconds [Numeric] for all requests together
      # @param environment [#[]]
      def initialize(address, seconds:, environment: ENV)
        @base = parse(address)
        limit_time(seconds)
        @authorization = authorization(environment)
        @idle = Hash.new { |hash, origin| hash[origin] = [] }
        @lock = Mutex.new
      end

      def to_s = @base.to_s

      # (Who else can write to a web server is not known.)
      def own? = false

      def read(name, limit) = request(Net::HTTP::Get, name, limit)

      # (A file without a byte is what is left of an upload.)
      def has?(name) = request(Net::HTTP::Head, name, 0)&.positive? ? true : false

      def write(name, bytes)
        request(Net::HTTP::Put, name, HEADERS, bytes) or
          raise Trouble, "#{self} has no place for #{name} (404); nginx needs create_full_put_path"
      end

      def files
        raise Trouble, "a web server cannot be asked what it has; run 'warmstart prune' on the folder that it serves"
      end

      private

      def parse(address)
        base = URI.parse(address)
        raise Wrong, "#{address}: a store has no query" if base.query || base.fragment
        raise Wrong, "#{address}: the host is missing" if base.host.to_s.empty?

        @user = login(base)
        base.class.build(host: base.host, port: base.port, path: base.path.chomp("/"))
      rescue URI::Error
        raise Wrong, "#{address.inspect} is no address"
      end

      # @return [Array<String>] user and password of an address, if it has them
      def login(uri)
        [uri.user, uri.password].compact.map { |text| text.gsub(/%\h\h/) { |code| code[1..].to_s.hex.chr } }
      end

      # ---- who we are ----

      # @return [String, nil] the header
      def authorization(environment)
        token = token(environment) and return "Bearer #{token}"
        user = @user.any? ? @user : Netrc.login(@base.host, environment)
        user && "Basic #{[user.first(2).join(":")].pack("m0")}"
      end

      def token(environment)
        file = environment["WARMSTART_STORE_TOKEN_FILE"].to_s
        token = environment["WARMSTART_STORE_TOKEN"].to_s
        token = Stores.read_file(file).first if token.empty? && !file.empty?
        token = token.strip
        return if token.empty?
        raise Wrong, "the token of the store is not one word" unless token.match?(/\A[\x21-\x7e]+\z/)

        token
      end

      # ---- requests ----

      # Makes a request until it is answered.
      # @return [String, Integer, nil] of GET the body; of HEAD the size; of PUT true; nil: there is no such file
      def request(kind, name, limit, body = nil)
        tries ||= 0
        within_time { follow(kind, URI.join("#{@base}/", name), limit, body) }
      rescue Timeout::Error => error
        # (net/http's own timeouts are such errors, too.)
        retry if PASSING.any? { |reason| error.is_a?(reason) } && again?(tries += 1)
        if error.is_a?(Net::OpenTimeout) || error.is_a?(Net::ReadTimeout)
          raise Trouble, "#{self} does not answer in time"
        end

        raise too_slow
      rescue Passing, *PASSING => error
        retry if again?(tries += 1)
        raise Trouble, "#{self}: #{message(error)}, #{tries} times"
      rescue *FAILURES => error
        raise Trouble, "#{self}: #{message(error)}"
      end

      # An answer that may be another one at the next try.
      class Passing < StandardError
      end

      def message(error)
        case error
        when EOFError
          "the server ended the connection too early"
        when SystemCallError
          Stores.reason(error)
        else
          error.message.lines.first.to_s.chomp
        end
      end

      def again?(tries)
        pause = PAUSE * (2**tries)
        return false if tries >= TRIES || pause >= left

        sleep(pause)
        true
      end

      def follow(kind, uri, limit, body)
        (REDIRECTS + 1).times do
          answer, content = exchange(kind, uri, limit, body)
          return judge(kind, answer, content) unless answer.is_a?(Net::HTTPRedirection) && answer["location"]

          uri = redirected(kind, uri, answer["location"])
        end
        raise Trouble, "#{self} redirects without end"
      end

      def redirected(kind, uri, location)
        if kind == Net::HTTP::Put
          raise Trouble, "#{self} redirects what is sent to it; name the address that it leads to"
        end

        target = URI.join(uri, location)
        raise Trouble, "#{self} redirects to #{target.scheme}, which is no web address" unless target.is_a?(URI::HTTP)
        if uri.scheme == "https" && target.scheme != "https"
          raise Trouble, "#{self} redirects from https to http, which is not followed"
        end

        target
      rescue URI::Error
        raise Trouble, "#{self} redirects to what is no address"
      end

      def judge(kind, answer, content)
        case answer
        when Net::HTTPOK, Net::HTTPCreated, Net::HTTPNoContent, Net::HTTPAccepted
          kind == Net::HTTP::Put ? true : content
        when Net::HTTPNotFound, Net::HTTPGone
          nil
        when Net::HTTPUnauthorized, Net::HTTPForbidden, Net::HTTPProxyAuthenticationRequired
          raise Trouble, "#{self} refuses us (#{answer.code}); see WARMSTART_STORE_TOKEN and netrc in docs/deploying.md"
        when Net::HTTPRequestEntityTooLarge
          raise Trouble, "#{self} takes no file so large (413); nginx: client_max_body_size"
        when Net::HTTPInsufficientStorage
          raise Trouble, "#{self} is full (507)"
        when Net::HTTPServerError, Net::HTTPTooManyRequests
          raise Passing, "the server says #{answer.code}"
        else
          raise Trouble, "#{self} says #{answer.code} to #{kind::METHOD}"
        end
      end

      # One request and its answer.
      # @return [Array(Net::HTTPResponse, Object)]
      def exchange(kind, uri, limit, body)
        with_connection(uri) do |connection, io|
          io.left = limit + HEADERS if io
          content = nil
          answer =
            connection.request(prepare(kind, uri, body)) do |response|
              content = kind == Net::HTTP::Head ? response["content-length"].to_i : receive(response, limit)
            end
          [answer, content]
        end
      end

      def prepare(kind, uri, body)
        request = kind.new(uri)
        # (What is kept is compressed already; a form that the server has made would have to be expanded first.)
        request["Accept-Encoding"] = "identity"
        request["User-Agent"] = "warmstart"
        request["Authorization"] = @authorization if @authorization && same_server?(uri)
        return request unless body

        request["Content-Type"] = "application/octet-stream"
        request.body = body
        request
      end

      # A token is for one server, and is not told to another one.
      def same_server?(uri) = origin(uri) == origin(@base)

      def origin(uri) = [uri.scheme, uri.host.to_s.downcase, uri.port]

      def receive(response, limit)
        bytes = +"".b
        response.read_body do |part|
          bytes << part
          if bytes.bytesize > limit && response.is_a?(Net::HTTPOK)
            raise Trouble, "#{self}: a file is larger than it can be"
          end
        end
        # (net/http takes a body that ends early as it is.)
        raise EOFError if response.content_length.to_i > bytes.bytesize

        bytes
      end

      # Connections stay open for the next request. Only one that has answered as it should is used again.
      def with_connection(uri)
        connection = @lock.synchronize { @idle[origin(uri)].pop } || connect(uri)
        socket = connection.instance_variable_get(:@socket)
        io = socket.io if socket.respond_to?(:io)
        io = nil unless io.is_a?(Counted)
        answer = yield(connection, io)
        whole = true
        answer
      ensure
        whole ? @lock.synchronize { @idle[origin(uri)] << connection } : finish(connection)
      end

      def connect(uri)
        proxy = proxy(uri)
        connection = Net::HTTP.new(uri.host, uri.port, proxy&.host, proxy&.port, *(login(proxy) if proxy))
        connection.use_ssl = uri.scheme == "https"
        connection.open_timeout = CONNECT
        connection.read_timeout = connection.write_timeout = WAIT
        connection.keep_alive_timeout = WAIT
        connection.max_retries = 0
        connection.start
        socket = connection.instance_variable_get(:@socket)
        socket.io.extend(Counted).left = HEADERS if socket.respond_to?(:io)
        connection
      end

      # (Net::HTTP itself asks for http_proxy only.)
      # @return [URI, nil]
      def proxy(uri)
        proxy = uri.find_proxy
        return proxy if proxy.nil? || proxy.host

        raise Wrong, "the proxy of the environment is no address: #{proxy}"
      rescue URI::Error
        raise Wrong, "the proxy of the environment is no address"
      end

      def finish(connection)
        connection&.finish
      rescue IOError, SystemCallError
        nil
      end
    end
  end
end
