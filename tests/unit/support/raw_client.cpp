// Blocking sockets with a deadline. See the header.
#include "unit/support/raw_client.hpp"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

namespace chm::test {

using std::chrono::milliseconds;
using SteadyClock = std::chrono::steady_clock;

std::string Reply::header(std::string_view name) const {
    return std::string(find_header(headers, name).value_or(""));
}

RawClient::RawClient(std::uint16_t port)
    : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(port);
    if (::connect(socket_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) !=
        0) {
        socket_.close();
    }
}

bool RawClient::send(std::string_view bytes) {
    return ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL) ==
           static_cast<ssize_t>(bytes.size());
}

// `complete` means only that more bytes have come.
Reply::End RawClient::fill(SteadyClock::time_point deadline) {
    if (!socket_.is_open()) {
        return Reply::End::closed;
    }
    const auto left = std::chrono::ceil<milliseconds>(deadline - SteadyClock::now()).count();
    pollfd readable = {.fd = socket_.get(), .events = POLLIN, .revents = 0};
    if (left <= 0 || ::poll(&readable, 1, static_cast<int>(left)) <= 0) {
        return Reply::End::timeout;
    }
    std::array<char, 16384> buffer;
    const ssize_t got = ::recv(socket_.get(), buffer.data(), buffer.size(), 0);
    if (got < 0) {
        return errno == ECONNRESET ? Reply::End::reset : Reply::End::closed;
    }
    received_.append(buffer.data(), static_cast<std::size_t>(got));
    return got == 0 ? Reply::End::closed : Reply::End::complete;
}

Reply RawClient::receive(bool has_body, milliseconds patience) {
    const auto start = SteadyClock::now();
    const auto deadline = start + patience;
    Reply reply;
    reply.end = Reply::End::complete;
    std::size_t head_size = std::string::npos;
    while ((head_size = received_.find("\r\n\r\n")) == std::string::npos) {
        reply.end = fill(deadline);
        if (reply.end != Reply::End::complete) {
            reply.took = std::chrono::ceil<milliseconds>(SteadyClock::now() - start);
            return reply;
        }
    }
    head_size += 4;
    // The header lines of an answer read like those of a request.
    const std::string head = received_.substr(0, head_size);
    const std::string as_request = "GET / HTTP/1.1" + head.substr(head.find("\r\n"));
    reply.headers = parse_request_head(as_request).value_or(HttpRequest()).headers;
    reply.status = std::stoi(head.substr(std::string_view("HTTP/1.1 ").size(), 3));
    received_.erase(0, head_size);
    const std::string length = reply.header("content-length");
    const std::size_t wanted = !has_body || reply.status == 304 ? 0
                               : length.empty()                 ? std::string::npos
                                                                : std::stoul(length);
    while (received_.size() < wanted && reply.end == Reply::End::complete) {
        reply.end = fill(deadline);
    }
    reply.body = received_.substr(0, wanted);
    received_.erase(0, reply.body.size());
    reply.took = std::chrono::ceil<milliseconds>(SteadyClock::now() - start);
    return reply;
}

Reply RawClient::get(std::string_view path, std::string_view headers) {
    send(fmt::format("GET {} HTTP/1.1\r\nHost: localhost\r\n{}\r\n", path, headers));
    return receive();
}

Reply RawClient::head(std::string_view path, std::string_view headers) {
    send(fmt::format("HEAD {} HTTP/1.1\r\nHost: localhost\r\n{}\r\n", path, headers));
    return receive(false);
}

Reply get(std::uint16_t port, std::string_view path, std::string_view headers) {
    return RawClient(port).get(path, headers);
}

}  // namespace chm::test
