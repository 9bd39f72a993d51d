#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "heliostat/base/core/error.h"
#include "heliostat/base/core/time.h"

namespace heliostat::munge_channel {

// The payload of a credential that asks. All of it is vouched for by MUNGE, so a credential that was overheard or kept
// cannot be used for another server, another host or another time.
struct Request {
  std::string service;  // the kind of server: "controller"
  std::string target;   // the host of the server, as the asker calls it
  std::string nonce;    // NewNonce(); the answer repeats it
  Instant made;
  std::string text;
  friend bool operator==(const Request&, const Request&) = default;
};

// The payload of one of the credentials of an answer. A long answer has several parts, since MUNGE bounds a payload.
struct AnswerPart {
  std::string nonce;  // of the request
  std::size_t number = 1;
  std::size_t of = 1;
  std::string text;
  friend bool operator==(const AnswerPart&, const AnswerPart&) = default;
};

inline constexpr std::size_t kMostRequestBytes = std::size_t{32} * 1024;
inline constexpr std::size_t kMostPartBytes = std::size_t{384} * 1024;
inline constexpr std::size_t kMostParts = 256;
inline constexpr std::size_t kMostAnswerBytes = kMostParts * kMostPartBytes;

// 128 random bits in hexadecimal.
std::string NewNonce();

// A payload is a line of JSON and the text as it is. Both kinds name themselves, so that no answer passes as a request.
std::string WriteRequest(const Request& request);
std::string WritePart(const AnswerPart& part);
// kInvalidArgument for anything that the functions above do not write.
Result<Request> ReadRequest(std::string_view payload);
Result<AnswerPart> ReadPart(std::string_view payload);

// How many parts an answer of `bytes` has, and the text of one of them, from 1.
std::size_t PartsOf(std::size_t bytes);
std::string_view TextOfPart(std::string_view answer, std::size_t number);

}  // namespace heliostat::munge_channel
