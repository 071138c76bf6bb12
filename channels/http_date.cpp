#include "channels/http_date.hpp"

#include "base/text.hpp"

#include <array>
#include <ctime>
#include <string>

namespace chm::channels {

std::optional<std::chrono::sys_seconds> parse_http_date(std::string_view text) {
    // The program never leaves the C locale, so names are English.
    static constexpr std::array k_forms = {
        "%a, %d %b %Y %H:%M:%S GMT",  // IMF-fixdate
        "%A, %d-%b-%y %H:%M:%S GMT",  // RFC 850
        "%a %b %e %H:%M:%S %Y",       // asctime
    };
    const std::string date(trim(text));
    for (const char* form : k_forms) {
        std::tm parts{};
        const char* rest = strptime(date.c_str(), form, &parts);
        if (rest != nullptr && *rest == '\0' && date.find('\0') == std::string::npos) {
            return std::chrono::sys_seconds(std::chrono::seconds(timegm(&parts)));
        }
    }
    return std::nullopt;
}

}  // namespace chm::channels
