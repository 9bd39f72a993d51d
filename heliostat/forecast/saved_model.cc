#include "heliostat/forecast/saved_model.h"

#include <fmt/format.h>

#include <utility>

namespace heliostat::forecast {

io::Json SaveModel(std::string_view name) {
  io::Json saved;
  saved.Set("model", name);
  return saved;
}

Status ExpectModel(const io::Json& saved, std::string_view name) {
  const auto member = saved.Get("model");
  if (!member) return Propagate(member);
  const auto text = (*member)->Text();
  if (!text) return Propagate(text);
  if (*text == name) return {};
  return Fail(ErrorCode::kInvalidArgument, (*member)->where(), fmt::format("is '{}'", Printable(*text, 60)),
              fmt::format("a saved model '{}'", name));
}

io::Json SaveNumbers(std::span<const double> numbers) {
  return io::Json(io::Json::Array(numbers.begin(), numbers.end()));
}

Result<std::vector<double>> LoadNumbers(const io::Json& saved, std::string_view key) {
  const auto member = saved.Get(key);
  if (!member) return Propagate(member);
  const auto elements = (*member)->Elements();
  if (!elements) return Propagate(elements);
  std::vector<double> numbers;
  numbers.reserve((*elements)->size());
  for (const auto& element : **elements) {
    const auto number = element.Number();
    if (!number) return Propagate(number);
    numbers.push_back(*number);
  }
  return numbers;
}

Result<double> LoadNumber(const io::Json& saved, std::string_view key) {
  const auto member = saved.Get(key);
  if (!member) return Propagate(member);
  return (*member)->Number();
}

}  // namespace heliostat::forecast
