package web

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// TestSecurityPage: docs/security.md says of headers and limits what the tables do.
func TestSecurityPage(t *testing.T) {
	raw, err := os.ReadFile("../../docs/security.md")
	if err != nil {
		t.Fatal(err)
	}
	page := string(raw)
	list := newPolicies([]string{"https://shop.example"}, "'sha256-…'")
	named := map[kind]string{
		kindPage: "page", kindFramed: "first page in a frame", kindAlone: "page in no frame", kindDoctor: "doctor", kindMoved: "redirect", kindData: "data, errors", kindPicture: "QR code", kindHashed: "hashed file", kindScript: "checkout.js",
		kindRelease: "checkout.js of a version", kindModule: "module", kindManual: "documentation", kindPublished: "types, descriptions, public keys", kindIcon: "coin's mark", kindConsole: "operator's page",
	}
	for k, p := range list {
		cells := strings.Join([]string{named[k], p.cache, p.vary, p.resource, p.opener, p.embedder, p.readers}, " | ")
		if row := strings.ReplaceAll("| "+cells+" |", "|  |", "| |"); !strings.Contains(page, "\n"+strings.ReplaceAll(row, "|  |", "| |")+"\n") {
			t.Errorf("docs/security.md lacks the row %s", row)
		}
		if k != kindAlone && k != kindDoctor && k != kindManual && !strings.Contains(page, "\n"+p.content+"\n") {
			t.Errorf("docs/security.md lacks the policy %s", p.content)
		}
	}
	most := Limits{}.filled()
	for what, n := range map[string]int{
		"pages, data and refused sockets, in a minute": most.Reads, "shoppers' posts, in a minute": most.Posts, "requests to the gateway by those posts, one at least for each, in a minute": most.Calls, "posts that ask for a check or cancel, in a minute": most.Calls / 3,
		"checks that open pages make due sooner, in a minute":                  maxHastened,
		"wrong keys, hook tokens and tracking codes at `/return`, in a minute": most.Guesses, "sockets open at a time": most.Sockets, "body": maxBody >> 10,
	} {
		number := strings.Replace(fmt.Sprint(n), "1200", "1,200", 1)
		if what == "body" {
			number += " KiB"
		}
		if !strings.Contains(page, "\n| "+what+" | "+number+" |") {
			t.Errorf("docs/security.md lacks %q, %s", what, number)
		}
	}
}
