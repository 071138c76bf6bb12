// Sockets and threads: one acceptor, one thread a connection, and an eventfd that ends every wait.
// See the header.
#include "support/local_server.hpp"

#include "base/file_descriptor.hpp"
#include "support/http_answer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <linux/sockios.h>
#include <list>
#include <mutex>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdexcept>
#include <string>
#include <string_view>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <system_error>
#include <thread>
#include <utility>

namespace chm::test {
namespace {

using std::chrono::milliseconds;
using SteadyClock = std::chrono::steady_clock;

constexpr std::size_t k_max_connections = 256;
constexpr std::size_t k_max_head = 64 << 10;
constexpr std::size_t k_piece = 64 << 10;
constexpr milliseconds k_patience{60'000};  // with a silent or stuck client
constexpr milliseconds k_linger{200};

enum class Event { ready, timeout, stopped };

// The listening socket, or an exception: see LocalServer's constructor.
FileDescriptor listen_on_loopback(std::uint16_t& port) {
    FileDescriptor fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* const generic = reinterpret_cast<sockaddr*>(&address);
    if (!fd.is_open() || ::bind(fd.get(), generic, size) != 0 ||
        ::listen(fd.get(), static_cast<int>(k_max_connections)) != 0 ||
        ::getsockname(fd.get(), generic, &size) != 0) {
        throw std::runtime_error("the test server cannot listen on 127.0.0.1: " +
                                 std::system_category().message(errno));
    }
    port = ntohs(address.sin_port);
    return fd;
}

FileDescriptor make_eventfd() {
    FileDescriptor fd(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    if (!fd.is_open()) {
        throw std::runtime_error("the test server cannot have an eventfd: " +
                                 std::system_category().message(errno));
    }
    return fd;
}

}  // namespace

// What all threads share: the script, the records, and the eventfd whose being readable means "stop
// now". Every wait of every thread also polls that one, which is why shutting down takes no time.
class LocalServer::Hub {
public:
    Hub(std::filesystem::path root, OnFinished on_finished);
    Hub(const Hub&) = delete;
    Hub& operator=(const Hub&) = delete;
    ~Hub();

    struct Entry {
        RequestRecord record;
        bool is_active = true;
    };
    struct Exchange {
        std::shared_ptr<Entry> entry;  // guarded by mutex_
        Rule rule;
    };
    Exchange begin(const HttpRequest& request, std::uint64_t connection);
    void finish(const Exchange& exchange, int status, std::uint64_t bytes_sent);
    /// The exchange no longer counts as being answered; further calls do nothing.
    void end(const Exchange& exchange);

    /// Waits for `events` on `fd` (-1: for nothing but the time).
    [[nodiscard]] Event wait(int fd, short events, milliseconds patience) const;

    [[nodiscard]] const std::filesystem::path& root() const { return root_; }
    [[nodiscard]] std::uint16_t port() const { return port_; }

    void set_script(Script script);
    void add_rule(Rule rule);
    [[nodiscard]] std::vector<RequestRecord> requests() const;
    void clear_requests();
    [[nodiscard]] std::size_t peak_concurrency() const;

private:
    struct Worker {
        std::atomic<bool> is_done = false;
        std::thread thread;
    };
    void accept_connections();
    void start_worker(std::list<Worker>& workers, FileDescriptor socket);

    const std::filesystem::path root_;
    const OnFinished on_finished_;
    std::uint16_t port_ = 0;
    const FileDescriptor listener_;
    const FileDescriptor stop_;
    std::uint64_t connections_ = 0;  // of the acceptor thread

    mutable std::mutex mutex_;  // guards all below
    ScriptPlayer player_;
    std::vector<std::shared_ptr<Entry>> entries_;
    std::size_t active_ = 0;
    std::size_t peak_ = 0;

    std::thread acceptor_;
};

// One client's connection, on its own thread.
class LocalServer::Connection {
public:
    Connection(Hub& hub, FileDescriptor socket, std::uint64_t number)
        : hub_(hub), socket_(std::move(socket)), number_(number) {}
    void serve();

private:
    [[nodiscard]] std::optional<HttpRequest> next_request();
    void refuse(int status, std::string_view why);
    [[nodiscard]] bool answer(const HttpRequest& request);
    [[nodiscard]] bool play(const HttpRequest& request, const Hub::Exchange& exchange);
    [[nodiscard]] bool send(const Answer& answer, const Hub::Exchange& exchange, bool keep_alive);
    [[nodiscard]] bool send_all(std::string_view bytes);
    [[nodiscard]] bool pause(milliseconds time) const {
        return hub_.wait(-1, 0, time) != Event::stopped;
    }
    void wait_for_hangup() const;
    void reset();
    void close_gently();

    Hub& hub_;
    FileDescriptor socket_;
    const std::uint64_t number_;
    std::string received_;  // and not yet used
};

void LocalServer::Connection::serve() {
    std::optional<HttpRequest> request = next_request();
    while (request && answer(*request)) {
        request = next_request();
    }
    close_gently();
}

std::optional<HttpRequest> LocalServer::Connection::next_request() {
    constexpr std::string_view k_end_of_head = "\r\n\r\n";
    std::size_t end = received_.find(k_end_of_head);
    while (end == std::string::npos) {
        if (received_.size() > k_max_head) {
            refuse(431, "the request head is too large");
            return std::nullopt;
        }
        if (hub_.wait(socket_.get(), POLLIN, k_patience) != Event::ready) {
            return std::nullopt;
        }
        std::array<char, 4096> buffer;
        const ssize_t got = ::recv(socket_.get(), buffer.data(), buffer.size(), 0);
        if (got < 0 && (errno == EAGAIN || errno == EINTR)) {
            continue;
        }
        if (got <= 0) {
            return std::nullopt;
        }
        const std::size_t overlap = std::min(received_.size(), k_end_of_head.size() - 1);
        const std::size_t from = received_.size() - overlap;
        received_.append(buffer.data(), static_cast<std::size_t>(got));
        end = received_.find(k_end_of_head, from);
    }
    Result<HttpRequest> request =
        parse_request_head(std::string_view(received_).substr(0, end + k_end_of_head.size()));
    received_.erase(0, end + k_end_of_head.size());
    if (!request) {
        refuse(400, request.error().message);
        return std::nullopt;
    }
    return std::move(*request);
}

void LocalServer::Connection::refuse(int status, std::string_view why) {
    const Answer answer = make_text_answer(status, why);
    // Closing follows, so the client needs no length; and if it is gone, nobody minds.
    [[maybe_unused]] const bool is_sent =
        send_all(answer.head(false) + answer.content.read(0, k_piece));
}

// False when the connection is over.
bool LocalServer::Connection::answer(const HttpRequest& request) {
    const Hub::Exchange exchange = hub_.begin(request, number_);
    const bool goes_on = play(request, exchange);
    hub_.end(exchange);
    return goes_on;
}

bool LocalServer::Connection::play(const HttpRequest& request, const Hub::Exchange& exchange) {
    const Rule& rule = exchange.rule;
    if (rule.delay > milliseconds(0) && !pause(rule.delay)) {
        return false;
    }
    if (rule.hang || rule.close) {
        hub_.finish(exchange, 0, 0);
        if (rule.hang) {
            wait_for_hangup();
        }
        return false;
    }
    const Answer answer = make_answer(request, rule, hub_.root());
    // A request with a body is refused without reading it, so what follows would be no request.
    const bool has_body = request.header("content-length") || request.header("transfer-encoding");
    const bool keep_alive = request.keep_alive && !has_body && answer.is_framed();
    return send(answer, exchange, keep_alive);
}

bool LocalServer::Connection::send(const Answer& answer,
                                   const Hub::Exchange& exchange,
                                   bool keep_alive) {
    const Rule& rule = exchange.rule;
    const std::uint64_t length = answer.end - answer.begin;
    const std::uint64_t stop_at =
        std::min({length, rule.cut.value_or(length), rule.reset.value_or(length)});
    // A slow body goes out twenty times a second, or byte by byte.
    const std::uint64_t piece =
        rule.drip ? std::clamp<std::uint64_t>(*rule.drip / 20, 1, k_piece) : k_piece;
    std::string bytes = answer.head(keep_alive);
    std::uint64_t sent = 0;
    while (true) {
        const std::uint64_t wanted = std::min(piece, stop_at - sent);
        const std::string body =
            answer.content.read(answer.begin + sent, static_cast<std::size_t>(wanted));
        const bool is_last = sent + wanted == stop_at || body.size() < wanted;
        if (is_last) {
            // Now, not later: a client with its last byte may look at once, or ask for the next
            // file.
            hub_.finish(exchange, answer.status, sent + body.size());
            hub_.end(exchange);
        }
        if (!send_all(bytes + body)) {
            hub_.finish(exchange, answer.status, sent);
            return false;
        }
        bytes.clear();
        sent += body.size();
        if (is_last) {
            break;
        }
        if (rule.drip && !pause(milliseconds(piece * 1000 / *rule.drip))) {
            hub_.finish(exchange, answer.status, sent);
            return false;
        }
    }
    if (sent < length && rule.reset) {
        reset();
    }
    return sent == length && keep_alive;
}

bool LocalServer::Connection::send_all(std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t sent = ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (sent >= 0) {
            bytes.remove_prefix(static_cast<std::size_t>(sent));
            continue;
        }
        const bool may_try_again = errno == EAGAIN || errno == EINTR;
        if (!may_try_again || hub_.wait(socket_.get(), POLLOUT, k_patience) != Event::ready) {
            return false;
        }
    }
    return true;
}

void LocalServer::Connection::wait_for_hangup() const {
    // POLLIN is left out: a client may well send more while it waits.
    while (hub_.wait(socket_.get(), POLLRDHUP, k_patience) == Event::timeout) {
    }
}

void LocalServer::Connection::reset() {
    // A reset throws away what the kernel has not delivered, so let the client have its bytes
    // first.
    int pending = 0;
    for (int tries = 0; tries < 1000; ++tries) {
        if (::ioctl(socket_.get(), SIOCOUTQ, &pending) != 0 || pending == 0 ||
            !pause(milliseconds(1))) {
            break;
        }
    }
    const linger abrupt = {.l_onoff = 1, .l_linger = 0};
    ::setsockopt(socket_.get(), SOL_SOCKET, SO_LINGER, &abrupt, sizeof abrupt);
    socket_.close();
}

// close(2) with unread input would send a reset, which can destroy an answer on its way; so end our
// side, then wait a little for the client to end its own.
void LocalServer::Connection::close_gently() {
    if (!socket_.is_open()) {
        return;
    }
    ::shutdown(socket_.get(), SHUT_WR);
    const auto deadline = SteadyClock::now() + k_linger;
    std::array<char, 4096> ignored;
    while (SteadyClock::now() < deadline &&
           hub_.wait(socket_.get(), POLLIN, k_linger) == Event::ready &&
           ::recv(socket_.get(), ignored.data(), ignored.size(), 0) > 0) {
    }
    socket_.close();
}

LocalServer::Hub::Hub(std::filesystem::path root, OnFinished on_finished)
    : root_(std::move(root)),
      on_finished_(std::move(on_finished)),
      listener_(listen_on_loopback(port_)),
      stop_(make_eventfd()),
      acceptor_([this] { accept_connections(); }) {}

LocalServer::Hub::~Hub() {
    ::eventfd_write(stop_.get(), 1);
    acceptor_.join();
}

Event LocalServer::Hub::wait(int fd, short events, milliseconds patience) const {
    const auto deadline = SteadyClock::now() + patience;
    while (true) {
        // poll(2) ignores a negative descriptor.
        std::array<pollfd, 2> fds = {{{.fd = stop_.get(), .events = POLLIN, .revents = 0},
                                      {.fd = fd, .events = events, .revents = 0}}};
        const auto left = std::chrono::ceil<milliseconds>(deadline - SteadyClock::now()).count();
        const int ready = ::poll(
            fds.data(), fds.size(), static_cast<int>(std::clamp<std::int64_t>(left, 0, 1'000'000)));
        if (fds[0].revents != 0) {
            return Event::stopped;
        }
        if (fds[1].revents != 0) {
            return Event::ready;
        }
        if (ready == 0 && SteadyClock::now() >= deadline) {
            return Event::timeout;
        }
    }
}

void LocalServer::Hub::accept_connections() {
    std::list<Worker> workers;
    while (true) {
        workers.remove_if([](Worker& worker) {
            const bool is_done = worker.is_done;
            if (is_done) {
                worker.thread.join();
            }
            return is_done;
        });
        // More clients wait in the backlog of listen(2).
        const bool is_full = workers.size() >= k_max_connections;
        const Event event =
            is_full ? wait(-1, 0, milliseconds(10)) : wait(listener_.get(), POLLIN, k_patience);
        if (event == Event::stopped) {
            break;
        }
        if (is_full || event == Event::timeout) {
            continue;
        }
        FileDescriptor socket(
            ::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
        if (socket.is_open()) {
            start_worker(workers, std::move(socket));
        } else if (errno == EMFILE || errno == ENFILE) {
            (void)wait(-1, 0, milliseconds(10));
        }
    }
    for (Worker& worker : workers) {
        worker.thread.join();
    }
}

void LocalServer::Hub::start_worker(std::list<Worker>& workers, FileDescriptor socket) {
    const int on = 1;
    ::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    Worker& worker = workers.emplace_back();
    try {
        worker.thread = std::thread(
            [this, &worker, number = ++connections_](FileDescriptor client) {
                Connection(*this, std::move(client), number).serve();
                worker.is_done = true;
            },
            std::move(socket));
    } catch (const std::system_error&) {
        workers.pop_back();  // no thread to be had: the client sees a closed connection
    }
}

LocalServer::Hub::Exchange LocalServer::Hub::begin(const HttpRequest& request,
                                                   std::uint64_t connection) {
    auto entry = std::make_shared<Entry>();
    RequestRecord& record = entry->record;
    record.method = request.method;
    record.path = request.path;
    record.query = request.query;
    record.headers = request.headers;
    record.connection = connection;
    const std::lock_guard lock(mutex_);
    record.at = SteadyClock::now();
    entries_.push_back(entry);
    peak_ = std::max(peak_, ++active_);
    return {std::move(entry), player_.next(request.path)};
}

void LocalServer::Hub::finish(const Exchange& exchange, int status, std::uint64_t bytes_sent) {
    const std::lock_guard lock(mutex_);
    RequestRecord& record = exchange.entry->record;
    const bool is_first = record.status == 0;
    record.status = status;
    record.bytes_sent = bytes_sent;
    if (is_first && on_finished_) {
        on_finished_(record);
    }
}

void LocalServer::Hub::end(const Exchange& exchange) {
    const std::lock_guard lock(mutex_);
    if (std::exchange(exchange.entry->is_active, false)) {
        --active_;
    }
}

void LocalServer::Hub::set_script(Script script) {
    const std::lock_guard lock(mutex_);
    player_.set(std::move(script));
}

void LocalServer::Hub::add_rule(Rule rule) {
    const std::lock_guard lock(mutex_);
    player_.add(std::move(rule));
}

std::vector<RequestRecord> LocalServer::Hub::requests() const {
    const std::lock_guard lock(mutex_);
    std::vector<RequestRecord> copies;
    copies.reserve(entries_.size());
    for (const std::shared_ptr<Entry>& entry : entries_) {
        copies.push_back(entry->record);
    }
    return copies;
}

void LocalServer::Hub::clear_requests() {
    const std::lock_guard lock(mutex_);
    entries_.clear();
    peak_ = active_;
}

std::size_t LocalServer::Hub::peak_concurrency() const {
    const std::lock_guard lock(mutex_);
    return peak_;
}

LocalServer::LocalServer(std::filesystem::path root, OnFinished on_finished)
    : hub_(std::make_unique<Hub>(std::move(root), std::move(on_finished))) {}

LocalServer::~LocalServer() = default;

std::string LocalServer::url(std::string_view path) const {
    return fmt::format("http://127.0.0.1:{}{}", port(), path);
}

std::uint16_t LocalServer::port() const {
    return hub_->port();
}

void LocalServer::set_script(Script script) {
    hub_->set_script(std::move(script));
}

void LocalServer::add_rule(Rule rule) {
    hub_->add_rule(std::move(rule));
}

std::vector<RequestRecord> LocalServer::requests() const {
    return hub_->requests();
}

void LocalServer::clear_requests() {
    hub_->clear_requests();
}

std::size_t LocalServer::peak_concurrency() const {
    return hub_->peak_concurrency();
}

}  // namespace chm::test
