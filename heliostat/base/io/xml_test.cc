#include "heliostat/base/io/xml.h"

#include <gmock/gmock.h>

namespace heliostat::io {
namespace {

using ::testing::HasSubstr;

TEST(XmlTest, ReadsElementsAndText) {
  const auto root = ParseXml(R"(<?xml version="1.0"?><!-- c --><n:Doc xmlns:n="urn:x"><n:a> 1 &amp; 2 </n:a>
    <b c="d"><e/><e>x</e></b></n:Doc>)",
                             "doc.xml");
  ASSERT_TRUE(root) << root.error().Line();
  EXPECT_EQ(root->name, "Doc");
  EXPECT_EQ(*root->TextOf("a"), "1 & 2");
  ASSERT_NE(root->Find("b"), nullptr);
  EXPECT_EQ(root->Find("b")->children.size(), 2u);
  EXPECT_EQ(root->Find("b")->children[1].where, "doc.xml: b.e");
  EXPECT_EQ(root->Find("c"), nullptr);
  EXPECT_THAT(root->Get("c").error().Line(), HasSubstr("has no 'c'"));
}

TEST(XmlTest, RefusesWhatIsNotOneDocument) {
  for (const char* text : {"", "   ", "hello", "<a>", "<a></b>", "<a/><b/>", "<a><b></a>", "{\"a\": 1}"}) {
    const auto root = ParseXml(text, "doc.xml");
    ASSERT_FALSE(root) << text;
    EXPECT_EQ(root.error().code, ErrorCode::kInvalidArgument);
  }
}

TEST(XmlTest, ExpandsNoEntitiesOfItsOwn) {
  const auto root = ParseXml(R"(<!DOCTYPE a [<!ENTITY b "boom">]><a><c>&b;</c></a>)", "doc.xml");
  ASSERT_TRUE(root) << root.error().Line();
  EXPECT_EQ(*root->TextOf("c"), "&b;");
}

TEST(XmlTest, RefusesToGoDeep) {
  const auto nested = [](int levels) {
    std::string text;
    for (int i = 0; i < levels; ++i) text += "<a>";
    for (int i = 0; i < levels; ++i) text += "</a>";
    return text;
  };
  EXPECT_TRUE(ParseXml(nested(33), "doc.xml"));
  EXPECT_FALSE(ParseXml(nested(34), "doc.xml"));
  EXPECT_FALSE(ParseXml(nested(200'000), "doc.xml"));
}

}  // namespace
}  // namespace heliostat::io
