package payment

import (
	"strings"
	"testing"
)

func TestEmail(t *testing.T) {
	for typed, want := range map[string]string{
		"an@shop.example":                          "an@shop.example",
		"taro..yamada@docomo.ne.jp":                "taro..yamada@docomo.ne.jp",
		".foo@ezweb.ne.jp":                         ".foo@ezweb.ne.jp",
		"da.me.@docomo.ne.jp":                      "da.me.@docomo.ne.jp",
		"an@shop.example ":                         "an@shop.example",
		"\u00a0\tan@shop.example\u3000":            "an@shop.example",
		"\u200ean@shop.example\u200f":              "an@shop.example",
		"o'neil+x/y=z%a@shop.example":              "o'neil+x/y=z%a@shop.example",
		"üser@exämple.de":                          "üser@exämple.de",
		"用户@例子.中国":                                 "用户@例子.中国",
		"root@localhost":                           "root@localhost",
		strings.Repeat("a", 241) + "@shop.example": strings.Repeat("a", 241) + "@shop.example",
	} {
		address, ok := Email(typed)
		if !ok || address != want {
			t.Errorf("Email(%q) = %q, %t; want %q", typed, address, ok, want)
		}
	}
	for _, typed := range []string{
		"", " ", "\n", "an", "an@", "@shop.example", "@", "an@.", "an@@shop.example",
		"a@b@c.example", "an lind@shop.example", "An <an@shop.example>", "<an@shop.example>",
		"an@shop.example\n", "an@shop.example\r\nBcc: c@d", "an@b.example,c@d.example",
		"an@b.example;c@d.example", "mailto:an@b.example", `"a b"@c.example`, "an@b.example (x)",
		"an\u202e@b.example", "an\u200b@b.example", strings.Repeat("a", 242) + "@shop.example",
		"an@b.example\x00", "\xff@b.example", "an@[127.0.0.1]",
	} {
		if address, ok := Email(typed); ok || address != typed {
			t.Errorf("Email(%q) = %q, %t; want it back, and false", typed, address, ok)
		}
	}
}
