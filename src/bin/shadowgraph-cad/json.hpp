// Objects of JSON, written piece by piece.
#pragma once

#include <cmath>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

inline std::string json_array(const std::vector<std::string>& values) {
    std::string text = "[";
    for (const std::string& value : values) text += (text.size() > 1 ? "," : "") + value;
    return text + "]";
}

inline std::string json_string(const std::string& value) {
    std::string text = "\"";
    for (const char letter : value) {
        const bool is_control = static_cast<unsigned char>(letter) < ' ';
        if (letter == '"' || letter == '\\') text += '\\';
        text += is_control ? ' ' : letter;
    }
    return text + "\"";
}

inline std::string json_number(double value) {
    if (!std::isfinite(value)) return "null";
    char text[32];
    std::snprintf(text, sizeof text, "%.17g", value);
    return text;
}

class JsonObject {
public:
    JsonObject(const char* key, const std::string& value) { string(key, value); }

    JsonObject& raw(const char* key, const std::string& value) {
        text_ += (text_.empty() ? "" : ",") + json_string(key) + ":" + value;
        return *this;
    }
    JsonObject& string(const char* key, const std::string& value) { return raw(key, json_string(value)); }
    JsonObject& number(const char* key, double value) { return raw(key, json_number(value)); }
    JsonObject& number(const char* key, const std::optional<double>& value) {
        return raw(key, value ? json_number(*value) : "null");
    }
    JsonObject& strings(const char* key, const std::vector<std::string>& values) {
        std::vector<std::string> quoted;
        for (const std::string& value : values) quoted.push_back(json_string(value));
        return raw(key, json_array(quoted));
    }
    template <class Numbers>
    JsonObject& numbers(const char* key, const Numbers& values) {
        std::vector<std::string> written;
        for (const auto value : values) written.push_back(std::to_string(value));
        return raw(key, json_array(written));
    }
    std::string text() const { return "{" + text_ + "}"; }

private:
    std::string text_;
};
