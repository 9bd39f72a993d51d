#pragma once

#include <cctype>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace heliostat::report {

// Checks, for tests, that the output of this layer is well-formed XML: tags nest and close, attributes are quoted and
// not repeated, and "&" begins a known reference. Problem() returns the first problem, or an empty string.
// For one thread.
class XmlCheck {
 public:
  static std::string Problem(std::string_view text) { return XmlCheck(text).Run(); }

 private:
  explicit XmlCheck(std::string_view text) : text_(text) {}

  std::string Run() {
    if (text_.starts_with("<!DOCTYPE html>")) at_ = 15;
    bool has_root = false;
    while (at_ < text_.size()) {
      if (text_[at_] != '<') {
        if (open_.empty() && std::isspace(static_cast<unsigned char>(text_[at_])) == 0) return "text outside the root";
        if (!TakeCharacter()) return Here("bad character data");
        continue;
      }
      if (open_.empty() && has_root) return Here("second root");
      has_root = true;
      if (!TakeTag()) return Here("bad tag");
    }
    if (!has_root) return "no element";
    return open_.empty() ? "" : "unclosed " + open_.back();
  }

  bool TakeCharacter() {
    if (text_[at_] != '&') {
      ++at_;
      return true;
    }
    for (const std::string_view known : {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"}) {
      if (!text_.substr(at_).starts_with(known)) continue;
      at_ += known.size();
      return true;
    }
    return false;
  }

  std::string TakeName() {
    std::string name;
    while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 || text_[at_] == '-')) {
      name += text_[at_++];
    }
    return name;
  }

  bool TakeTag() {
    ++at_;
    if (at_ < text_.size() && text_[at_] == '/') {
      ++at_;
      const std::string name = TakeName();
      if (open_.empty() || open_.back() != name || at_ >= text_.size() || text_[at_] != '>') return false;
      open_.pop_back();
      ++at_;
      return true;
    }
    const std::string name = TakeName();
    if (name.empty()) return false;
    std::set<std::string> seen;
    while (at_ < text_.size() && text_[at_] == ' ') {
      ++at_;
      if (!TakeAttribute(seen)) return false;
    }
    const bool is_empty = text_.substr(at_).starts_with("/>");
    if (!is_empty && !text_.substr(at_).starts_with(">")) return false;
    at_ += is_empty ? 2 : 1;
    if (!is_empty) open_.push_back(name);
    return true;
  }

  bool TakeAttribute(std::set<std::string>& seen) {
    const std::string name = TakeName();
    if (name.empty() || !seen.insert(name).second || !text_.substr(at_).starts_with("=\"")) return false;
    at_ += 2;
    while (at_ < text_.size() && text_[at_] != '"') {
      if (text_[at_] == '<' || !TakeCharacter()) return false;
    }
    return at_++ < text_.size();
  }

  std::string Here(std::string_view what) const {
    return std::string(what) + " near '" + std::string(text_.substr(at_ < 30 ? 0 : at_ - 30, 80)) + "'";
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::vector<std::string> open_;
};

}  // namespace heliostat::report
