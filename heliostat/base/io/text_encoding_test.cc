#include "heliostat/base/io/text_encoding.h"

#include <gtest/gtest.h>

namespace heliostat::io {
namespace {

std::string Utf16(std::u16string_view text, bool is_big) {
  std::string bytes;
  for (const char16_t c : text) {
    const char high = static_cast<char>(c >> 8);
    const char low = static_cast<char>(c & 0xFF);
    bytes += is_big ? high : low;
    bytes += is_big ? low : high;
  }
  return bytes;
}

TEST(TextEncodingTest, EveryEncodingOfOneTextGivesTheSameText) {
  const std::u16string_view wide = u"Zeit;Preis [€/MWh] für Österreich\n1;2\n";
  const std::string text = "Zeit;Preis [€/MWh] für Österreich\n1;2\n";
  const std::string windows = "Zeit;Preis [\x80/MWh] f\xFCr \xD6sterreich\n1;2\n";
  EXPECT_EQ(DecodeText(text).text, text);
  EXPECT_EQ(DecodeText("\xEF\xBB\xBF" + text).text, text);
  EXPECT_EQ(DecodeText(windows).text, text);
  EXPECT_EQ(DecodeText(windows).encoding, "Windows-1252");
  for (const bool is_big : {false, true}) {
    EXPECT_EQ(DecodeText(Utf16(u"\xFEFF", is_big) + Utf16(wide, is_big)).text, text);
    EXPECT_EQ(DecodeText(Utf16(wide, is_big)).text, text);
    EXPECT_EQ(DecodeText(Utf16(wide, is_big)).encoding, "UTF-16");
    EXPECT_FALSE(IsBinary(Utf16(wide, is_big)));
  }
  EXPECT_EQ(DecodeText(Utf16(u"\xFEFFx\xD83D\xDE00", false)).text, "x\xF0\x9F\x98\x80");
}

TEST(TextEncodingTest, PlainTextNeedsNoDecoding) {
  EXPECT_TRUE(IsPlainUtf8("time,a\n"));
  EXPECT_TRUE(IsPlainUtf8("Zeit,Öl\n"));
  EXPECT_FALSE(IsPlainUtf8("\xEF\xBB\xBFtime,a\n"));
  EXPECT_FALSE(IsPlainUtf8("Zeit,\xD6l\n"));
  EXPECT_TRUE(IsPlainUtf8(""));
}

TEST(TextEncodingTest, BinaryDataIsRecognised) {
  EXPECT_TRUE(IsBinary(std::string(100, '\0')));
  EXPECT_TRUE(IsBinary(std::string("\x7f\x45\x4c\x46\0\0\1", 7)));
  EXPECT_FALSE(IsBinary("time,a\n"));
}

}  // namespace
}  // namespace heliostat::io
