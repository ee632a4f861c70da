package web

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"coinslot/bff/fortest"
)

// TestSecurityPage: docs/security.md says of headers and limits what the tables do.
func TestSecurityPage(t *testing.T) {
	raw := fortest.Must(os.ReadFile("../../docs/security.md"))(t)
	page := string(raw)
	list := newPolicies([]string{"https://shop.example"}, "'sha256-…'")
	named := map[Kind]string{
		KindPage:      "later page in a frame",
		KindFramed:    "first page in a frame",
		KindAlone:     "page in no frame",
		KindDoctor:    "doctor",
		KindMoved:     "redirect",
		KindData:      "data, errors",
		KindPicture:   "QR code",
		KindHashed:    "hashed file",
		KindLogo:      "shop's logo",
		KindScript:    "checkout.js",
		KindRelease:   "checkout.js of a version",
		KindModule:    "module",
		KindManual:    "documentation",
		KindPublished: "types, descriptions, public keys",
		KindIcon:      "coin's mark",
		KindConsole:   "operator's page",
	}
	for k, p := range list {
		cells := strings.Join(
			[]string{named[k], p.cache, p.vary, p.resource, p.opener, p.embedder, p.readers},
			" | ",
		)
		row := strings.ReplaceAll("| "+cells+" |", "|  |", "| |")
		if !strings.Contains(page, "\n"+strings.ReplaceAll(row, "|  |", "| |")+"\n") {
			t.Errorf("docs/security.md lacks the row %s", row)
		}
		if k != KindAlone && k != KindDoctor && k != KindManual &&
			!strings.Contains(page, "\n"+p.content+"\n") {
			t.Errorf("docs/security.md lacks the policy %s", p.content)
		}
	}
	most := Limits{}.withDefaults()
	for what, n := range map[string]int{
		"pages, data and refused sockets per minute":                          most.Reads,
		"shoppers' posts per minute":                                          most.Posts,
		"gateway requests made by those posts, at least one each, per minute": most.Calls,
		"posts that check or cancel a payment, per minute":                    most.Calls / 3,
		"earlier checks requested by opening a page, per minute":              maxNudges,
		"wrong keys, hook tokens and tracking codes at `/return` per minute":  most.Guesses,
		"open sockets": most.Sockets,
		"body":         maxBody >> 10,
	} {
		number := strings.Replace(fmt.Sprint(n), "1200", "1,200", 1)
		if what == "body" {
			number += " KiB"
		}
		fortest.Has(t, "docs/security.md lacks "+what+", "+number, page,
			"\n| "+what+" | "+number+" |")
	}
}
