package address

import (
	"bytes"
	"encoding/base64"
	"strings"
	"testing"
	"unicode/utf8"

	"coinslot/app/wire"
	"coinslot/bff/fortest"
)

// Unused addresses.
const (
	evmOurs   = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed" // an example of EIP-55
	evmPlain  = "0x52908400098527886E0F7030069857D2E4169EE7" // in one case: without a checksum
	tronOurs  = "TXYZopYRdj2D9XRtbG411XZZ3kM5VkAeBf"
	tonOurs   = "EQAREREREREREREREREREREREREREREREREREREREREREeYT" // 0x11 32 times
	tonAlike  = "UQAREREREREREREREREREREREREREREREREREREREREREbvW"
	tonTest   = "kQAREREREREREREREREREREREREREREREREREREREREREV2Z"
	tonRaw    = "0:1111111111111111111111111111111111111111111111111111111111111111"
	btcOurs   = "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4" // an example of BIP 173
	otherOurs = "DLCDJhnh6aGotar6b182jpzbNEyXb3C361"         // of a family that is not known
)

func TestCompare(t *testing.T) {
	for _, c := range []struct {
		name, ours, pasted string
		want               Match
		n                  int
		network            string
	}{
		{"nothing", tronOurs, " \u200b\n", None, 0, ""},
		{"nothing to compare with", "", tronOurs, None, 0, ""},
		{"itself", tronOurs, tronOurs, Same, 0, ""},
		{"broken by spaces", tronOurs, " TXYZ opYR\tdj2D 9XRt\nbG41\u00a01XZZ\u200b3kM5\u2060VkAe\ufeffBf ", Same, 0, ""},
		{"an address that begins like a link", "bitcoincash:qpm2qsznhks23z7629mms6s4cwef74vcwvy22gdx6a", "bitcoincash:qpm2qsznhks23z7629mms6s4cwef74vcwvy22gdx6a", Same, 0, ""},
		{"capitals of a code", "ltc1qw508d6qejxtdg4y5r3zarvary0c5xw7kgmn4n9", "LTC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KGMN4N9", Same, 0, ""},
		{"one letter", tronOurs, strings.Replace(tronOurs, "bG", "bH", 1), Differs, 1, ""},
		{"case is a letter here", tronOurs, strings.ToLower(tronOurs[:1]) + tronOurs[1:], Differs, 1, ""},
		{"one missing", tronOurs, tronOurs[:10] + tronOurs[11:], Differs, 1, ""},
		{"one too many", tronOurs, tronOurs + "f", Differs, 1, ""},
		{"a look-alike's ends", tronOurs, tronOurs[:5] + "JJJJJJJJJJJJJJJJJJJJJJJJ" + tronOurs[29:], Other, 24, ""},
		{"another", tronOurs, "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t", Other, 33, ""},
		{"words", tronOurs, "I do not know", Other, 34, ""},
		{"as wallets shorten it", tronOurs, "TXYZop…VkAeBf", Other, 22, ""},
		{"homoglyph", tronOurs, "Т" + tronOurs[1:], Differs, 1, ""},
		{"of Ethereum", tronOurs, evmPlain, OtherNetwork, 0, "Ethereum, BNB Smart Chain, Polygon, Arbitrum …"},
		{"of Bitcoin", tronOurs, btcOurs, OtherNetwork, 0, "Bitcoin"},
		{"of Bitcoin, old", evmOurs, "1BoatSLRHtKNngkdXEeobR76b53LETtpyT", OtherNetwork, 0, "Bitcoin"},
		{"of TRON", evmOurs, tronOurs, OtherNetwork, 0, "TRON"},
		{"of TON", evmOurs, tonOurs, OtherNetwork, 0, "TON"},
		{"of TON, raw", evmOurs, tonRaw, OtherNetwork, 0, "TON"},
		{"of a known family, ours is not", otherOurs, tronOurs, OtherNetwork, 0, "TRON"},
		{"unknown itself", otherOurs, "dogecoin:" + otherOurs + "?amount=5", Same, 0, ""},

		{"lower case", evmOurs, strings.ToLower(evmOurs), Same, 0, ""},
		{"upper case", evmOurs, "0X" + strings.ToUpper(evmOurs[2:]), Same, 0, ""},
		{"prefix in upper case", evmOurs, "0X" + evmOurs[2:], Same, 0, ""},
		{"ours without a checksum", evmPlain, strings.ToLower(evmPlain), Same, 0, ""},
		{"a wrong checksum", evmOurs, strings.Replace(evmOurs, "aAeb", "aaEb", 1), Differs, 2, ""},
		{"one digit", evmPlain, strings.Replace(evmPlain, "169E", "168E", 1), Differs, 1, ""},
		{"link", evmOurs, "ethereum:" + evmOurs + "@1?value=9123450000000000", Same, 0, ""},
		{"link with prefix", evmOurs, "ethereum:pay-" + evmOurs + "@0x38", Same, 0, ""},
		{"link of a token", evmOurs, "ethereum:0xdAC17F958D2ee523a2206206994597C13D831ec7@1/transfer?address=" + evmOurs + "&uint256=5", Same, 0, ""},
		{"link of a token to another", evmOurs, "ethereum:" + evmOurs + "@1/transfer?uint256=5&address=" + evmPlain, Other, 32, ""},
		{"link of a token without a recipient", evmOurs, "ethereum:" + evmOurs + "@1/transfer?uint256=5", None, 0, ""},
		{"amount without a scheme", evmOurs, evmOurs + "?amount=5", Same, 0, ""},

		{"TON that may not bounce", tonOurs, tonAlike, Same, 0, ""},
		{"TON raw", tonOurs, strings.ToUpper(tonRaw), Same, 0, ""},
		{"TON link", tonOurs, "ton://transfer/" + tonAlike + "?amount=5", Same, 0, ""},
		{"TON web link", tonOurs, "https://app.wallet.example/transfer/" + tonOurs, Same, 0, ""},
		{"TON of the test network", tonOurs, tonTest, Differs, 4, ""},
		{"TON with a wrong end", tonOurs, tonOurs[:47] + "S", Differs, 1, ""},
		{"TON raw, one digit", tonRaw, tonRaw[:65] + "2", Differs, 1, ""},
		{"bech32 in upper case", btcOurs, "BITCOIN:" + strings.ToUpper(btcOurs), Same, 0, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := Compare(c.ours, "", c.pasted)
			if got.Match != c.want || got.N != c.n || got.Network != c.network {
				t.Errorf("compare(%q, %q) = %s, %d, %q; want %s, %d, %q", c.ours, c.pasted,
					got.Match.Name(), got.N, got.Network, c.want.Name(), c.n, c.network)
			}
		})
	}
}

// TestCompareMarks checks which groups differ.
func TestCompareMarks(t *testing.T) {
	for _, c := range []struct{ name, pasted, want string }{
		{"one letter", strings.Replace(tronOurs, "bG41", "bH41", 1), "TXYZ opYR dj2D 9XRt [bH41] 1XZZ 3kM5 VkAe Bf"},
		{"both ends", "t" + tronOurs[1:33] + "g", "[tXYZ] opYR dj2D 9XRt bG41 1XZZ 3kM5 VkAe [Bg]"},
		{"one missing", tronOurs[:10] + tronOurs[11:], "TXYZ opYR [djD9] XRtb G411 XZZ3 kM5V kAeB f"},
		{"the last missing", tronOurs[:33], "TXYZ opYR dj2D 9XRt bG41 1XZZ 3kM5 VkAe [B]"},
		{"one too many", "T" + tronOurs, "[TTXY] ZopY Rdj2 D9XR tbG4 11XZ Z3kM 5VkA eBf"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var list []string
			for _, g := range Compare(tronOurs, "trc20", c.pasted).Theirs {
				if g.Differs {
					g.Text = "[" + g.Text + "]"
				}
				list = append(list, g.Text)
			}
			fortest.Equal(t, strings.Join(list, " "), c.want, "groups")
		})
	}
}

// FuzzCompare: an address is never called right unless it is, whatever is
// pasted; what is shown of it is what was pasted and nothing else.
func FuzzCompare(f *testing.F) {
	for _, ours := range []string{evmOurs, tronOurs, tonOurs, otherOurs} {
		for _, pasted := range []string{evmOurs, strings.ToLower(evmOurs), tronOurs, tonAlike, tonRaw, btcOurs, "ethereum:" + evmOurs + "@1/transfer?address=" + evmPlain} {
			f.Add(ours, pasted)
		}
	}
	f.Fuzz(func(t *testing.T, ours, pasted string) {
		if !utf8.ValidString(ours) {
			return // the server refuses such an address
		}
		got := Compare(ours, "erc20", pasted)
		theirs := Recipient(pasted)
		var shown strings.Builder
		marks := 0
		for _, g := range got.Theirs {
			shown.WriteString(g.Text)
			if g.Differs {
				marks++
			}
		}
		switch {
		case got.Match == None:
			if theirs != "" && Recipient(ours) != "" || len(got.Theirs) > 0 {
				t.Fatalf("compare(%q, %q) finds nothing", ours, pasted)
			}
			return
		case shown.String() != theirs || strings.Contains(theirs, " ") || !strings.Contains(stripInvisible(pasted), theirs):
			t.Fatalf("compare(%q, %q) shows %q", ours, pasted, shown.String())
		case (got.N > 0) != (got.Match == Differs || got.Match == Other) || (got.N > 0) != (marks > 0):
			t.Fatalf("compare(%q, %q) = %+v", ours, pasted, got)
		case got.Match != Same:
			if ours == theirs {
				t.Fatalf("compare(%q, %q) = %+v", ours, pasted, got)
			}
			return
		}
		if !strings.EqualFold(ours, theirs) && (tonAccount(ours) == "" || tonAccount(ours) != tonAccount(theirs)) {
			t.Fatalf("compare(%q, %q) says they are the same", ours, pasted)
		}
		if ours != theirs && familyOf(ours) == wire.OtherFamily {
			t.Fatalf("compare(%q, %q) says they are the same, of an unknown kind", ours, pasted)
		}
	})
}

// FuzzDecodeBase64: base64 is decoded as by the standard library.
func FuzzDecodeBase64(f *testing.F) {
	for _, s := range []string{"", "AAAA", "+/-_", "EQDtFpEwcFAEcRe5mLVh2N6C0x-_hJEM7W61_JLnSF74p4q2", "AAA=", "AA\nAA", "AAA\xff"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if len(s)%4 != 0 {
			return
		}
		want, err := base64.RawURLEncoding.DecodeString(strings.NewReplacer("+", "-", "/", "_").Replace(s))
		got := decodeBase64(s)
		if err == nil && !strings.ContainsAny(s, "\r\n") && !bytes.Equal(got, want) || err != nil && got != nil {
			t.Errorf("decoded(%q) = %x; want %x, %v", s, got, want, err)
		}
	})
}
