package receipt

import (
	"crypto/ed25519"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/fortest"
	"coinslot/bff/payment"
	"coinslot/docs/examples/verify"

	"github.com/shopspring/decimal"
)

const (
	issuer    = "https://pay.shop.example"
	secretOld = "old-secret-key-0123456789abcdef0123456789"
	secretNew = "new-secret-key-0123456789abcdef0123456789"
)

var noon = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

func signer(tb testing.TB, secrets ...string) *Signer {
	tb.Helper()
	return fortest.Must(New(issuer, secrets))(tb)
}

// paid is a session that was paid at noon, by the second try.
func paid() *payment.Session {
	return &payment.Session{
		ID: "cs_aaaaaaaaaaaaaaaaaaaaaaaaaa", Version: 7, Status: wire.Confirmed, CreatedAt: noon.Add(-time.Hour), CheckedAt: noon,
		Order: payment.Order{AmountUSD: decimal.RequireFromString("25"), Ref: "1001", Title: "Two tickets",
			Email: "shopper@mail.example", Metadata: map[string]string{"note": "private"}},
		Attempts: []payment.Attempt{
			{Number: 1, State: payment.Expired, CurrencySymbol: "BTC", NetworkCode: "btc", TrackingCode: "first"},
			{Number: 2, State: payment.Confirmed, CurrencySymbol: "USDT", NetworkCode: "trc20", TrackingCode: "8f3kq2mz7t", TxID: "3b1a9f",
				Email: "other@mail.example", Comment: "a secret surprise", Marker: "marker", PayAmount: decimal.RequireFromString("25.03"),
				Paid: decimal.RequireFromString("25.03000000"), PaidAt: noon.Add(-time.Minute), EndedAt: noon},
		},
	}
}

func part(t *testing.T, text string, i int) string {
	t.Helper()
	return string(fortest.Must(base64.RawURLEncoding.DecodeString(strings.Split(text, ".")[i]))(t))
}

// What a receipt says, letter by letter, is what docs/verify.md promises.
func TestReceipt(t *testing.T) {
	s := signer(t, secretNew)
	text := s.Receipt(paid())
	fortest.Equal(t, part(t, text, 0),
		`{"alg":"EdDSA","kid":"`+s.id+`","typ":"coinslot-receipt+jwt"}`, "header")
	want := `{"iss":"https://pay.shop.example","sub":"cs_aaaaaaaaaaaaaaaaaaaaaaaaaa","iat":1795348800,"status":"confirmed","test":false,` +
		`"order_ref":"1001","amount":"25.00","currency":"USD","amount_usd":"25.00","rate":null,"paid_amount":"25.03","currency_symbol":"USDT","network_code":"trc20","tracking_code":"8f3kq2mz7t","tx_id":"3b1a9f"}`
	fortest.Equal(t, part(t, text, 1), want, "claims")
	if len(text) > 1000 {
		t.Errorf("%d characters; a receipt travels in addresses", len(text))
	}
	later := paid()
	later.Version, later.CheckedAt, later.Timeline = 9, noon.Add(time.Hour), []payment.TimelineEntry{{By: "gateway"}}
	fortest.Equal(t, signer(t, secretNew).Receipt(later), text,
		"another look at the same payment, by another process, gives another receipt")
}

// The text goes through browsers, addresses and logs: nothing of the shopper's
// is in it, and nothing that opens a door.
func TestReceiptIsNotPersonal(t *testing.T) {
	s := signer(t, secretNew)
	revealed := part(t, s.Receipt(paid()), 0) + part(t, s.Receipt(paid()), 1) + string(s.KeySet())
	for _, secret := range []string{"mail.example", "private", "surprise", "marker", secretNew, hex.EncodeToString(s.key.Seed()), base64.RawURLEncoding.EncodeToString(s.key.Seed())} {
		if strings.Contains(revealed, secret) {
			t.Errorf("%q is in the receipt: %s", secret, revealed)
		}
	}
}

// Only what is confirmed is signed, whatever a session says besides.
func TestOnlyConfirmed(t *testing.T) {
	s := signer(t, secretNew)
	for _, status := range append(wire.Statuses(), "", "Confirmed", "paid") {
		session := paid()
		session.Status = status
		fortest.Equal(t, s.Receipt(session) != "", status == wire.Confirmed,
			"status %q: receipt", status)
	}
	for _, state := range []payment.State{payment.Creating, payment.Unknown, payment.Waiting, payment.Expired, payment.Cancelled, payment.Refused,
		payment.Abandoned, payment.Rejected, payment.InReview, payment.Duplicate} {
		session := paid()
		session.Attempts[1].State = state
		fortest.Equal(t, s.Receipt(session), "",
			"a session that says confirmed, of an attempt that is %s", state)
	}
	fortest.Equal(t, s.Receipt(&payment.Session{Status: wire.Confirmed}), "", "no attempt at all")
}

// Without a secret nothing is signed, and the set of keys is still a set.
func TestNoSecrets(t *testing.T) {
	s := signer(t)
	if got, keys := s.Receipt(paid()), string(s.KeySet()); got != "" || keys != `{"keys":[]}` {
		t.Errorf("receipt %q, keys %s; want none", got, keys)
	}
	for _, secret := range []string{"", "short-secret", strings.Repeat("k", 31)} {
		_, err := New(issuer, []string{secretNew, secret})
		if err == nil || secret != "" && strings.Contains(err.Error(), secret) {
			t.Errorf("a secret of %d bytes: error %v; want one that does not show it", len(secret), err)
		}
	}
}

// Source: RFC 8037, appendices A.1 and A.3.
func TestThumbprint(t *testing.T) {
	x := fortest.Must(base64.RawURLEncoding.DecodeString("11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"))(t)
	fortest.Equal(t, publicKeyOf(ed25519.PublicKey(x)).ID,
		"kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k", "thumbprint")
}

// The keys of a secret must be the same in every release: receipts are kept. The
// values were reckoned by another implementation (Python, cryptography).
func TestKeySet(t *testing.T) {
	want := `{"keys":[{"kty":"OKP","crv":"Ed25519","x":"UdxZzECgsZ8Mc0z_GDJFsOJU_YyNWKNp1vC56H0cAHI","kid":"fFZ_hHaqqH1nWJRfeOO5g0pPBmsNhcrnBQKo-nIgcMU","use":"sig","alg":"EdDSA"},` +
		`{"kty":"OKP","crv":"Ed25519","x":"80hghwvJeqHdGlgUsexetOuV-LPxC9onTEKb91dzq60","kid":"KK36lRRUlMHN0tM36hBLVcT9NoC4fQqEhe_C27bxi5s","use":"sig","alg":"EdDSA"}]}`
	fortest.Diff(t, string(signer(t, secretNew, secretOld).KeySet()), want, "key set")
}

// While two keys are listed the first signs, and receipts of both are good;
// those of a key that is listed no more are not.
func TestRotation(t *testing.T) {
	order := verify.Order{Ref: "1001", Amount: "25.00"}
	receipts := map[string]string{"old": signer(t, secretOld).Receipt(paid()), "both": signer(t, secretNew, secretOld).Receipt(paid()), "new": signer(t, secretNew).Receipt(paid())}
	fortest.Equal(t, receipts["both"], receipts["new"], "the second key signs")
	for _, c := range []struct {
		secrets []string
		good    []string
	}{
		{[]string{secretOld}, []string{"old"}},
		{[]string{secretNew, secretOld}, []string{"both", "new", "old"}},
		{[]string{secretNew}, []string{"both", "new"}},
		{nil, nil},
	} {
		var good []string
		for name, text := range receipts {
			if _, err := verify.Receipt(text, keys(t, signer(t, c.secrets...)), issuer, order); err == nil {
				good = append(good, name)
			}
		}
		slices.Sort(good)
		fortest.Diff(t, good, c.good, "%d keys: good receipts", len(c.secrets))
	}
}

func keys(t *testing.T, s *Signer) (set verify.Keys) {
	t.Helper()
	fortest.OK(t, json.Unmarshal(s.KeySet(), &set))
	return set
}

// A view of a paid session is made for every request.
func BenchmarkReceipt(b *testing.B) {
	s, session := signer(b, secretNew, secretOld), paid()
	for b.Loop() {
		s.Receipt(session)
	}
}
