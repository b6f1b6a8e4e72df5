// A bot that plays any legal action, in C++ without a library:
//   g++ -O2 -o random_bot random_bot.cpp
//   plyground match tron "remote(command='./random_bot')" random
#include <cstdlib>
#include <iostream>
#include <random>
#include <sstream>
#include <string>
#include <vector>

// Returns the rest of a message after "key":. Keys are unique, and a message has no blanks between its parts.
std::string after(const std::string& message, const std::string& key) {
    const auto at = message.find("\"" + key + "\":");
    return at == std::string::npos ? "" : message.substr(at + key.size() + 3);
}

long number(const std::string& message, const std::string& key) {
    return std::strtol(after(message, key).c_str(), nullptr, 10);
}

std::vector<long> numbers(const std::string& message, const std::string& key) {
    std::istringstream list(after(message, key).substr(1));
    std::vector<long> found;
    for (long each; list >> each; list.get()) found.push_back(each);
    return found;
}

int main() {
    for (std::string message; std::getline(std::cin, message);) {
        const std::string type = after(message, "type").substr(1);
        if (type.rfind("hello", 0) == 0) {
            std::cout << R"({"type":"hello","protocol":1,"name":"random bot"})" << std::endl;
        } else if (type.rfind("new_game", 0) == 0) {
            std::cout << R"({"type":"ready"})" << std::endl;
        } else if (type.rfind("turn", 0) == 0) {
            const auto legal = numbers(message, "legal");
            std::mt19937 random(number(message, "seed"));
            std::cout << R"({"type":"move","turn":)" << number(message, "turn")
                      << R"(,"action":)" << legal[random() % legal.size()] << "}" << std::endl;
        }
    }
}
